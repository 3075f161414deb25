//! The answer: what an exit code means for a command line.

use super::blame::{Blame, Cause, Kind};
use super::decide::Decider;
use super::facts::Facts;
use super::shell_codes::signal_name;
use super::state::Dialect;
use serde::Serialize;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// What an exit code means.
///
/// Without a known meaning it is the default: 0 is success without a message, anything else an
/// error with the message `Command failed with exit code N`, and no command is named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Meaning {
    /// Whether the code is a failure; an answer such as "no match" is none.
    pub is_error: bool,
    /// A few words, without a period.
    pub message: Option<String>,
    /// The command that gave the code, or the word that was not found.
    pub command: Option<String>,
    /// More is known than the default says.
    #[serde(skip)]
    claim: bool,
}

impl Meaning {
    fn unknown(code: i32) -> Meaning {
        Meaning {
            is_error: code != 0,
            message: (code != 0).then(|| format!("Command failed with exit code {code}")),
            command: None,
            claim: false,
        }
    }

    fn claimed(cause: &Cause) -> Meaning {
        let (is_error, message) = match cause.kind {
            Kind::Row(row) => (row.is_error, row.meaning().to_owned()),
            Kind::NotFound => (true, "Command not found".to_owned()),
            Kind::NoInterpreter => (true, "Interpreter of the script not found".to_owned()),
            Kind::NotExecutable => (true, "Found but could not be executed".to_owned()),
            Kind::Syntax => (true, "Shell syntax error".to_owned()),
            Kind::Redirection => (true, "A redirection failed".to_owned()),
            Kind::Readonly => (true, "Assignment to a readonly variable".to_owned()),
            Kind::Unset => (true, "Unset variable under set -u".to_owned()),
            // A reader that has seen enough closes the pipe; nothing is wrong with that.
            Kind::Signal(number) => (
                signal_name(number) != "SIGPIPE",
                format!("Ended by {}", signal_name(number)),
            ),
        };
        Meaning {
            is_error,
            message: Some(message),
            command: cause.command.as_deref().map(str::to_owned),
            claim: true,
        }
    }

    /// Whether something is known beyond the default.
    pub fn is_claim(&self) -> bool {
        self.claim
    }
}

/// What a run knows beside its command and code.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The whole of standard error when it was at most 8 KiB. [`None`] when it is not known;
    /// then nothing is ruled out.
    pub stderr: Option<&'a [u8]>,
    /// The environment of the run: its `PATH`, its functions, its start-up file. Names are
    /// looked up in the files of this machine, so leave it out for a run on another one.
    pub env: Option<&'a [(OsString, OsString)]>,
    /// The folder of the run.
    pub cwd: Option<&'a Path>,
    /// File name of the shell. For another one than bash, sh, dash and zsh nothing is claimed.
    pub shell: &'a str,
}

/// Says what an exit code means, from the command line and what it printed.
///
/// An empty `stderr` is no evidence: nothing is ruled out by it. Names are looked up as they
/// would be for a command started here. For a run of which more is known there is
/// [`interpret_run`].
pub fn interpret(command: &str, exit_code: i32, stdout: &str, stderr: &str) -> Meaning {
    // No code has a meaning that depends on what was printed there.
    let _ = stdout;
    let stderr = (!stderr.is_empty()).then_some(stderr.as_bytes());
    let environment: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    let facts = facts(stderr, Some(&environment), None, "bash", false);
    judge(command, exit_code, &facts)
}

/// Says what an exit code of a run means, with all that the run knows.
///
/// Code 0 is answered at once, without a look at the command.
pub fn interpret_run(command: &str, exit_code: i32, evidence: &Evidence) -> Meaning {
    if exit_code == 0 {
        return Meaning::unknown(0);
    }
    let facts = facts(
        evidence.stderr,
        evidence.env,
        evidence.cwd,
        evidence.shell,
        true,
    );
    judge(command, exit_code, &facts)
}

fn facts<'a>(
    stderr: Option<&'a [u8]>,
    environment: Option<&'a [(OsString, OsString)]>,
    cwd: Option<&'a Path>,
    shell: &'a str,
    run: bool,
) -> Facts<'a> {
    let dialect = match shell {
        "sh" | "dash" => Dialect::Posix,
        _ => Dialect::Bash,
    };
    let pairs = environment.unwrap_or_default().iter();
    Facts {
        stderr,
        path: None,
        cwd,
        functions: Vec::new(),
        startup_file: false,
        pipefail: false,
        errexit: false,
        nounset: false,
        dialect,
        shell,
        run,
    }
    .with_environment(pairs.map(|(name, value)| (OsStr::new(name), OsStr::new(value))))
}

fn judge(command: &str, exit_code: i32, facts: &Facts) -> Meaning {
    let Ok(code) = u8::try_from(exit_code) else {
        return Meaning::unknown(exit_code);
    };
    let plain = match facts.shell {
        "bash" | "sh" | "dash" => true,
        // Close enough where nothing is expanded and nothing is combined.
        "zsh" => command
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b" ./_-=+,:@%".contains(&b)),
        _ => false,
    };
    if !plain {
        return Meaning::unknown(exit_code);
    }
    match Decider::new(code, facts).decide(command) {
        Blame::One(cause) if !contradicted(&cause, code, facts) => Meaning::claimed(&cause),
        _ => Meaning::unknown(exit_code),
    }
}

/// Whether what the command printed speaks against the row.
fn contradicted(cause: &Cause, code: u8, facts: &Facts) -> bool {
    if cause.command.as_deref() != Some("find") || code != 1 {
        return false;
    }
    if !matches!(cause.kind, Kind::Row(row) if !row.is_error) {
        return false;
    }
    let Some(stderr) = facts.stderr else {
        // A run that printed too much to know all of it may have complained of anything.
        return facts.run;
    };
    let complaints = stderr.split(|&b| b == b'\n').filter(|line| {
        line.starts_with(b"find: ") || memchr::memmem::find(line, b"/find: ").is_some()
    });
    complaints
        .into_iter()
        .any(|line| !line.ends_with(b"Permission denied"))
}
