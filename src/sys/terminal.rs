//! The terminal of the binary: whether there is one, how wide it is, whether we may draw on it.

use std::io::{self, IsTerminal as _};
use std::os::fd::AsFd as _;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::stat::fstat;
use nix::unistd::{getpgrp, tcgetpgrp, write};

/// Whether standard error is a terminal.
pub fn is_stderr_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Whether the terminal cannot erase or colour (term(7)).
pub fn is_dumb() -> bool {
    std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb")
}

/// Whether standard output is a terminal.
pub fn is_stdout_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether standard output and standard error are the same terminal: the same device and inode.
pub fn are_both_one_terminal() -> bool {
    let (stdout, stderr) = (io::stdout(), io::stderr());
    let same = match (fstat(&stdout), fstat(&stderr)) {
        (Ok(one), Ok(other)) => {
            (one.st_dev, one.st_ino, one.st_rdev) == (other.st_dev, other.st_ino, other.st_rdev)
        }
        _ => false,
    };
    same && stdout.is_terminal() && stderr.is_terminal()
}

/// Whether this process is in the foreground of the terminal on standard error, so that a line drawn
/// there gets in nobody's way. True where that cannot be told.
pub fn is_foreground() -> bool {
    tcgetpgrp(io::stderr()).map_or(true, |group| group == getpgrp())
}

/// The columns of the terminal on standard error (ioctl_tty(2), TIOCGWINSZ).
pub fn stderr_width() -> Option<u16> {
    // SAFETY: plain numbers, for which zero is valid; the kernel writes one such record.
    let size = unsafe {
        let mut size: libc::winsize = std::mem::zeroed();
        match libc::ioctl(libc::STDERR_FILENO, libc::TIOCGWINSZ, &mut size) {
            0 => size,
            _ => return None,
        }
    };
    (size.ws_col > 0).then_some(size.ws_col)
}

/// Writes all of it to standard error, without the lock of `std::io::stderr`. Waits where another
/// process has made the descriptor one that does not wait.
///
/// # Errors
/// The system's, but EINTR and EAGAIN.
pub fn write_to_stderr(mut bytes: &[u8]) -> io::Result<()> {
    let stderr = io::stderr();
    while !bytes.is_empty() {
        match write(&stderr, bytes) {
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(Errno::EINTR) => {}
            Err(Errno::EAGAIN) => {
                let mut places = [PollFd::new(stderr.as_fd(), PollFlags::POLLOUT)];
                // An error shows at the next write.
                let _ = poll(&mut places, PollTimeout::NONE);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
