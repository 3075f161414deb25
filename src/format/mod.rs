//! A report as text and as JSON.

pub mod formatter;
pub mod json;
pub mod text;

pub use formatter::{Formatter, TextFormatter};
pub use json::{to_json, to_pretty_json};
pub use text::{Line, Role, lines_of, plain_text, text_of};
