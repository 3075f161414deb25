//! One call of the tool from the command line: signals, the reader of the report, the exit.

pub mod call;
pub mod events;
pub mod exit;
pub mod hooks;
pub mod panics;
pub mod print;
pub mod serve;

pub use call::run;
pub use exit::Exit;
