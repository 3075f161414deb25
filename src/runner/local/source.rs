//! One output pipe, and the ways in which it is read.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use nix::fcntl::OFlag;

use crate::runner::Stream;
use crate::runner::local::batch::{Batch, PIPE_BYTES};
use crate::runner::local::relay::Relay;
use crate::sys::fd;

/// How a stream is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Packet by packet, in order with the other stream.
    Ordered,
    /// As it becomes readable, as much as there is; back to ordered when it pauses.
    Bulk,
    /// As it becomes readable, for good: there are no packets or signals.
    Plain,
}

pub(super) struct Source {
    pub(super) stream: Stream,
    /// None at its end.
    pub(super) pipe: Option<OwnedFd>,
    /// A second descriptor of the write end, through which packet mode is switched. Closed when the
    /// shell has ended, so that the end of the pipe can be seen.
    pub(super) writer: Option<OwnedFd>,
    pub(super) mode: Mode,
    /// Full packets in a row.
    pub(super) full_packets: u32,
    /// Where all that a pipe holds is read to.
    whole: Vec<u8>,
}

/// What one attempt to read found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Bytes(usize),
    Nothing,
    End,
}

impl Source {
    /// The read end of a pipe with this write end.
    pub(super) fn new(stream: Stream, pipe: OwnedFd, write_end: &OwnedFd) -> io::Result<Self> {
        fd::set_flags(fd::borrow(&pipe), OFlag::O_NONBLOCK, true)?;
        Ok(Self {
            stream,
            pipe: Some(pipe),
            writer: Some(fd::duplicate(fd::borrow(write_end))?),
            mode: Mode::Plain,
            full_packets: 0,
            whole: Vec::new(),
        })
    }

    /// Switches packets and signals on or off.
    pub(super) fn order(&self, on: bool) -> io::Result<()> {
        if let (Some(pipe), Some(writer)) = (&self.pipe, &self.writer) {
            fd::set_flags(fd::borrow(writer), OFlag::O_DIRECT, on)?;
            fd::set_flags(fd::borrow(pipe), OFlag::O_ASYNC, on)?;
        }
        Ok(())
    }

    /// There is more to come, which is read in order.
    pub(super) fn is_ordered(&self) -> bool {
        self.mode == Mode::Ordered && self.pipe.is_some()
    }

    pub(super) fn has_bytes(&self) -> bool {
        self.pipe
            .as_ref()
            .is_some_and(|pipe| fd::readable_bytes(fd::borrow(pipe)) > 0)
    }

    /// Bytes that the pipe holds, a page for each packet.
    pub(super) fn capacity(&self) -> usize {
        let capacity = |pipe: &OwnedFd| fd::pipe_capacity(fd::borrow(pipe)).unwrap_or(0);
        self.pipe.as_ref().map_or(0, capacity)
    }

    pub(super) fn identity(&self) -> io::Result<(u64, u64)> {
        self.pipe
            .as_ref()
            .map_or(Ok((0, 0)), |pipe| fd::identity(fd::borrow(pipe)))
    }

    /// Reads one packet. There is room for all that the pipe holds (`capacity`): what was written to it through `/dev/stdout`
    /// is no packet and comes together with the next one, of which a read without room would lose the rest.
    pub(super) fn read_packet(&mut self, room: &mut Vec<u8>, capacity: usize) -> Found {
        let Some(pipe) = &self.pipe else {
            return Found::End;
        };
        let result = fd::read_into(fd::borrow(pipe), room, capacity.max(PIPE_BYTES));
        self.found(result)
    }

    /// Takes all packets at one instant, which are to be read from the relay. None where the kernel cannot.
    pub(super) fn take(&mut self, relay: &Relay) -> Option<Found> {
        let Some(pipe) = &self.pipe else {
            return Some(Found::End);
        };
        let result = relay.take(fd::borrow(pipe));
        match &result {
            Err(error) if !is_passing(error) => None,
            _ => Some(self.found(result)),
        }
    }

    /// Whether a packet is the rest of a write that the one before was the front of.
    pub(super) fn continues(&mut self, count: usize, page: usize) -> bool {
        let continues = self.full_packets > 0;
        self.full_packets = if count >= page {
            self.full_packets + 1
        } else {
            0
        };
        continues
    }

    /// Reads as much as there is room for, and says whether more may be there.
    pub(super) fn read(&mut self, batch: &mut Batch) -> (Found, bool) {
        if self.mode != Mode::Bulk {
            return (self.read_whole(batch), false);
        }
        let Some(pipe) = &self.pipe else {
            return (Found::End, false);
        };
        let result = batch.read(self.stream, fd::borrow(pipe));
        let is_more = matches!(result, Ok((count, room)) if count == room);
        (self.found(result.map(|(count, _)| count)), is_more)
    }

    /// Reads with room for all that the pipe holds, since there may be packets behind what is none.
    fn read_whole(&mut self, batch: &mut Batch) -> Found {
        let mut whole = std::mem::take(&mut self.whole);
        let found = self.read_packet(&mut whole, self.capacity());
        for piece in whole.chunks(PIPE_BYTES) {
            batch.push(self.stream, piece);
        }
        whole.clear();
        self.whole = whole;
        found
    }

    fn found(&mut self, result: io::Result<usize>) -> Found {
        match result {
            Ok(count) if count > 0 => Found::Bytes(count),
            Err(error) if is_passing(&error) => Found::Nothing,
            // No error but these two is known for a pipe; whatever it is, nothing more can be read.
            Ok(_) | Err(_) => {
                self.pipe = None;
                Found::End
            }
        }
    }

    /// Reads in order again, and what came before signals were on, which has none. Returns its bytes.
    pub(super) fn end_bulk(&mut self, batch: &mut Batch) -> usize {
        if self.mode != Mode::Bulk || self.order(true).is_err() {
            return 0;
        }
        self.mode = Mode::Ordered;
        self.full_packets = 0;
        match self.has_bytes().then(|| self.read_whole(batch)) {
            Some(Found::Bytes(count)) => count,
            _ => 0,
        }
    }
}

/// Nothing is wrong: there is nothing to read now, or a signal came.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EINTR))
}

/// The number of a descriptor; -1 for none.
pub(super) fn raw(fd: &Option<OwnedFd>) -> RawFd {
    fd.as_ref().map_or(-1, AsRawFd::as_raw_fd)
}
