//! The command line: what may be typed, and what it means.

pub mod asked;
pub mod extend;
pub mod flags;
mod limits;
pub mod usage;
mod words;

pub use asked::{Asked, Parsed, Print, parse};
