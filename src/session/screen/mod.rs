//! What is said on standard error while a command runs: live output, the status line, snapshots.
//!
//! One thread writes it, behind a bounded queue, so a standard error that is slow or stuck never delays
//! the command's clock. What finds no room is left out, and said to be.

mod queue;
mod status;
mod terminal;
mod thread;
mod watcher;

pub use thread::Screen;
pub use watcher::{Phase, ScreenWatcher};
