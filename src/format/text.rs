//! Report → text: the status line, the view, an empty line, the notes.
//!
//! The text is made as lines with a role each, so that a terminal can decorate them.

use std::time::Duration;

use crate::messages::{Message, ShellMessages, one_line};
use crate::observer::Snapshot;
use crate::report::{
    Content, Note, Report, Severity, ShellOutput, ShellResult, ShellRun, StoppedBy,
};
use crate::units::{format_bytes, format_duration};

/// What a line of the text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// How it ended.
    Status,
    /// Head or tail: as many lines as the command printed.
    View,
    /// What stands for the omitted middle, or for a view that is elsewhere or empty.
    Gap,
    /// The empty line before the notes.
    Separator,
    /// A note.
    Note(Severity),
}

/// A part of the text: one line, or for a view several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What it is.
    pub role: Role,
    /// Without a final newline, and without control characters but newline and tab.
    pub text: String,
}

/// The lines of a report; `notes: false` is the view mode.
pub fn lines_of(report: &Report, messages: &ShellMessages, notes: bool) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut add = |role, text| lines.push(Line { role, text });
    if let (Some(run), Some(output)) = (&report.run, &report.output) {
        add(Role::Status, status_line(run, output, messages));
        for (role, text) in view(output, messages) {
            add(role, text);
        }
        if notes && !report.notes.is_empty() {
            add(Role::Separator, String::new());
        }
    }
    // Without notes a command that did not start would say nothing at all.
    if notes || report.run.is_none() {
        for note in &report.notes {
            add(Role::Note(note.severity), note_line(note));
        }
    }
    lines
}

/// The lines of a report so far, for a command that still runs.
pub fn lines_so_far(snapshot: &Snapshot, messages: &ShellMessages) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut add = |role, text| lines.push(Line { role, text });
    if let (Some(run), Some(output)) = (&snapshot.run, &snapshot.output) {
        let duration = format_duration(Duration::from_millis(run.duration_ms));
        let timeout = format_duration(Duration::from_millis(run.timeout_ms));
        let message = match run.stopped_by {
            None => Message::StatusRunning,
            Some(_) => Message::StatusStopping,
        };
        let values = [("duration", duration.as_str()), ("timeout", &timeout)];
        add(Role::Status, messages.render(message, &values));
        for (role, text) in view(output, messages) {
            add(role, text);
        }
        if !snapshot.notes.is_empty() {
            add(Role::Separator, String::new());
        }
    }
    for note in &snapshot.notes {
        add(Role::Note(note.severity), note_line(note));
    }
    lines
}

/// The same lines with one in place of the view, which was shown already.
pub fn with_view_shown(
    lines: Vec<Line>,
    output: &ShellOutput,
    messages: &ShellMessages,
) -> Vec<Line> {
    let shown = match &output.spill {
        Some(path) if output.omitted_bytes > 0 => {
            messages.render(Message::ViewShownSaved, &[("path", path)])
        }
        _ => messages.plain(Message::ViewShown),
    };
    let mut shown = Some(shown);
    let mut kept = Vec::with_capacity(lines.len());
    for line in lines {
        if !matches!(line.role, Role::View | Role::Gap) {
            kept.push(line);
        } else if let Some(text) = shown.take() {
            let role = Role::Gap;
            kept.push(Line { role, text });
        }
    }
    kept
}

/// The line of one note.
pub fn line_of_note(note: &Note) -> Line {
    let role = Role::Note(note.severity);
    let text = note_line(note);
    Line { role, text }
}

/// The lines as one text, without a final newline.
pub fn plain_text(lines: &[Line]) -> String {
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    texts.join("\n")
}

/// The text of a result.
pub fn text_of(result: &ShellResult) -> String {
    let texts: Vec<&str> = result
        .content
        .iter()
        .map(|Content::Text { text }| text.as_str())
        .collect();
    texts.join("\n")
}

fn status_line(run: &ShellRun, output: &ShellOutput, messages: &ShellMessages) -> String {
    let duration = format_duration(Duration::from_millis(run.duration_ms));
    let timeout = format_duration(Duration::from_millis(run.timeout_ms));
    let took = ("duration", duration.as_str());
    let stopped = match run.stopped_by {
        Some(StoppedBy::Timeout) => {
            messages.render(Message::StatusTimeout, &[("timeout", &timeout), took])
        }
        Some(StoppedBy::Abort) => messages.render(Message::StatusAbort, &[took]),
        Some(StoppedBy::OutputCap) => {
            let bytes = format_bytes(output.total_bytes);
            messages.render(Message::StatusOutputCap, &[("bytes", &bytes), took])
        }
        None => match (&run.signal, run.exit_code) {
            (Some(signal), _) => {
                return messages.render(Message::StatusSignal, &[("signal", signal), took]);
            }
            (None, Some(code)) => {
                let code = code.to_string();
                return messages.render(Message::StatusExit, &[("code", &code), took]);
            }
            (None, None) => messages.render(Message::StatusLost, &[took]),
        },
    };
    match run.unconfirmed_stop {
        true => stopped,
        false => format!("{stopped} {}", messages.plain(Message::StatusStopped)),
    }
}

fn view(output: &ShellOutput, messages: &ShellMessages) -> Vec<(Role, String)> {
    let mut parts = Vec::new();
    let part = |text: &str| {
        let text = without_controls(text);
        (
            Role::View,
            text.strip_suffix('\n').unwrap_or(&text).to_owned(),
        )
    };
    if !output.head.is_empty() {
        parts.push(part(&output.head));
    }
    if output.omitted_bytes > 0 || output.omitted_lines > 0 {
        parts.push((Role::Gap, gap_line(output, messages)));
    }
    if let Some(tail) = output.tail.as_ref().filter(|tail| !tail.is_empty()) {
        parts.push(part(tail));
    }
    if parts.is_empty() {
        parts.push((Role::Gap, messages.plain(Message::ViewEmpty)));
    }
    parts
}

fn gap_line(output: &ShellOutput, messages: &ShellMessages) -> String {
    let lines = messages.lines(output.omitted_lines);
    let bytes = format_bytes(output.omitted_bytes);
    let counts = [("lines", lines.as_str()), ("bytes", bytes.as_str())];
    match &output.spill {
        Some(path) => {
            let [lines, bytes] = counts;
            messages.render(Message::GapSaved, &[lines, bytes, ("path", path)])
        }
        None => messages.render(Message::Gap, &counts),
    }
}

fn note_line(note: &Note) -> String {
    format!(
        "[bash:{}] {}",
        one_line(&note.code),
        one_line(&note.message)
    )
}

/// Drops control characters but newline and tab.
pub(crate) fn without_controls(text: &str) -> String {
    text.chars()
        .filter(|char| matches!(char, '\n' | '\t') || !char.is_control())
        .collect()
}
