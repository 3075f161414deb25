//! Exit and findings → status, run and error, which always agree.

use crate::messages::{Message, ShellMessages};
use crate::report::{ErrorCode, Phase, ShellError, ShellRun, Status, StoppedBy};
use crate::runner::{Exit, Findings, StartError, StartReason, UnconfirmedProcess};
use crate::tool::run::Ended;
use crate::units::format_bytes;

/// What is said of a command that started.
pub(super) struct Verdict {
    pub status: Status,
    pub run: ShellRun,
    pub error: Option<ShellError>,
    pub findings: Findings,
    pub unconfirmed: Option<Vec<UnconfirmedProcess>>,
}

/// What was run.
pub(super) struct Subject {
    pub command: String,
    pub cwd: String,
    pub timeout_ms: u64,
    pub max_capture_bytes: u64,
    pub over_cap: bool,
}

impl Verdict {
    /// The exit code of a command that failed by itself.
    pub(super) fn code_to_explain(&self) -> Option<i32> {
        let failed = self.status == Status::Failed;
        self.run.exit_code.filter(|code| failed && *code != 0)
    }
}

/// Judges a run whose command started.
pub(super) fn verdict(subject: Subject, ended: Ended, messages: &ShellMessages) -> Verdict {
    let gave_up = ended.exit.is_none() && !ended.panicked;
    let exit = ended.exit.unwrap_or_default();
    let Exit {
        code,
        signal,
        findings,
        ..
    } = exit;
    let stopped_by = match ended.stop {
        // More than may be captured was written, whoever ended first.
        Some(StoppedBy::OutputCap) => Some(StoppedBy::OutputCap),
        None if subject.over_cap => Some(StoppedBy::OutputCap),
        _ if findings.ended_before_stop => None,
        reason => reason,
    };
    let mut unconfirmed = findings.unconfirmed.clone();
    let goes_on_in_background = stopped_by.is_some()
        && findings.ended_before_stop
        && matches!(findings.background, Some((count, _)) if count > 0);
    if gave_up || goes_on_in_background {
        unconfirmed.get_or_insert_default();
    }
    let lost = ended.panicked || findings.watcher_lost || (code.is_none() && signal.is_none());
    let (status, code_of_error) = match (stopped_by, code) {
        (Some(StoppedBy::Timeout), _) => (Status::Timeout, None),
        (Some(StoppedBy::Abort), _) => (Status::Error, Some(ErrorCode::Aborted)),
        (Some(StoppedBy::OutputCap), _) => (Status::Error, Some(ErrorCode::OutputCap)),
        (None, _) if lost => (Status::Error, Some(ErrorCode::RunnerLost)),
        (None, Some(0)) => (Status::Ok, None),
        (None, _) => (Status::Failed, None),
    };
    let duration = findings.duration.unwrap_or(ended.elapsed);
    let duration_ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let run = ShellRun {
        command: subject.command,
        cwd: subject.cwd,
        timeout_ms: subject.timeout_ms,
        exit_code: if signal.is_some() { None } else { code },
        signal,
        // The runner's clock and the one of the timeout may take a moment of a suspension differently.
        duration_ms: match stopped_by {
            Some(StoppedBy::Timeout) => duration_ms.max(subject.timeout_ms),
            _ => duration_ms,
        },
        stopped_by,
        unconfirmed_stop: unconfirmed.is_some(),
    };
    let error = code_of_error.map(|code| ShellError {
        code,
        phase: Phase::Run,
        message: match code {
            ErrorCode::OutputCap => {
                let bytes = format_bytes(subject.max_capture_bytes);
                messages.render(Message::OutputCap, &[("bytes", &bytes)])
            }
            ErrorCode::Aborted => messages.plain(Message::AbortedRun),
            _ => messages.plain(Message::RunnerLost),
        },
        data: None,
    });
    Verdict {
        status,
        run,
        error,
        findings,
        unconfirmed,
    }
}

/// The error of a command that did not start.
pub(super) fn start_error(start: &StartError, cwd: &str, messages: &ShellMessages) -> ShellError {
    let detail = start.detail.as_deref().filter(|detail| !detail.is_empty());
    let (code, message) = match (start.reason, detail) {
        (StartReason::CwdNotFound, _) => (
            ErrorCode::CwdNotFound,
            messages.render(Message::CwdNotFound, &[("cwd", cwd)]),
        ),
        (StartReason::CwdNotADirectory, _) => (
            ErrorCode::CwdNotADirectory,
            messages.render(Message::CwdNotADirectory, &[("cwd", cwd)]),
        ),
        (StartReason::SpawnFailed, None) => {
            (ErrorCode::SpawnFailed, messages.plain(Message::SpawnFailed))
        }
        (StartReason::SpawnFailed, Some(detail)) => (
            ErrorCode::SpawnFailed,
            messages.render(
                Message::SpawnFailedDetail,
                &[("detail", detail.trim_end_matches('.'))],
            ),
        ),
    };
    ShellError {
        code,
        phase: Phase::Run,
        message,
        data: None,
    }
}
