//! The command line: what may be typed, and what it means.

mod about;
pub mod asked;
pub mod extend;
pub mod flags;
mod limits;
mod manual;
mod prose;
mod quick;
pub mod screen;
pub mod usage;
mod words;

pub use asked::{Asked, Parsed, Print, parse};
