//! Writes the report, and says what became of it.

use std::io::{self, ErrorKind, Write as _};

use bsh::format::{to_json, to_pretty_json};
use bsh::{ShellResult, stdio, text_of};

use crate::cli::Print;
use crate::session::{Exit, events};

/// What SIGPIPE is on Linux.
const SIGPIPE: i32 = 13;

/// The report as it is printed, its final newline included.
pub fn rendered(result: &ShellResult, print: Print) -> String {
    let mut text = match print {
        Print::Json => to_json(result),
        Print::PrettyJson => to_pretty_json(result),
        Print::Events => events::end_line(result),
        Print::Text | Print::View => text_of(result),
    };
    text.push('\n');
    text
}

/// Writes a text to standard output; `exit` stands when that works.
///
/// A reader that went away is no error of ours: bsh dies of SIGPIPE, quietly.
pub fn write_out(text: &str, exit: Exit) -> Exit {
    if stdio::stdout_was_closed() {
        return not_written("it is closed");
    }
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Ok(()) => exit,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Exit::BySignal(SIGPIPE),
        Err(error) => not_written(&error.to_string()),
    }
}

/// Writes one sentence to standard error; where that fails too, the exit code has to do.
pub fn complain(sentence: &str) {
    let _ = writeln!(io::stderr().lock(), "bsh: {sentence}");
}

/// Says that standard output failed.
pub fn not_written(reason: &str) -> Exit {
    complain(&format!(
        "cannot write the report to standard output: {reason}"
    ));
    Exit::Trouble
}
