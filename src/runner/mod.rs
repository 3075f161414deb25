//! Where a command runs: the trait, and what passes through it.

mod echo;
mod exit;
mod job;
pub mod local;
pub mod ssh;

pub use echo::EchoRunner;
pub use exit::{
    BackgroundProcess, Exit, Findings, OwnSignal, ProcessState, StartError, StartReason,
    StoppedProcess, UnconfirmedProcess, UnconfirmedReason, Usage,
};
pub use job::{Chunk, ChunkSink, Job, Order, RunFuture, Runner, StopOrders, Stream, Surroundings};
