//! Saves every raw byte somewhere, and never gets in the way of the command.

mod file;
mod guard;

pub use file::SpillTarget;
pub use guard::{STANDSTILL, Spill, SpillOutcome, SpillSink};
