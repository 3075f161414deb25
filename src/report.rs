//! What is said of one run: the report and its parts, exactly as they appear in JSON.
//!
//! Nothing here decides anything; the pipeline fills these types and the formatters print them.
//! The order of fields is the order of keys.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::request::BashRequest;

/// The report of one call with its text, as `--json` prints it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShellResult {
    /// Everything but the text.
    #[serde(flatten)]
    pub report: Report,
    /// The text of the report, as one content block.
    pub content: Vec<Content>,
}

/// One block of content. There is one kind, `text`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Content {
    /// The report as a person reads it.
    Text {
        /// The text, without a final newline.
        text: String,
    },
}

/// What happened, without its text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Always `bash`.
    pub tool: &'static str,
    /// How it went.
    pub status: Status,
    /// Set exactly when the status is [`Status::Error`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ShellError>,
    /// What was asked, with the timeout in force; null when there was no valid request.
    pub request: Option<BashRequest>,
    /// How it ran; null when the command did not start.
    pub run: Option<ShellRun>,
    /// What it printed; null when the command did not start.
    pub output: Option<ShellOutput>,
    /// Everything else worth knowing, in a fixed order.
    pub notes: Vec<Note>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Exit code 0.
    Ok,
    /// Another exit code, or a signal that was not ours: a normal result.
    Failed,
    /// The timeout stopped it.
    Timeout,
    /// It did not start, was stopped for another reason than its timeout, or a hook failed.
    Error,
}

/// The run of a command that started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ShellRun {
    /// The command as it was run, after every rewrite.
    pub command: String,
    /// The absolute folder; bytes that are not UTF-8 appear as U+FFFD.
    pub cwd: String,
    /// The timeout in force.
    pub timeout_ms: u64,
    /// Null when a signal ended the shell or its end was not confirmed.
    pub exit_code: Option<i32>,
    /// The name of the signal that ended the shell, such as `SIGKILL`.
    pub signal: Option<String>,
    /// From the start of the shell to its end, or to the confirmed end of a stop, without suspended time.
    pub duration_ms: u64,
    /// Why it was stopped, if it was.
    pub stopped_by: Option<StoppedBy>,
    /// True when something of the tree may still run after a stop.
    pub unconfirmed_stop: bool,
}

/// Why a run was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StoppedBy {
    /// The timeout passed.
    Timeout,
    /// The caller aborted.
    Abort,
    /// More was written than may be captured.
    OutputCap,
}

/// The cleaned view of what was printed, and its counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShellOutput {
    /// All of the text when it fits the budgets, else its front.
    pub head: String,
    /// The end of the text when something is omitted, else null.
    pub tail: Option<String>,
    /// Raw bytes of both streams.
    pub total_bytes: u64,
    /// Lines of the cleaned text; a last line without newline counts.
    pub total_lines: u64,
    /// Bytes of cleaned text between head and tail.
    pub omitted_bytes: u64,
    /// Newline characters of cleaned text between head and tail.
    pub omitted_lines: u64,
    /// Raw bytes of standard output.
    pub stdout_bytes: u64,
    /// Raw bytes of standard error.
    pub stderr_bytes: u64,
    /// Where every raw byte was saved, if it was asked for and worked.
    pub spill: Option<String>,
}

/// Why a call has no normal result.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct ShellError {
    /// The kind of error.
    pub code: ErrorCode,
    /// The stage that saw it.
    pub phase: Phase,
    /// One sentence.
    pub message: String,
    /// Facts for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// The kinds of error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// The request or a flag's value was refused.
    InvalidInput,
    /// The folder does not exist.
    CwdNotFound,
    /// The folder is something else.
    CwdNotADirectory,
    /// A before-run hook refused.
    Refused,
    /// The authorizer refused.
    Denied,
    /// The caller aborted.
    Aborted,
    /// The shell could not be started.
    SpawnFailed,
    /// More was written than may be captured.
    OutputCap,
    /// The part that watches the command was killed.
    RunnerLost,
    /// A hook crashed, timed out or answered nonsense.
    ExtensionFailed,
}

impl ErrorCode {
    /// The code of the note that repeats this error: its kebab case.
    pub fn note_code(self) -> &'static str {
        match self {
            Self::InvalidInput => "invalid-input",
            Self::CwdNotFound => "cwd-not-found",
            Self::CwdNotADirectory => "cwd-not-a-directory",
            Self::Refused => "refused",
            Self::Denied => "denied",
            Self::Aborted => "aborted",
            Self::SpawnFailed => "spawn-failed",
            Self::OutputCap => "output-cap",
            Self::RunnerLost => "runner-lost",
            Self::ExtensionFailed => "extension-failed",
        }
    }
}

/// The stages of the pipeline, as an error names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)]
pub enum Phase {
    Input,
    Resolve,
    BeforeRun,
    Authorize,
    Env,
    Spill,
    Run,
    AfterRun,
    Format,
}

/// One remark of a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// Stable, in kebab case.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// One line.
    pub message: String,
    /// Facts for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// How much a note matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Info,
    /// Something is lost, wrong or uncertain.
    Warning,
}
