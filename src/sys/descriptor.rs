//! What can be said of a descriptor by its number.

use std::os::fd::RawFd;

/// Whether this number is an open descriptor of this process.
pub fn is_open(number: RawFd) -> bool {
    // SAFETY: F_GETFD only looks a number up, whatever it stands for.
    unsafe { libc::fcntl(number, libc::F_GETFD) != -1 }
}
