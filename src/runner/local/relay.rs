//! A pipe of our own through which packets are taken out of another, all at one instant.
//!
//! Packets that are read one by one free one place each, and a writer that waited goes on between two of
//! them: then nobody can say how many there were at the time of its signal.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use nix::fcntl::OFlag;

use crate::sys::fd;

pub(super) struct Relay {
    read: OwnedFd,
    write: OwnedFd,
    /// Bytes that it holds, a page for each packet.
    capacity: usize,
}

impl Relay {
    pub(super) fn open() -> io::Result<Self> {
        let (read, write) = fd::pipe(OFlag::O_NONBLOCK)?;
        let capacity = fd::pipe_capacity(fd::borrow(&read))?;
        Ok(Self {
            read,
            write,
            capacity,
        })
    }

    /// Whether it holds so many bytes, or could be made to.
    pub(super) fn has_room_for(&mut self, bytes: usize) -> bool {
        if bytes > self.capacity && fd::set_pipe_capacity(fd::borrow(&self.write), bytes).is_ok() {
            self.capacity = bytes;
        }
        bytes <= self.capacity
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Takes all that is in a pipe. Returns the bytes; zero is its end.
    pub(super) fn take(&self, from: BorrowedFd) -> io::Result<usize> {
        fd::splice(from, fd::borrow(&self.write))
    }

    /// Appends one packet of what was taken. A read without room for it would lose its rest.
    pub(super) fn packet(&self, room: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
        fd::read_into(fd::borrow(&self.read), room, limit)
    }
}
