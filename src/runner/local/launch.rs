//! Everything that a command needs to start, made ready before the fork.

use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;
use nix::unistd::{AccessFlags, access};

use crate::runner::local::settings::{LocalSettings, StdinSource};
use crate::runner::{Exit, Job, StartReason};
use crate::sys::child::{Program, Stack, StartFailure, Step, StringArray};
use crate::sys::descriptor::is_open;
use crate::sys::failure::reason;
use crate::sys::fd;

/// Longest single argument in bytes, its null included (execve(2), MAX_ARG_STRLEN).
const LONGEST_ARGUMENT: usize = 128 * 1024;

/// A program to start, and the descriptors that it needs until then.
pub(super) struct Launch {
    pub(super) program: Program,
    /// Kept open until the child has its own.
    _stdin: OwnedFd,
    _script: Option<OwnedFd>,
}

impl Launch {
    /// Every descriptor that the start needs, and these; sorted.
    pub(super) fn descriptors(&self, more: RawFd) -> Vec<RawFd> {
        let Program {
            stdio,
            passed,
            moved,
            ..
        } = &self.program;
        let moved = moved.iter().map(|(from, _)| from);
        let mut all: Vec<RawFd> = stdio.iter().chain(passed).chain(moved).copied().collect();
        all.push(more);
        all.sort_unstable();
        all
    }
}

/// Prepares the start of a job with these pipe ends as its output.
pub(super) fn prepare(
    job: &Job,
    settings: &LocalSettings,
    stdout: RawFd,
    stderr: RawFd,
) -> Result<Launch, Box<Exit>> {
    let shell = find_shell(&settings.shell)?;
    let stdin = open_stdin(&settings.stdin)?;
    let mut passed = settings.pass_fds.clone();
    passed.sort_unstable();
    passed.dedup();
    if let Some(closed) = passed.iter().find(|&&number| !is_open(number)) {
        return Err(spawn_failed(format!("descriptor {closed} is not open")));
    }

    let name = shell.file_name().unwrap_or(OsStr::new("sh")).to_owned();
    let mut arguments = vec![text(name.as_bytes())?];
    let mut script = None;
    let mut moved = None;
    if let Some(words) = &settings.arguments {
        for word in words {
            arguments.push(text(word.as_bytes())?);
        }
    } else if job.command.len() < LONGEST_ARGUMENT {
        arguments.push(text(b"-c")?);
        // A command that begins with a sign would be read as an option.
        if job.command.starts_with(['-', '+']) {
            arguments.push(text(b"--")?);
        }
        arguments.push(text(job.command.as_bytes())?);
    } else {
        let file = fd::memory_file(job.command.as_bytes()).map_err(|error| {
            spawn_failed(format!(
                "the command could not be passed on: {}",
                reason(&error)
            ))
        })?;
        let number = free_number(&passed);
        arguments.push(text(b"-c")?);
        arguments.push(text(reading_line(&name, number).as_bytes())?);
        moved = Some((file.as_raw_fd(), number));
        script = Some(file);
    }
    let environment = job
        .env
        .iter()
        .map(|(key, value)| {
            let pair = [key.as_bytes(), b"=", value.as_bytes()].concat();
            text(&pair)
        })
        .collect::<Result<_, _>>()?;

    Ok(Launch {
        program: Program {
            path: text(shell.as_os_str().as_bytes())?,
            arguments: StringArray::new(arguments),
            environment: StringArray::new(environment),
            folder: text(job.cwd.as_os_str().as_bytes())?,
            stdio: [stdin.as_raw_fd(), stdout, stderr],
            passed,
            moved,
            stack: Stack::new(),
        },
        _stdin: stdin,
        _script: script,
    })
}

/// The line that reads a command too long for one argument from a descriptor, and then is that command:
/// bash takes it byte for byte, and nothing of the reading stays behind; any other shell reads it as a
/// file (POSIX, `.`).
fn reading_line(shell: &OsStr, number: RawFd) -> String {
    if shell == "bash" {
        format!(
            "mapfile -d '' -t __command <&{number}; exec {number}<&-; \
             eval \"unset __command;${{__command[0]}}\""
        )
    } else {
        format!(". /dev/fd/{number}")
    }
}

/// A small number that nothing is passed under.
fn free_number(passed: &[RawFd]) -> RawFd {
    (3..).find(|number| !passed.contains(number)).unwrap_or(3)
}

fn text(bytes: &[u8]) -> Result<CString, Box<Exit>> {
    CString::new(bytes)
        .map_err(|_| spawn_failed("a null byte in the environment or a path".to_owned()))
}

pub(super) fn spawn_failed(detail: String) -> Box<Exit> {
    Box::new(Exit::not_started(StartReason::SpawnFailed, Some(detail)))
}

/// Finds the shell as execvp(3) would, on the PATH of this process.
fn find_shell(shell: &OsStr) -> Result<PathBuf, Box<Exit>> {
    let shown = Path::new(shell).display();
    if shell.is_empty() {
        return Err(spawn_failed("the name of the shell is empty".to_owned()));
    }
    if shell.as_bytes().contains(&b'/') {
        let path = absolute(Path::new(shell));
        return match executable(&path) {
            Ok(()) => Ok(path),
            Err(error) => Err(spawn_failed(format!("{shown}: {}", reason(&error)))),
        };
    }
    let path =
        std::env::var_os("PATH").unwrap_or_else(|| OsString::from_vec(b"/bin:/usr/bin".to_vec()));
    let mut refused = None;
    for folder in std::env::split_paths(&path) {
        let candidate = absolute(&folder.join(shell));
        match executable(&candidate) {
            Ok(()) => return Ok(candidate),
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR)) => {}
            Err(error) => refused = refused.or(Some((candidate, error))),
        }
    }
    Err(spawn_failed(match refused {
        Some((path, error)) => format!("{}: {}", path.display(), reason(&error)),
        None => format!("there is no {shown} on the PATH"),
    }))
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn executable(path: &Path) -> io::Result<()> {
    access(path, AccessFlags::X_OK)?;
    match std::fs::metadata(path)?.is_dir() {
        true => Err(io::Error::from_raw_os_error(libc::EISDIR)),
        false => Ok(()),
    }
}

/// Opens standard input. A FIFO is opened without waiting for its writer, so that nothing hangs before
/// the clock runs; one that has no writer yet is at its end.
fn open_stdin(source: &StdinSource) -> Result<OwnedFd, Box<Exit>> {
    let failed = |error: io::Error| spawn_failed(format!("standard input: {}", reason(&error)));
    let path = match source {
        StdinSource::Inherit => {
            return fd::duplicate(fd::borrow(&io::stdin())).map_err(failed);
        }
        StdinSource::Bytes(bytes) => return fd::memory_file(bytes).map_err(failed),
        StdinSource::Descriptor(number) => return fd::duplicate_number(*number).map_err(failed),
        StdinSource::Null => Path::new("/dev/null"),
        StdinSource::File(path) => path,
    };
    let open = || -> io::Result<OwnedFd> {
        // The one file that is known not to be a FIFO.
        let flags = match source {
            StdinSource::Null => 0,
            _ => libc::O_NONBLOCK,
        };
        let file = std::fs::OpenOptions::new()
            .read(true)
            .custom_flags(flags)
            .open(path)?;
        let file = fd::above_stdio(file.into())?;
        fd::set_flags(fd::borrow(&file), OFlag::O_NONBLOCK, false)?;
        Ok(file)
    };
    open().map_err(|error| {
        spawn_failed(format!(
            "standard input {}: {}",
            path.display(),
            reason(&error)
        ))
    })
}

/// What a failed start means to the caller.
pub(super) fn explain(failure: StartFailure, cwd: &Path, shell: &OsStr) -> Box<Exit> {
    let error = io::Error::from_raw_os_error(failure.errno);
    let words = reason(&error);
    match failure.step {
        Step::Folder => {
            let kind = match failure.errno {
                libc::ENOTDIR if cwd.exists() => StartReason::CwdNotADirectory,
                libc::ENOENT | libc::ENOTDIR | libc::ELOOP => StartReason::CwdNotFound,
                _ => {
                    return spawn_failed(format!(
                        "the folder {} may not be entered: {words}",
                        cwd.display()
                    ));
                }
            };
            Box::new(Exit::not_started(kind, Some(words)))
        }
        Step::Program => spawn_failed(format!("{}: {words}", Path::new(shell).display())),
        Step::Fork => spawn_failed(format!("no process could be made: {words}")),
        Step::Descriptors => spawn_failed(format!("its descriptors could not be placed: {words}")),
    }
}
