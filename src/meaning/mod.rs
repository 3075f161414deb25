//! What an exit code says, and never a wrong word.
//!
//! The way of a question: `parser` reads the line, `decide` follows the status through it
//! to whoever can have set it, `table` knows what that command means by the code, and
//! [`interpret`](self::interpret()) says it. It is for explaining, never for security.

mod arguments;
mod blame;
mod builtins;
mod decide;
mod deliver;
mod expansions;
mod explain;
mod facts;
mod flow;
mod frames;
mod hazards;
mod heads;
mod interpret;
mod keywords;
mod parser;
#[cfg(test)]
mod parser_tests;
mod programs;
mod settings;
mod shell_codes;
mod shells;
mod simple;
mod started;
mod state;
mod syntax;
mod table;
mod words;
mod wrapper_calls;
mod wrappers;

pub use explain::{Explanation, explain};
pub use interpret::{Evidence, Meaning, interpret, interpret_run};
pub use shell_codes::signal_name;
