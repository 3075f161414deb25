//! One call of the tool from the command line: signals, the reader of the report, the exit.

pub mod call;
pub mod exit;
pub mod explain;
mod hint;
mod paint;
pub mod panics;
pub mod print;
mod screen;

pub use call::run;
pub use exit::Exit;
pub use explain::print_explanation;
