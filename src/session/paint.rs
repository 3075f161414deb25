//! The colours of a report.

use bsh::Status;
use bsh::format::{Line, Role};

const DIM: &str = "2";

/// The lines as one text: the status line by its outcome, what bsh adds dimmed, the output as it is.
pub fn painted(lines: &[Line], status: Status) -> String {
    let texts = lines.iter().map(|line| match line.role {
        Role::Status => in_color(of_status(status), &line.text),
        Role::Gap | Role::Note(_) => in_color(DIM, &line.text),
        Role::View | Role::Separator => line.text.clone(),
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Green, red, yellow, magenta; bold, so that the outcome can be found by a reader who sees no colours.
fn of_status(status: Status) -> &'static str {
    match status {
        Status::Ok => "1;32",
        Status::Failed => "1;31",
        Status::Timeout => "1;33",
        Status::Error => "1;35",
    }
}

/// One line in a colour (ECMA-48, SGR).
pub fn in_color(color: &str, text: &str) -> String {
    format!("\x1b[{color}m{text}\x1b[0m")
}
