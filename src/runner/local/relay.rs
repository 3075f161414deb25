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
    /// Packets that it holds.
    slots: usize,
}

impl Relay {
    pub(super) fn open(page: usize) -> io::Result<Self> {
        let (read, write) = fd::pipe(OFlag::O_NONBLOCK)?;
        let slots = fd::pipe_capacity(fd::borrow(&read))? / page;
        Ok(Self { read, write, slots })
    }

    /// Whether it holds so many packets, or could be made to.
    pub(super) fn has_room_for(&mut self, slots: usize, page: usize) -> bool {
        if slots > self.slots
            && fd::set_pipe_capacity(fd::borrow(&self.write), slots * page).is_ok()
        {
            self.slots = slots;
        }
        slots <= self.slots
    }

    pub(super) fn capacity(&self, page: usize) -> usize {
        self.slots * page
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
