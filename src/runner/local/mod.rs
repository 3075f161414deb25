//! Commands on this machine: a shell in a session of its own, watched by a process that proves its end.
//!
//! On a Unix that is not Linux there is no such proof: the process group is stopped, and a stop is never
//! confirmed (`group.rs`).

#[cfg(linux_tree)]
mod batch;
#[cfg(linux_tree)]
mod bulk;
#[cfg(linux_tree)]
mod capture;
#[cfg(linux_tree)]
mod execute;
#[cfg(linux_tree)]
mod findings;
#[cfg(not(linux_tree))]
mod group;
#[cfg(all(linux_tree, feature = "cli"))]
mod inline;
#[cfg(linux_tree)]
mod launch;
#[cfg(linux_tree)]
mod lost;
#[cfg(linux_tree)]
mod packets;
#[cfg(linux_tree)]
mod patience;
#[cfg(linux_tree)]
mod prepare;
#[cfg(linux_tree)]
mod relay;
mod runner;
#[cfg(linux_tree)]
mod sequence;
mod settings;
#[cfg(linux_tree)]
mod shared;
#[cfg(linux_tree)]
mod source;
#[cfg(linux_tree)]
mod stop;
#[cfg(linux_tree)]
mod supervise;
#[cfg(linux_tree)]
mod thread;
#[cfg(linux_tree)]
mod tree;
#[cfg(linux_tree)]
mod watch;
#[cfg(linux_tree)]
mod watcher;
#[cfg(linux_tree)]
mod wire;

pub use runner::LocalRunner;
pub use settings::{Background, LocalSettings, StdinSource, StopSignal, UnknownSignal};
