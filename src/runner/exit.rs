//! How a run ended, and what its runner saw.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How a command ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Exit {
    /// The shell's exit code; none when a signal ended it or the end was not confirmed.
    pub code: Option<i32>,
    /// The name of the signal that ended the shell, such as `SIGKILL` or `SIGRTMIN+3`.
    pub signal: Option<String>,
    /// Set when the command did not start.
    pub error: Option<StartError>,
    /// What else the runner saw; a runner that watches nothing leaves the default.
    pub findings: Findings,
}

impl Exit {
    /// The shell exited with `code`.
    pub fn with_code(code: i32) -> Self {
        Self {
            code: Some(code),
            ..Self::default()
        }
    }

    /// The shell was ended by a signal.
    pub fn with_signal(name: impl Into<String>) -> Self {
        Self {
            signal: Some(name.into()),
            ..Self::default()
        }
    }

    /// The command did not start.
    pub fn not_started(reason: StartReason, detail: Option<String>) -> Self {
        Self {
            error: Some(StartError { reason, detail }),
            ..Self::default()
        }
    }
}

/// Why a command did not start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartError {
    /// The kind of failure.
    pub reason: StartReason,
    /// The system's words, without secrets.
    pub detail: Option<String>,
}

/// The kinds of failed starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StartReason {
    /// The folder does not exist.
    CwdNotFound,
    /// The folder is something else.
    CwdNotADirectory,
    /// Anything else.
    SpawnFailed,
}

/// What a runner saw of the process tree. Each part that is absent is not claimed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Findings {
    /// From the start of the shell to its end, or to the confirmed end of a stop, without suspended
    /// time. None: the tool measures around the call.
    pub duration: Option<Duration>,
    /// The shell had ended by itself before an order to stop reached it, so nothing was stopped.
    pub ended_before_stop: bool,
    /// The watcher was killed; what could be stopped was.
    pub watcher_lost: bool,
    /// Signals that reached the watcher: the command's own doing.
    pub own_signals: Vec<OwnSignal>,
    /// After a stop: the tree as it was when the stop came. (Total count, the first few.)
    pub stopped: Option<(u64, Vec<StoppedProcess>)>,
    /// After a normal end: what still runs.
    pub background: Option<(u64, Vec<BackgroundProcess>)>,
    /// After a stop: what may still run. `Some` means that the stop was not confirmed.
    pub unconfirmed: Option<Vec<UnconfirmedProcess>>,
    /// Output was lost or still being written when reading ended, and why.
    pub incomplete: Option<String>,
    /// What the tree used, when it was asked for.
    pub usage: Option<Usage>,
}

/// A signal that reached the watcher.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnSignal {
    /// Such as `SIGTERM`.
    pub signal: String,
    /// The sender, where the kernel said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
}

/// A process that a stop ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoppedProcess {
    /// Its pid.
    pub pid: i32,
    /// Its command line, or its name in brackets.
    pub command: String,
    /// As it was before the stop.
    pub state: ProcessState,
}

/// What a process was doing (proc_pid_stat(5), field 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProcessState {
    /// On a processor, or ready to be.
    Running,
    /// Waiting for something.
    Sleeping,
    /// Waiting in the kernel, where no signal reaches it.
    DiskWait,
    /// Stopped by a signal.
    Stopped,
    /// Stopped by its tracer.
    Traced,
    /// Ended, and not yet waited for.
    Zombie,
}

/// A process that still runs after the shell ended by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackgroundProcess {
    /// Its pid.
    pub pid: i32,
    /// Its command line, or its name in brackets.
    pub command: String,
    /// It holds a pipe of the command's output, so its next write fails.
    pub holds_output: bool,
}

/// A process that may have survived a stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnconfirmedProcess {
    /// Its pid.
    pub pid: i32,
    /// Its command line, or its name in brackets.
    pub command: String,
    /// Why it could not be stopped.
    pub reason: UnconfirmedReason,
}

/// Why a process could not be stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnconfirmedReason {
    /// It belongs to another user.
    OtherUser,
    /// It got SIGKILL and did not end, as in uninterruptible sleep.
    Unkillable,
    /// Nothing more is known.
    Unknown,
}

/// What the tree used: times of all that was reaped, and the largest single process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// User time in milliseconds.
    pub user_ms: u64,
    /// System time in milliseconds.
    pub system_ms: u64,
    /// Peak resident size in bytes.
    pub max_rss_bytes: u64,
}
