//! Processes that cannot be mistaken for later ones with the same pid.

use std::ffi::{c_int, c_void};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};

use crate::sys::fd;

/// A process that cannot be mistaken for a later one with the same pid (pidfd_open(2)).
#[derive(Debug)]
pub(crate) struct Pinned(OwnedFd);

impl Pinned {
    /// Pins the process that has this pid now.
    pub(crate) fn open(pid: i32) -> io::Result<Self> {
        // SAFETY: takes numbers; the descriptor is new, and closed on exec.
        let raw = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
        let raw = fd::check(raw as c_int)?;
        Ok(Self(fd::own(raw)))
    }

    /// Sends a signal to this very process. Signal 0 only asks whether it is there
    /// (pidfd_send_signal(2)).
    ///
    /// # Errors
    /// ESRCH when it was reaped, EPERM when it may not be signalled.
    pub(crate) fn signal(&self, number: i32) -> io::Result<()> {
        send(self.0.as_raw_fd(), number)
    }

    /// Its number, which stays its own as long as this lives.
    pub(crate) fn as_raw(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// Gives up ownership to a list of numbers; [`close_pin`] ends it.
    pub(crate) fn into_raw(self) -> RawFd {
        fd::forget(self.0)
    }

    /// Becomes readable when the process has ended.
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        fd::borrow(&self.0)
    }
}

/// Whether a process whose pin was put in a list is still there.
pub(crate) fn pin_is_alive(pin: RawFd) -> bool {
    // EPERM means that it is there and another user's.
    !matches!(send(pin, 0), Err(error) if error.raw_os_error() == Some(libc::ESRCH))
}

/// Closes a pin that was put in a list.
pub(crate) fn close_pin(pin: RawFd) {
    drop(fd::own(pin));
}

fn send(pin: RawFd, number: i32) -> io::Result<()> {
    // SAFETY: takes numbers; no siginfo is passed, so the kernel fills in kill's.
    let result = unsafe {
        libc::syscall(
            libc::SYS_pidfd_send_signal,
            pin,
            number,
            std::ptr::null::<c_void>(),
            0,
        )
    };
    fd::check(result as c_int).map(|_| ())
}
