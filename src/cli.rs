//! The command line: what may be typed, and what it means.

mod about;
pub mod asked;
mod environment;
pub mod extend;
pub mod flags;
mod input;
mod limits;
mod manual;
mod masks;
mod prose;
mod quick;
mod run;
pub mod screen;
pub mod usage;
mod words;

pub use about::About;
pub use asked::{Asked, Parsed, Print, parse};
