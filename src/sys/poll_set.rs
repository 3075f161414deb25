//! Several descriptors as one that is readable when any of them is.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, RawFd};

use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags};

/// A set of descriptors (epoll(7), level-triggered), itself a descriptor that can be waited for.
pub(crate) struct PollSet(Epoll);

impl PollSet {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?))
    }

    /// Adds an open descriptor, to be waited for until it is closed.
    pub(crate) fn add(&self, fd: RawFd) -> io::Result<()> {
        // SAFETY: the caller's descriptor is open, and only borrowed for this call.
        let fd = unsafe { BorrowedFd::borrow_raw(fd) };
        self.0.add(fd, EpollEvent::new(EpollFlags::EPOLLIN, 0))?;
        Ok(())
    }

    /// Takes a descriptor out; what was closed is out by itself.
    pub(crate) fn remove(&self, fd: RawFd) {
        // SAFETY: the number is looked up, and one that is not in the set is refused.
        let fd = unsafe { BorrowedFd::borrow_raw(fd) };
        let _ = self.0.delete(fd);
    }
}

impl AsFd for PollSet {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.0.as_fd()
    }
}
