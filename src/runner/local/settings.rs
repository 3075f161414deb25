//! How the local runner runs commands.

use std::ffi::OsString;
use std::os::fd::RawFd;
use std::path::PathBuf;

use thiserror::Error;

use crate::sys::signal_names as signal;

/// The settings of a [`crate::runner::local::LocalRunner`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalSettings {
    /// The shell: a path, or a name to be found on the PATH of this process. Its last part becomes `$0`.
    pub shell: OsString,
    /// In place of `-c` and the command: what is run is then a program with these arguments and no shell,
    /// and the command of the job is not looked at.
    pub arguments: Option<Vec<OsString>>,
    /// What the command reads.
    pub stdin: StdinSource,
    /// Descriptors that the command sees under the same numbers. They have to stay open while it starts.
    pub pass_fds: Vec<RawFd>,
    /// What a stop begins with.
    pub stop_signal: StopSignal,
    /// What becomes of processes that still run when the shell has ended by itself.
    pub background: Background,
    /// Measure what the tree used.
    pub usage: bool,
    /// For a program that does nothing else, such as the binary: this process becomes a subreaper
    /// (prctl(2), PR_SET_CHILD_SUBREAPER) and has no other children than its commands', so that it may
    /// stop the tree itself when the watcher was killed; it ignores SIGCHLD, so that the kernel reaps them
    /// (sigaction(2)); and its runtime has one thread (tokio's current-thread flavour with I/O), in which
    /// a short run then needs no thread of its own.
    pub adopt_orphans: bool,
}

impl Default for LocalSettings {
    fn default() -> Self {
        Self {
            shell: "bash".into(),
            arguments: None,
            stdin: StdinSource::Null,
            pass_fds: Vec::new(),
            stop_signal: StopSignal::default(),
            background: Background::Keep,
            usage: false,
            adopt_orphans: false,
        }
    }
}

/// What a command reads on descriptor 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StdinSource {
    /// `/dev/null`: every read is at the end.
    Null,
    /// The standard input of this process.
    Inherit,
    /// A file.
    File(PathBuf),
    /// These bytes, from a file in memory: one that does not read them holds nothing up.
    Bytes(Vec<u8>),
    /// A descriptor of this process, which has to stay open while the command starts.
    Descriptor(RawFd),
}

/// What becomes of processes that outlive their shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// They go on, and the report names them.
    Keep,
    /// They are stopped like a command.
    Stop,
}

/// A signal to begin a stop with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopSignal(i32);

impl Default for StopSignal {
    /// SIGTERM.
    fn default() -> Self {
        Self(libc::SIGTERM)
    }
}

impl StopSignal {
    /// Its number.
    pub fn number(self) -> i32 {
        self.0
    }
}

/// A text that names no signal.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown signal {0}, expected a name or number such as TERM, SIGINT, 15 or RTMIN+3")]
pub struct UnknownSignal(String);

impl std::str::FromStr for StopSignal {
    type Err = UnknownSignal;

    /// Reads a name with or without `SIG`, in any case, or a number (signal(7)).
    fn from_str(text: &str) -> Result<Self, UnknownSignal> {
        signal::parse(text)
            .map(Self)
            .ok_or_else(|| UnknownSignal(text.to_owned()))
    }
}
