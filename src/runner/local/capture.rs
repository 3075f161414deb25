//! Reading both output pipes, in the order in which they were written.
//!
//! Two pipes that are read as they become readable do not tell which write came first. So both pipes
//! are in packet mode (pipe(2), O_DIRECT), which keeps the borders of writes, and the kernel queues a
//! real-time signal for every write (fcntl(2), O_ASYNC with F_SETSIG), in order and with the
//! descriptor. [`Sequence`] puts packets and signals together.
//!
//! A stream that delivers full packets is read in bulk, without packets and signals, until it pauses.
//! When the queue of signals overflows (RLIMIT_SIGPENDING) the kernel sends SIGIO, and the order is taken
//! as it stands. Where the kernel has no such pipes, both are read as they become readable. No byte is
//! lost or left waiting by any of this: pipes are always watched for readability too.

use std::io;
use std::os::fd::{OwnedFd, RawFd};
use std::time::Duration;

use nix::fcntl::OFlag;

use crate::runner::Stream;
use crate::runner::local::batch::Batch;
use crate::runner::local::relay::Relay;
use crate::runner::local::sequence::Sequence;
use crate::runner::local::source::{Found, Mode, Source, raw};
use crate::sys::{fd, signal};

/// Full packets in a row after which a stream is read in bulk: a pipe full of them.
const BULK_AFTER: u32 = 16;
/// Signals that are read at once.
const SIGNALS_AT_ONCE: usize = 64;
/// How long signals are waited for that are about to be sent.
const SIGNAL_DELAY: Duration = Duration::from_millis(5);

/// Both output pipes of a command.
pub(super) struct Capture {
    pub(super) sources: [Source; 2],
    /// Readable when a write was signalled. None where there are no such signals.
    signals: Option<OwnedFd>,
    pub(super) sequence: Sequence,
    /// Made when several packets wait in a pipe.
    pub(super) relay: Option<Relay>,
    /// Where signals are read to.
    room: Vec<signal::Raw>,
    pub(super) page: usize,
}

/// The ends that a command writes to.
pub(super) struct WriteEnds {
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

impl Capture {
    /// Makes both pipes.
    pub(super) fn open() -> io::Result<(Self, WriteEnds)> {
        let (stdout_read, stdout) = fd::pipe(OFlag::empty())?;
        let (stderr_read, stderr) = fd::pipe(OFlag::empty())?;
        let sources = [
            Source::new(Stream::Stdout, stdout_read, &stdout)?,
            Source::new(Stream::Stderr, stderr_read, &stderr)?,
        ];
        let capture = Self {
            sources,
            signals: None,
            sequence: Sequence::new(),
            relay: None,
            room: vec![signal::Raw::empty(); SIGNALS_AT_ONCE],
            page: fd::page_size(),
        };
        Ok((capture, WriteEnds { stdout, stderr }))
    }

    /// Has the order of writes signalled from now on to the calling thread, which has these signals blocked
    /// and is the one that reads; another thread may have done so before. Where that cannot be had, the
    /// pipes are read as they become readable.
    pub(super) fn begin(&mut self, batch: &mut Batch) {
        self.sequence.give_up(batch);
        self.sequence = Sequence::new();
        self.signals = signal::descriptor([signal::notification(), libc::SIGIO]).ok();
        if self.signals.is_none() {
            return;
        }
        for source in &mut self.sources {
            let Some(pipe) = &source.pipe else { continue };
            if fd::notify_this_thread(fd::borrow(pipe), signal::notification()).is_ok()
                && source.order(true).is_ok()
            {
                source.mode = Mode::Ordered;
            }
        }
    }

    /// Device and inode of both pipes.
    pub(super) fn identities(&self) -> io::Result<[(u64, u64); 2]> {
        let [stdout, stderr] = &self.sources;
        Ok([stdout.identity()?, stderr.identity()?])
    }

    /// The descriptors to wait for: signals, stdout, stderr; -1 for what is not there.
    pub(super) fn waited_for(&self) -> [RawFd; 3] {
        let [stdout, stderr] = &self.sources;
        [raw(&self.signals), raw(&stdout.pipe), raw(&stderr.pipe)]
    }

    /// The same without pipes that are read in bulk.
    #[cfg(feature = "cli")]
    pub(super) fn waited_for_beside_bulk(&self) -> [RawFd; 3] {
        let pipe = |source: &Source| match source.mode {
            Mode::Bulk => -1,
            Mode::Ordered | Mode::Plain => raw(&source.pipe),
        };
        let [stdout, stderr] = &self.sources;
        [raw(&self.signals), pipe(stdout), pipe(stderr)]
    }

    /// Both pipes are at their end.
    pub(super) fn is_at_end(&self) -> bool {
        self.sources.iter().all(|source| source.pipe.is_none())
    }

    /// A stream is read in bulk, so more is likely to come at once.
    pub(super) fn is_in_bulk(&self) -> bool {
        self.sources
            .iter()
            .any(|source| source.pipe.is_some() && source.mode == Mode::Bulk)
    }

    /// Bytes that are in the pipes now.
    pub(super) fn waiting_bytes(&self) -> usize {
        let pipes = self
            .sources
            .iter()
            .filter_map(|source| source.pipe.as_ref());
        pipes.map(|pipe| fd::readable_bytes(fd::borrow(pipe))).sum()
    }

    /// The shell has ended: from now on the end of a pipe is to be seen.
    pub(super) fn release_writers(&mut self) {
        for source in &mut self.sources {
            source.writer = None;
            if source.mode == Mode::Bulk {
                source.mode = Mode::Plain;
            }
        }
    }

    /// Nothing came for a while: what was in bulk is read in order again.
    pub(super) fn end_bulk(&mut self, batch: &mut Batch) {
        for source in &mut self.sources {
            source.end_bulk(batch);
        }
    }

    /// Reads what there is, in order, until nothing is left or the batch is full. Returns the bytes read.
    pub(super) fn read(&mut self, batch: &mut Batch) -> usize {
        let mut total = 0;
        while !batch.is_full() {
            let ordered = match self.is_in_bulk() && self.is_other_quiet() {
                true => 0,
                false => self.read_ordered(batch),
            };
            let bulk = self.read_bulk(batch);
            total += ordered + bulk;
            // What is in bulk is empty now, or will say so.
            if ordered == 0 {
                break;
            }
        }
        total
    }

    /// Beside a stream in bulk nothing has come: no signal, and nothing to the stream that is in order.
    fn is_other_quiet(&self) -> bool {
        let ordered = self.sources.iter().find(|source| source.is_ordered());
        let pipe = ordered.map_or(-1, |source| raw(&source.pipe));
        let mut places = [fd::waiting(raw(&self.signals)), fd::waiting(pipe)];
        fd::wait(&mut places, Some(Duration::ZERO));
        self.sequence.is_empty() && places.iter().all(|place| place.revents == 0)
    }

    /// Reads the packets that are there, and passes on what is in order. Returns the bytes read.
    fn read_ordered(&mut self, batch: &mut Batch) -> usize {
        if self.sequence.is_empty() && !self.sources.iter().any(Source::is_ordered) {
            return 0;
        }
        let mut waited = false;
        loop {
            let count = self.read_packets(0, batch) + self.read_packets(1, batch);
            if count > 0 {
                self.sequence.pass_on(batch);
                self.begin_bulk(batch);
                return count;
            }
            // Both pipes are empty. Signals that have come since are of what was read before, or of
            // what came meanwhile: then there is more to read.
            self.fetch_signals(batch);
            if self.is_more_expected() {
                continue;
            }
            if !waited && self.sequence.is_waiting_for_signals() {
                waited = true;
                if self.wait_for_signal() {
                    continue;
                }
            }
            self.sequence.settle(batch);
            return 0;
        }
    }

    fn begin_bulk(&mut self, batch: &mut Batch) {
        for source in &mut self.sources {
            if source.mode == Mode::Ordered
                && source.full_packets >= BULK_AFTER
                && source.writer.is_some()
                && source.order(false).is_ok()
            {
                source.mode = Mode::Bulk;
                self.sequence.give_up(batch);
            }
        }
    }

    /// Reads what is in bulk, until nothing is left or the batch is full. Returns the bytes read.
    pub(super) fn read_bulk(&mut self, batch: &mut Batch) -> usize {
        let mut total = 0;
        for source in &mut self.sources {
            while source.mode != Mode::Ordered && !batch.is_full() {
                let (found, is_more) = source.read(batch);
                let Found::Bytes(count) = found else {
                    break;
                };
                total += count;
                if count < self.page {
                    total += source.end_bulk(batch);
                    break;
                }
                if !is_more {
                    break;
                }
            }
        }
        total
    }

    /// Waits a little for signals that are about to be sent; true when one came.
    fn wait_for_signal(&self) -> bool {
        fd::is_ready_within(raw(&self.signals), SIGNAL_DELAY)
    }

    /// Something was written that was not read yet.
    fn is_more_expected(&self) -> bool {
        let mut sources = self.sources.iter().enumerate();
        sources.any(|(index, source)| source.is_ordered() && self.sequence.expected(index) > 0)
    }

    /// Takes the signals that have come.
    pub(super) fn fetch_signals(&mut self, batch: &mut Batch) {
        let Some(signals) = &self.signals else {
            return;
        };
        loop {
            let (mut overflow, mut count) = (false, 0);
            for arrived in signal::arrived(fd::borrow(signals), &mut self.room) {
                count += 1;
                if arrived.number == libc::SIGIO {
                    overflow = true;
                    continue;
                }
                let is_of =
                    |source: &Source| source.is_ordered() && raw(&source.pipe) == arrived.fd;
                if let Some(index) = self.sources.iter().position(is_of) {
                    self.sequence.signalled(index);
                }
            }
            if overflow {
                self.sequence.give_up(batch);
            }
            if count < SIGNALS_AT_ONCE {
                return;
            }
        }
    }
}
