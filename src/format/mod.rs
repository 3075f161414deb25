//! A report as text and as JSON.

pub mod formatter;
pub mod json;
pub mod text;

pub use formatter::{Formatter, TextFormatter};
pub use json::{to_json, to_pretty_json};
pub use text::{
    Line, Role, line_of_note, lines_of, lines_so_far, plain_text, text_of, with_view_shown,
};
