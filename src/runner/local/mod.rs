//! Commands on this machine: a shell in a session of its own, watched by a process that proves its end.

mod batch;
mod capture;
mod findings;
#[cfg(feature = "cli")]
mod inline;
mod launch;
mod lost;
#[allow(clippy::module_inception)]
mod runner;
mod sequence;
mod settings;
mod shared;
mod stop;
mod supervise;
mod tree;
mod watcher;
mod wire;

pub use runner::LocalRunner;
pub use settings::{Background, LocalSettings, StdinSource, StopSignal, UnknownSignal};
