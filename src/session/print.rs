//! Writes the report, and says what became of it.

use std::io::{self, ErrorKind, Write as _};

use bsh::failure::reason;
use bsh::format::{lines_of, plain_text, to_json, to_pretty_json, with_view_shown};
use bsh::{ShellMessages, ShellResult, stdio, terminal, text_of};

use crate::cli::Print;
use crate::cli::screen::{Shown, When};
use crate::session::{Exit, events, paint};

/// What is different on a terminal.
#[derive(Debug, Clone, Copy, Default)]
pub struct Look {
    /// Colours.
    pub colored: bool,
    /// The whole output was shown above, so it is not printed again.
    pub shown_above: bool,
    /// The text has notes.
    pub notes: bool,
}

impl Look {
    /// The look of a text; `all_written`: nothing of the live output was left out.
    pub fn of(shown: Shown, all_written: bool, notes: bool) -> Self {
        let colored = match shown.color {
            When::Auto => {
                let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                terminal::is_stdout_terminal() && !unwanted && !terminal::is_dumb()
            }
            When::Always => true,
            When::Never => false,
        };
        Self {
            colored,
            shown_above: shown.live && all_written && terminal::are_both_one_terminal(),
            notes,
        }
    }
}

/// The report as it is printed, its final newline included.
pub fn rendered(result: &ShellResult, print: Print, look: Look) -> String {
    let mut text = match print {
        Print::Json => to_json(result),
        Print::PrettyJson => to_pretty_json(result),
        Print::Events => events::end_line(result),
        Print::Text | Print::View if look.colored || look.shown_above => painted(result, look),
        Print::Text | Print::View => text_of(result),
    };
    text.push('\n');
    text
}

/// The same text as it looks on a terminal.
fn painted(result: &ShellResult, look: Look) -> String {
    let messages = ShellMessages::default();
    let report = &result.report;
    let mut lines = lines_of(report, &messages, look.notes);
    if let Some(output) = &report.output
        && look.shown_above
        && output.total_lines > 0
    {
        lines = with_view_shown(lines, output, &messages);
    }
    match look.colored {
        true => paint::painted(&lines, report.status),
        false => plain_text(&lines),
    }
}

/// Writes a text to standard output; `exit` stands when that works. `what` names it where it fails.
pub fn write_out(what: &str, text: &str, exit: Exit) -> Exit {
    if stdio::stdout_was_closed() {
        return not_written(what, "it is closed");
    }
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Ok(()) => exit,
        Err(error) => failed_write(what, &error),
    }
}

/// The words of an error and of its causes.
pub fn words_of(error: &anyhow::Error) -> String {
    let words = error
        .chain()
        .map(|cause| match cause.downcast_ref::<io::Error>() {
            Some(error) => reason(error),
            None => cause.to_string(),
        });
    words.collect::<Vec<_>>().join(": ")
}

/// Writes one sentence to standard error; where that fails too, the exit code has to do.
pub fn complain(sentence: &str) {
    let _ = writeln!(io::stderr().lock(), "bsh: {sentence}");
}

/// How bsh ends when standard output took no more. A reader that went away is no error of ours: bsh dies of
/// SIGPIPE, quietly.
pub fn failed_write(what: &str, error: &io::Error) -> Exit {
    match error.kind() {
        ErrorKind::BrokenPipe => Exit::READER_GONE,
        _ => not_written(what, &reason(error)),
    }
}

/// Says that standard output failed.
pub fn not_written(what: &str, reason: &str) -> Exit {
    complain(&format!("cannot write {what} to standard output: {reason}"));
    Exit::Trouble
}
