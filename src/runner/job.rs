//! The runner's trait, what it is given, and the chunks it gives back.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};

use crate::environment::EnvVars;
use crate::runner::Exit;

/// The future of a run.
pub type RunFuture = Pin<Box<dyn Future<Output = Exit> + Send>>;

/// Runs commands somewhere.
///
/// A runner never panics and never fails: a start that failed is an [`Exit`] with a reason.
/// Dropping the future of [`Runner::run`] stops the command's tree.
pub trait Runner: Send + Sync {
    /// Names the runner in reports of failures and in tool descriptions, such as `local`.
    fn id(&self) -> &str;

    /// The folder that a relative `cwd` is relative to, and where a command without one runs.
    ///
    /// # Errors
    /// The system's reason, when there is no such folder any more.
    fn default_folder(&self) -> std::io::Result<PathBuf>;

    /// What is known of where commands run, for the meaning of their exit codes.
    fn surroundings(&self) -> Surroundings {
        Surroundings::default()
    }

    /// Runs one command: sends what it prints to `output`, in order, and returns how it ended.
    ///
    /// Returns only when no further chunk will be sent. After [`Order::Stop`] it has the grace and one
    /// second to return; then the tool goes on without it and reports an unconfirmed stop.
    fn run(&self, job: Job, output: ChunkSink) -> RunFuture;
}

/// Where commands run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    /// The file name of the shell.
    pub shell: String,
    /// The files and the `PATH` that the command sees are those of this machine.
    pub is_this_machine: bool,
}

impl Default for Surroundings {
    /// bash on another machine, of which nothing is known.
    fn default() -> Self {
        Self {
            shell: "bash".to_owned(),
            is_this_machine: false,
        }
    }
}

/// One command to run.
#[derive(Debug)]
pub struct Job {
    /// The command line for the shell.
    pub command: String,
    /// An absolute folder.
    pub cwd: PathBuf,
    /// The whole environment, in order; nothing is added.
    pub env: Arc<EnvVars>,
    /// Time between the stop signal and SIGKILL.
    pub grace: Duration,
    /// Tells when to stop, suspend and continue.
    pub orders: StopOrders,
    /// A runner that obeys [`Order::Suspend`] says here when all is held, and when it goes on.
    pub held: watch::Sender<bool>,
    /// A runner that knows it says here when the command has started. Of one that does not, the first
    /// output or the end tells.
    pub started: watch::Sender<bool>,
}

/// What the tool asks of a runner while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Run, or continue after [`Order::Suspend`].
    #[default]
    Run,
    /// Hold the whole tree (SIGSTOP).
    Suspend,
    /// Stop the tree: the stop signal, the grace, then SIGKILL.
    Stop,
    /// Stop the tree with SIGKILL at once.
    Kill,
}

/// The runner's end of the orders. [`Order::Stop`] and [`Order::Kill`] are never taken back.
pub type StopOrders = watch::Receiver<Order>;

/// One of the two output streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard output, descriptor 1.
    Stdout,
    /// Standard error, descriptor 2.
    Stderr,
}

/// Bytes of one stream, in the order in which they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Which stream.
    pub stream: Stream,
    /// Raw bytes, cut anywhere.
    pub bytes: Vec<u8>,
}

/// Where a runner sends its chunks. Bounded: a send waits while the tool is behind.
#[derive(Debug, Clone)]
pub struct ChunkSink(mpsc::Sender<Chunk>);

impl ChunkSink {
    /// A sink and what comes out of it; at most `capacity` chunks are under way.
    pub fn channel(capacity: usize) -> (Self, mpsc::Receiver<Chunk>) {
        let (sender, receiver) = mpsc::channel(capacity);
        (Self(sender), receiver)
    }

    /// Sends one chunk, and waits while there is no room. Returns false when nobody reads any more.
    pub async fn send(&self, stream: Stream, bytes: impl Into<Vec<u8>>) -> bool {
        self.0
            .send(Chunk {
                stream,
                bytes: bytes.into(),
            })
            .await
            .is_ok()
    }
}
