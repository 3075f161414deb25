//! Every word that `bsh` says, in one catalogue that a caller overrides message by message.
//!
//! A message is a template: `{name}` is replaced, `{{` and `}}` are braces. Templates are checked
//! when they are set, so rendering cannot fail.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use thiserror::Error;

macro_rules! catalogue {
    ($($variant:ident $id:literal $template:literal [$($name:literal),*];)*) => {
        /// The messages, each with a stable id.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        #[allow(missing_docs)]
        pub enum Message { $($variant),* }

        impl Message {
            /// Every message there is.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The id by which it is overridden.
            pub fn id(self) -> &'static str {
                match self { $(Self::$variant => $id),* }
            }

            /// The template used unless it is overridden.
            pub fn default_template(self) -> &'static str {
                match self { $(Self::$variant => $template),* }
            }

            /// The names that its template may use.
            pub fn placeholders(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$($name),*]),* }
            }
        }
    };
}

catalogue! {
    StatusExit "status.exit" "Exit code {code} · {duration}" ["code", "duration"];
    StatusSignal "status.signal" "Ended by {signal} · {duration}" ["signal", "duration"];
    StatusTimeout "status.timeout" "Timed out after {timeout}." ["timeout", "duration"];
    StatusAbort "status.abort" "Aborted after {duration}." ["duration"];
    StatusOutputCap "status.output-cap" "Stopped at {bytes} of output." ["bytes", "duration"];
    StatusLost "status.lost" "Lost after {duration}." ["duration"];
    StatusRunning "status.running" "Running for {duration} of {timeout}." ["duration", "timeout"];
    StatusStopping "status.stopping" "Being stopped after {duration} of {timeout}." ["duration", "timeout"];
    StatusStopped "status.stopped" "The process tree was stopped." [];

    ViewEmpty "view.empty" "(no output)" [];
    ViewShown "view.shown" "(shown above)" [];
    ViewShownSaved "view.shown.saved" "(shown above, all of it is in {path})" ["path"];
    Gap "gap" "[… {lines} and {bytes} left out …]" ["lines", "bytes"];
    GapSaved "gap.saved" "[… {lines} and {bytes} left out, all of it is in {path} …]" ["lines", "bytes", "path"];
    LineOne "count.line" "1 line" ["count"];
    LineMany "count.lines" "{count} lines" ["count"];

    Clamped "note.clamped" "The requested timeout of {requested} is over the maximum, so {max} was used." ["requested", "max"];
    SpillFailed "note.spill-failed" "The full output could not be saved." [];
    SpillFailedDetail "note.spill-failed.detail" "The full output could not be saved: {detail}." ["detail"];
    OutputIncomplete "note.output-incomplete" "Some of the output may be missing." [];
    OutputIncompleteDetail "note.output-incomplete.detail" "Some of the output may be missing: {detail}." ["detail"];
    OwnSignal "note.own-signal" "The command sent {signal} to its watcher, which is no abort: the command went on." ["signal"];
    OwnSignalPid "note.own-signal.pid" "The command sent {signal} to its watcher (by pid {pid}), which is no abort: the command went on." ["signal", "pid"];
    UnconfirmedStop "note.unconfirmed-stop" "The stop could not be confirmed: something of the command may still run." [];
    UnconfirmedStopList "note.unconfirmed-stop.list" "The stop could not be confirmed. What may still run: {processes}." ["processes", "count"];
    ExitMeaning "note.exit-meaning" "{message}" ["code", "command", "message"];
    OmittedError "note.omitted-errors.one" "A line that was left out looks like an error: {lines}" ["lines", "count"];
    OmittedErrors "note.omitted-errors" "{count} lines that were left out look like errors: {lines}" ["lines", "count"];
    OmittedErrorLine "note.omitted-errors.line" "line {line}: {text}" ["line", "text"];
    StoppedProcesses "note.stopped-processes" "What was running when the stop came: {processes}." ["processes", "count"];
    BackgroundProcesses "note.background-processes" "Still running in the background: {processes}." ["processes", "count"];
    ProcessStopped "process.stopped" "{command} (pid {pid}, {state})" ["command", "pid", "state"];
    ProcessBackground "process.background" "{command} (pid {pid})" ["command", "pid"];
    ProcessHoldsOutput "process.holds-output" "{command} (pid {pid}, holds the output, so its next write fails)" ["command", "pid"];
    ProcessUnconfirmed "process.unconfirmed" "{command} (pid {pid}, {reason})" ["command", "pid", "reason"];
    ProcessesMore "process.more" "{processes} and {count} more" ["processes", "count"];
    StateRunning "state.running" "running" [];
    StateSleeping "state.sleeping" "sleeping" [];
    StateDiskWait "state.disk-wait" "waiting in the kernel" [];
    StateStopped "state.stopped" "stopped" [];
    StateTraced "state.traced" "stopped by its tracer" [];
    StateZombie "state.zombie" "ended but not waited for" [];
    ReasonOtherUser "reason.other-user" "belongs to another user" [];
    ReasonUnkillable "reason.unkillable" "does not end on SIGKILL" [];
    ReasonUnknown "reason.unknown" "reason unknown" [];
    Usage "note.usage" "CPU time: {user} user, {system} system. Largest process: {rss}." ["user", "system", "rss"];
    FormatterFailed "note.formatter-failed" "The formatter {id} failed, so the default one was used: {detail}." ["id", "detail"];

    CwdNotFound "error.cwd-not-found" "The folder {cwd} does not exist." ["cwd"];
    CwdNotADirectory "error.cwd-not-a-directory" "{cwd} is not a folder." ["cwd"];
    NoDefaultFolder "error.no-default-folder" "The current folder cannot be used: {detail}." ["detail"];
    Refused "error.refused" "The command was refused by {id}." ["id"];
    Denied "error.denied" "The command was not allowed by {id}." ["id"];
    Aborted "error.aborted" "The call was aborted before the command started." [];
    AbortedRun "error.aborted.run" "The command was stopped because the caller aborted." [];
    AbortedAfter "error.aborted.after" "The call was aborted after the command had ended." [];
    SpawnFailed "error.spawn-failed" "The shell could not be started." [];
    SpawnFailedDetail "error.spawn-failed.detail" "The shell could not be started: {detail}." ["detail"];
    OutputCap "error.output-cap" "The command wrote more than {bytes}, so it was stopped." ["bytes"];
    RunnerLost "error.runner-lost" "The part that watches the command was killed, so the command was stopped." [];
    ExtensionFailed "error.extension-failed" "The hook {id} failed: {detail}." ["id", "detail"];
    Internal "error.internal" "bsh failed unexpectedly: {detail}." ["detail"];

    InputNotAnObject "input.not-an-object" "the request is {got}. Expected an object with {expected}" ["got", "expected"];
    InputUnknownKey "input.unknown-key" "unknown key {key}. Expected {expected}" ["key", "expected"];
    InputRepeatedKey "input.repeated-key" "key {key} is given twice. Expected each key once" ["key"];
    InputSyntax "input.syntax" "the request is not valid JSON: {detail}" ["detail"];
    InputNumberTooLarge "input.number-too-large" "the request has a number that is too large at {place}" ["place"];
    InputTrailing "input.trailing" "the request is followed by something else. Expected one JSON object" [];
    InputTooLarge "input.too-large" "the request is larger than {max}" ["max"];
    InputNotUtf8 "input.not-utf-8" "the request is not UTF-8 at offset {offset}" ["offset"];
    InputMissing "input.missing" "{param} is missing. Expected a shell command" ["param"];
    InputBlank "input.blank" "{param} is blank. Expected at least one character that is not white space" ["param"];
    InputNotAString "input.not-a-string" "{param} is {got}. Expected a string" ["param", "got"];
    InputNul "input.nul" "{param} has a NUL byte at offset {offset}" ["param", "offset"];
    InputCommandTooLarge "input.command-too-large" "{param} is larger than {max}" ["param", "max"];
    InputTimeout "input.timeout" "{param} is {got}. Expected a finite number of {unit} over 0" ["param", "got", "unit"];
    ParamCommand "param.command" "command" [];
    ParamTimeout "param.timeout" "timeoutMs" [];
    ParamCwd "param.cwd" "cwd" [];
    UnitTimeout "unit.timeout" "milliseconds" [];
    KindNull "kind.null" "null" [];
    KindBoolean "kind.boolean" "a boolean" [];
    KindNumber "kind.number" "a number" [];
    KindString "kind.string" "a string" [];
    KindArray "kind.array" "a list" [];
    KindObject "kind.object" "an object" [];
}

/// The wording in force.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShellMessages {
    overrides: BTreeMap<Message, String>,
}

/// Why an override was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MessageError {
    /// There is no message of this id.
    #[error("unknown message {0}")]
    UnknownMessage(String),
    /// The template uses a name that this message does not have.
    #[error("unknown placeholder {placeholder} in message {id}. Expected one of: {expected}")]
    UnknownPlaceholder {
        /// The message.
        id: &'static str,
        /// What the template has.
        placeholder: String,
        /// What it may have, joined with commas.
        expected: String,
    },
    /// A brace that opens or closes nothing.
    #[error("unbalanced brace in message {0}. Expected {{{{ for a plain one")]
    UnbalancedBrace(&'static str),
}

/// Lays overrides, by message id, over the default wording.
///
/// # Errors
/// An unknown id, an unknown placeholder, a brace that belongs to no placeholder.
///
/// ```
/// let german = bsh::resolve_shell_messages([("status.exit", "Code {code} nach {duration}")])?;
/// let text = german.render(bsh::Message::StatusExit, &[("code", "0"), ("duration", "3 s")]);
/// assert_eq!(text, "Code 0 nach 3 s");
/// assert!(bsh::resolve_shell_messages([("status.exit", "{nonsense}")]).is_err());
/// # Ok::<(), bsh::MessageError>(())
/// ```
pub fn resolve_shell_messages<K, V>(
    overrides: impl IntoIterator<Item = (K, V)>,
) -> Result<ShellMessages, MessageError>
where
    K: AsRef<str>,
    V: Into<String>,
{
    let mut messages = ShellMessages::default();
    for (id, template) in overrides {
        let message = Message::ALL
            .iter()
            .copied()
            .find(|message| message.id() == id.as_ref())
            .ok_or_else(|| MessageError::UnknownMessage(id.as_ref().to_owned()))?;
        let template = template.into();
        for piece in Pieces(&template) {
            match piece {
                Piece::Text(_) => {}
                Piece::Name(name) if message.placeholders().contains(&name) => {}
                Piece::Name(name) => {
                    return Err(MessageError::UnknownPlaceholder {
                        id: message.id(),
                        placeholder: name.to_owned(),
                        expected: message.placeholders().join(", "),
                    });
                }
                Piece::Unbalanced => return Err(MessageError::UnbalancedBrace(message.id())),
            }
        }
        messages.overrides.insert(message, template);
    }
    Ok(messages)
}

impl ShellMessages {
    /// One message with its placeholders filled in, as one line without control characters.
    pub fn render(&self, message: Message, values: &[(&str, &str)]) -> String {
        let template = self
            .overrides
            .get(&message)
            .map_or(message.default_template(), String::as_str);
        let mut line = String::with_capacity(template.len() + 32);
        for piece in Pieces(template) {
            match piece {
                Piece::Text(text) => line.push_str(text),
                Piece::Name(name) => {
                    let value = values.iter().find(|(known, _)| *known == name);
                    line.push_str(value.map_or("", |(_, value)| value));
                }
                Piece::Unbalanced => {}
            }
        }
        one_line(&line)
    }

    /// A message without placeholders.
    pub fn plain(&self, message: Message) -> String {
        self.render(message, &[])
    }

    /// `1 line`, `812 lines`.
    pub fn lines(&self, count: u64) -> String {
        let message = if count == 1 {
            Message::LineOne
        } else {
            Message::LineMany
        };
        self.render(message, &[("count", &count.to_string())])
    }
}

enum Piece<'a> {
    Text(&'a str),
    Name(&'a str),
    Unbalanced,
}

/// Reads a template piece by piece.
struct Pieces<'a>(&'a str);

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let rest = self.0;
        if rest.is_empty() {
            return None;
        }
        let (piece, length) = if rest.starts_with("{{") || rest.starts_with("}}") {
            (Piece::Text(&rest[..1]), 2)
        } else if rest.starts_with('{') {
            match rest.find('}') {
                Some(end) => (Piece::Name(&rest[1..end]), end + 1),
                None => (Piece::Unbalanced, rest.len()),
            }
        } else if rest.starts_with('}') {
            (Piece::Unbalanced, 1)
        } else {
            let end = rest.find(['{', '}']).unwrap_or(rest.len());
            (Piece::Text(&rest[..end]), end)
        };
        self.0 = &rest[length..];
        Some(piece)
    }
}

/// Makes one line of a text: white-space controls become spaces, other control characters go.
///
/// ```
/// assert_eq!(bsh::one_line("a\n\tb\u{1b}[31mc\n"), "a  b[31mc");
/// ```
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' | '\r' | '\t' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                line.push(' ');
            }
            char if char.is_control() => {}
            char => line.push(char),
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// Cuts a text to a number of characters, and says so with an ellipsis.
pub(crate) fn cut_to(text: &str, characters: usize) -> String {
    if text.chars().nth(characters).is_none() {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(characters.saturating_sub(1)).collect();
    // Writing to a string cannot fail.
    let _ = cut.write_char('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_uses_only_names_it_has_and_ids_are_unique() {
        let defaults = Message::ALL.iter().map(|m| (m.id(), m.default_template()));
        let resolved = resolve_shell_messages(defaults).expect("the defaults are valid");
        assert_eq!(resolved.overrides.len(), Message::ALL.len());
    }

    #[test]
    fn wrong_overrides_are_refused() {
        let refused = |id: &str, template: &str| {
            resolve_shell_messages([(id, template)])
                .expect_err("refused")
                .to_string()
        };
        assert_eq!(refused("nonsense", ""), "unknown message nonsense");
        assert_eq!(
            refused("status.exit", "{x}"),
            "unknown placeholder x in message status.exit. Expected one of: code, duration"
        );
        assert_eq!(
            refused("gap", "{lines"),
            "unbalanced brace in message gap. Expected {{ for a plain one"
        );
    }

    #[test]
    fn braces_and_control_characters() {
        let messages =
            resolve_shell_messages([("view.empty", "{{nothing}}\n\u{7}")]).expect("valid");
        assert_eq!(messages.plain(Message::ViewEmpty), "{nothing}");
    }

    #[test]
    fn a_cut_text_has_the_asked_length() {
        assert_eq!(cut_to("äöü", 3), "äöü");
        assert_eq!(cut_to("äöüx", 3), "äö…");
    }
}
