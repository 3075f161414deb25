//! How bsh itself ends: every exit code that it gives, and why.

use bsh::runner::local::StopSignal;
use bsh::{Report, Status, process};

/// How this process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// With the command's own code.
    Command(u8),
    /// The command was ended by this signal: 128 and its number.
    CommandSignal(i32),
    /// The timeout passed: 124, as timeout(1) has it.
    Timeout,
    /// Status `error`, wrong usage, or a report that could not be written: 125.
    Trouble,
    /// By this signal: the one that aborted the call, or SIGPIPE when the reader went away.
    BySignal(i32),
    /// All went well, and no command was run.
    Fine,
}

/// The command failed with a code that is no error, such as that of a search without a match.
pub fn means_no_error(report: &Report) -> bool {
    let meaning = report.notes.iter().find(|note| note.code == "exit-meaning");
    let is_error = meaning.and_then(|note| note.data.as_ref()?.get("isError")?.as_bool());
    report.status == Status::Failed && is_error == Some(false)
}

impl Exit {
    /// The reader of standard output went away: SIGPIPE, by its number on Linux.
    pub const READER_GONE: Self = Self::BySignal(13);

    /// The exit that tells a report, `aborted_by` the first signal that aborted the call.
    pub fn of(report: &Report, aborted_by: Option<i32>) -> Self {
        let run = report.run.as_ref();
        match report.status {
            Status::Timeout => Self::Timeout,
            Status::Error => match (&report.error, aborted_by) {
                (Some(error), Some(signal)) if error.code == bsh::ErrorCode::Aborted => {
                    Self::BySignal(signal)
                }
                _ => Self::Trouble,
            },
            Status::Ok | Status::Failed => {
                let signal = run.and_then(|run| run.signal.as_deref());
                match signal.and_then(|name| name.parse::<StopSignal>().ok()) {
                    Some(signal) => Self::CommandSignal(signal.number()),
                    None => {
                        let code = run.and_then(|run| run.exit_code);
                        let code = code.and_then(|code| u8::try_from(code).ok());
                        code.map_or(Self::Trouble, Self::Command)
                    }
                }
            }
        }
    }

    /// The exit status, or the end itself.
    pub fn into_status(self) -> i32 {
        match self {
            Self::Fine => 0,
            Self::Command(code) => i32::from(code),
            Self::CommandSignal(number) => number.saturating_add(128),
            Self::Timeout => 124,
            Self::Trouble => 125,
            Self::BySignal(number) => process::die_by_signal(number),
        }
    }
}
