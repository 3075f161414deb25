//! How the command is run on this machine: its shell, its standard input, its descriptors, its stop.

use std::ffi::OsStr;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use bsh::runner::local::{Background, LocalSettings, StdinSource};
use bsh::{descriptor, stdio};

use crate::cli::flags::{Flags, RunFlags};
use crate::cli::usage::{UsageError, shown};

/// What the flags of the run mean.
///
/// # Errors
/// A value that means nothing, a file that cannot be read, a descriptor that is not open.
pub fn local_settings(flags: &RunFlags) -> Result<LocalSettings, UsageError> {
    let mut settings = LocalSettings {
        usage: flags.usage,
        adopt_orphans: true,
        ..LocalSettings::default()
    };
    if let Some(shell) = &flags.shell {
        if shell.is_empty() {
            return Err(UsageError::new(
                "--shell: is empty. Expected a path or a name",
            ));
        }
        settings.shell.clone_from(shell);
    }
    settings.stdin = match flags.stdin.as_deref().map(OsStr::as_bytes) {
        None | Some(b"null") => StdinSource::Null,
        Some(b"inherit") => StdinSource::Inherit,
        Some(b"") => {
            let expected = "--stdin: is empty. Expected null, inherit or a file";
            return Err(UsageError::new(expected));
        }
        Some(path) => {
            let path = Path::new(OsStr::from_bytes(path));
            let readable = nix::unistd::access(path, nix::unistd::AccessFlags::R_OK);
            if let Err(error) = readable {
                let (shown, reason) = (shown(path.as_os_str()), error.desc());
                return Err(UsageError::new(format!(
                    "--stdin: {shown} cannot be read: {reason}"
                )));
            }
            StdinSource::File(path.to_owned())
        }
    };
    if let Some(signal) = &flags.stop_signal {
        let parsed = signal.to_string_lossy().parse();
        settings.stop_signal =
            parsed.map_err(|error| UsageError::new(format!("--stop-signal: {error}")))?;
    }
    settings.background = match flags.background.as_deref().map(OsStr::as_bytes) {
        None | Some(b"keep") => Background::Keep,
        Some(b"stop") => Background::Stop,
        Some(other) => {
            return Err(UsageError::new(format!(
                "--background: {} is unknown. Expected keep or stop",
                shown(OsStr::from_bytes(other))
            )));
        }
    };
    for typed in &flags.pass_fd {
        let number = typed.to_str().and_then(|text| text.parse::<RawFd>().ok());
        let number = number.filter(|number| *number >= 3).ok_or_else(|| {
            let typed = shown(typed);
            UsageError::new(format!("--pass-fd: {typed} is no descriptor from 3 up"))
        })?;
        if !descriptor::is_open(number) {
            let sentence = format!("--pass-fd: descriptor {number} is not open");
            return Err(UsageError::new(sentence));
        }
        settings.pass_fds.push(number);
    }
    Ok(settings)
}

/// Standard input has one reader.
///
/// # Errors
/// Two were asked for, or one that would wait for an end that never comes.
pub fn check_standard_input(flags: &Flags) -> Result<(), UsageError> {
    let request = flags.request.request.as_deref() == Some(Path::new("-"));
    let inherit = flags.run.stdin.as_deref() == Some(OsStr::new("inherit"));
    match (request, inherit, flags.run.lifeline) {
        (true, true, _) => Err(UsageError::new(
            "--request - and --stdin inherit cannot be used together: both read standard input",
        )),
        (true, _, true) => Err(UsageError::new(
            "--request - and --lifeline cannot be used together: both read standard input",
        )),
        (_, true, true) => Err(UsageError::new(
            "--stdin inherit and --lifeline cannot be used together: both read standard input",
        )),
        (_, _, true) if !is_a_lifeline() => Err(UsageError::new(
            "--lifeline: standard input is not a pipe, a socket or a terminal",
        )),
        _ => Ok(()),
    }
}

fn is_a_lifeline() -> bool {
    use std::io::IsTerminal as _;
    let stdin = std::io::stdin();
    stdin.is_terminal() || stdio::has_another_end(&stdin)
}

/// Descriptors that the command names, as `<(…)` of the calling shell does, and that are open.
pub fn add_named_fds(command: &str, pass_fds: &mut Vec<RawFd>) {
    for folder in ["/dev/fd/", "/proc/self/fd/"] {
        for (start, _) in command.match_indices(folder) {
            let digits: String = command[start + folder.len()..]
                .chars()
                .take_while(char::is_ascii_digit)
                .collect();
            if let Ok(number) = digits.parse::<RawFd>()
                && number >= 3
                && !pass_fds.contains(&number)
                && descriptor::is_open(number)
            {
                pass_fds.push(number);
            }
        }
    }
}
