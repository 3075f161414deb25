//! A descriptor that wakes a task.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Something happening at a descriptor, as an event loop sees it (epoll(7), edge-triggered).
#[derive(Debug)]
pub struct Watched {
    descriptor: AsyncFd<OwnedFd>,
    interest: Interest,
}

impl Watched {
    /// Watches for something to read.
    ///
    /// # Errors
    /// The descriptor is one that cannot be waited for, such as a file.
    pub fn for_reading(file: impl AsFd) -> io::Result<Self> {
        Self::new(file, Interest::READABLE)
    }

    /// Watches for room to write, or for the other end going away.
    ///
    /// # Errors
    /// As [`Watched::for_reading`].
    pub fn for_writing(file: impl AsFd) -> io::Result<Self> {
        Self::new(file, Interest::WRITABLE)
    }

    fn new(file: impl AsFd, interest: Interest) -> io::Result<Self> {
        let copy = file.as_fd().try_clone_to_owned()?;
        // SAFETY: the copy is owned here, and stays the same open descriptor until it is dropped.
        let descriptor =
            unsafe { AsyncFd::register_with_interest(copy, interest) }.map_err(io::Error::from)?;
        Ok(Self {
            descriptor,
            interest,
        })
    }

    /// Returns when something happened since the last time this returned.
    ///
    /// # Errors
    /// The event loop is gone.
    pub async fn changed(&self) -> io::Result<()> {
        self.descriptor.ready(self.interest).await?.clear_ready();
        Ok(())
    }
}
