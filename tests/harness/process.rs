//! A builder of one `bsh` process.

use std::ffi::OsStr;
use std::fmt;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::harness::Mirror;

/// Nothing here takes this long; it only keeps a test that hangs from hanging for ever.
pub const GUARD: Duration = Duration::from_secs(60);

/// A process that is about to start.
pub struct Bsh {
    command: Command,
    stdin: Option<Vec<u8>>,
    hold_stdin: bool,
    line: String,
}

/// `bsh` with these arguments.
pub fn bsh<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Bsh {
    bsh_under(&[], args)
}

/// `bsh` with these arguments, started by another program: its words come first.
pub fn bsh_under<S: AsRef<OsStr>>(wrapper: &[&str], args: impl IntoIterator<Item = S>) -> Bsh {
    let bsh = env!("CARGO_BIN_EXE_bsh");
    let mut words = wrapper.iter().chain([&bsh]);
    let mut command = Command::new(words.next().unwrap_or(&bsh));
    let args: Vec<_> = args.into_iter().collect();
    command.args(words).args(&args);
    // What the person who runs the tests has set must not matter.
    for name in [
        "DEFAULT_TIMEOUT",
        "MAX_TIMEOUT",
        "KILL_GRACE",
        "MAX_OUTPUT",
        "MAX_LINES",
        "HEAD_PERCENT",
        "MAX_CAPTURE",
    ] {
        command.env_remove(format!("BSH_{name}"));
    }
    Bsh {
        line: format!("{command:?}"),
        command,
        stdin: None,
        hold_stdin: false,
    }
}

impl Bsh {
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn folder(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Standard input is a pipe that stays open until the test lets go of it.
    pub fn stdin_held(mut self) -> Self {
        self.hold_stdin = true;
        self
    }

    /// Starts it with pipes, for a test that talks to it.
    pub fn start(mut self) -> Running {
        let with_pipe = self.stdin.is_some() || self.hold_stdin;
        self.command.stdin(if with_pipe {
            Stdio::piped()
        } else {
            Stdio::null()
        });
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().expect("bsh starts");
        if let Some(bytes) = self.stdin
            && let Some(mut stdin) = child.stdin.take()
        {
            // A bsh that reads nothing closes the pipe, which is no failure of the test.
            std::thread::spawn(move || stdin.write_all(&bytes));
        }
        Running {
            child,
            line: self.line,
        }
    }

    /// Runs it to its end, its report going elsewhere.
    pub fn with_stdout(mut self, stdout: impl Into<Stdio>) -> Ran {
        self.command
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(Stdio::piped());
        let child = self.command.spawn().expect("bsh starts");
        let line = self.line;
        Running { child, line }.end()
    }

    /// Runs it to its end.
    pub fn run(self) -> Ran {
        self.start().end()
    }
}

/// A process under way.
pub struct Running {
    pub child: Child,
    line: String,
}

impl Running {
    pub fn signal(&self, signal: nix::sys::signal::Signal) {
        let pid = nix::unistd::Pid::from_raw(self.child.id() as i32);
        nix::sys::signal::kill(pid, signal).expect("bsh is there");
    }

    /// Reads both pipes to their ends, and waits.
    pub fn end(self) -> Ran {
        let (sender, receiver) = mpsc::channel();
        let pid = nix::unistd::Pid::from_raw(self.child.id() as i32);
        std::thread::spawn(move || sender.send(self.child.wait_with_output()));
        let Ok(output) = receiver.recv_timeout(GUARD) else {
            let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL);
            panic!("{} hangs", self.line);
        };
        let output = output.expect("the pipes of bsh can be read");
        Ran {
            line: self.line,
            status: output.status,
            stdout: String::from_utf8(output.stdout).expect("the report is UTF-8"),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A process that ended.
pub struct Ran {
    line: String,
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl fmt::Display for Ran {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "\n$ {}", self.line)?;
        writeln!(formatter, "{}", self.status)?;
        writeln!(formatter, "--- stdout\n{}", self.stdout)?;
        write!(formatter, "--- stderr\n{}", self.stderr)
    }
}

impl Ran {
    #[track_caller]
    pub fn code(self, code: i32) -> Self {
        assert_eq!(self.status.code(), Some(code), "{self}");
        self
    }

    #[track_caller]
    pub fn signal(self, signal: nix::sys::signal::Signal) -> Self {
        assert_eq!(self.status.signal(), Some(signal as i32), "{self}");
        assert!(!self.status.core_dumped(), "{self}");
        self
    }

    /// All of standard output; a duration below two seconds counts as none.
    #[track_caller]
    pub fn prints(self, text: &str) -> Self {
        let printed = without_durations(&self.stdout);
        assert_eq!(printed, text, "{self}");
        self
    }

    /// All of standard error.
    #[track_caller]
    pub fn complains(self, text: &str) -> Self {
        assert_eq!(self.stderr, text, "{self}");
        self
    }

    /// The report, read strictly, of exactly one line.
    #[track_caller]
    pub fn report(&self) -> Mirror {
        let is_one_line = self.stdout.ends_with('\n') && self.stdout.lines().count() == 1;
        assert!(is_one_line, "one object and a newline\n{self}");
        Mirror::read(&self.stdout).unwrap_or_else(|problem| panic!("{problem}\n{self}"))
    }
}

/// `· 0.1 s` and the like become `· 0 s`, so that a busy machine changes no text.
fn without_durations(text: &str) -> String {
    let mut plain = text.to_owned();
    for tenth in 1..20 {
        let duration = bsh::format_duration(Duration::from_millis(tenth * 100));
        plain = plain.replace(&format!(" · {duration}\n"), " · 0 s\n");
    }
    plain
}
