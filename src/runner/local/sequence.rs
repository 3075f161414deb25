//! Puts the writes of two streams in order, by the signals that the kernel queued for them.
//!
//! Nearly always there is one signal for one write, and the order is theirs. What can differ:
//! - A writer that waits for a full pipe sends one signal more. A pipe holds sixteen packets, so how many
//!   are unread is counted along the queue, which also has a signal for each read (of the other end of
//!   the pipe): one that comes when the pipe is full is for no write.
//! - A write can be seen before its signal is there. Alone in its pipe while the other is empty, it is
//!   the oldest, and its signal is passed over when it comes.
//! - A write of a page or more is several packets and one signal. Then the count is off, and signals
//!   may be surplus, until both pipes are empty.
//!
//! Nothing here talks to the kernel.

use std::collections::VecDeque;
use std::time::Duration;

use crate::runner::Stream;
use crate::runner::local::batch::Batch;
use crate::sys::clock::Moment;

/// Packets that a pipe holds by default (pipe(7): 65536 bytes in pages of 4096).
const SLOTS: i64 = 16;
/// A writer sends its signal right after its bytes; on a busy machine it may have to wait for its turn.
/// One that is later than this will not come.
const OVERDUE: Duration = Duration::from_millis(100);

/// What a signal in the queue tells, and of which lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// Something was written, or a writer waits for a full pipe.
    Write(usize),
    /// Something was read.
    Read(usize),
}

/// The writes and signals of both streams that are not passed on yet.
pub(super) struct Sequence {
    lanes: [Lane; 2],
    /// The lanes that were written to, oldest first.
    order: VecDeque<usize>,
}

struct Lane {
    stream: Stream,
    bytes: Vec<u8>,
    /// Bytes at the front that were passed on already.
    passed: usize,
    /// Lengths of the writes in `bytes`.
    writes: VecDeque<usize>,
    /// Nothing was left in the pipe when it was read last.
    is_drained: bool,
    /// Packets in the pipe, as the queue of signals tells it so far. Below zero for packets that were
    /// read before their signal came.
    unread: i64,
    /// Reads whose signal is still to come, and whether they gave a packet.
    reads: VecDeque<bool>,
    /// Reads are signalled.
    reads_are_signalled: bool,
    /// Writes that were passed on before their signal, and when the last one was.
    early: u32,
    early_since: Moment,
}

impl Sequence {
    pub(super) fn new() -> Self {
        let lane = |stream| Lane {
            stream,
            bytes: Vec::new(),
            passed: 0,
            writes: VecDeque::new(),
            is_drained: true,
            unread: 0,
            reads: VecDeque::new(),
            reads_are_signalled: false,
            early: 0,
            early_since: Moment::default(),
        };
        Self {
            lanes: [lane(Stream::Stdout), lane(Stream::Stderr)],
            order: VecDeque::new(),
        }
    }

    /// From now on each read of a lane is signalled.
    pub(super) fn expect_read_signals(&mut self, index: usize) {
        if let Some(lane) = self.lanes.get_mut(index) {
            lane.reads_are_signalled = true;
        }
    }

    /// Takes the next signal of the queue. What was written is in its pipe, or was read.
    pub(super) fn signalled(&mut self, signal: Signal) {
        match signal {
            Signal::Read(index) => {
                if let Some(lane) = self.lanes.get_mut(index)
                    && lane.reads.pop_front() == Some(true)
                {
                    lane.unread -= 1;
                }
            }
            Signal::Write(index) => {
                let Some(lane) = self.lanes.get_mut(index) else {
                    return;
                };
                if lane.unread >= SLOTS {
                    return;
                }
                lane.unread += 1;
                lane.is_drained = false;
                if !lane.was_early() {
                    self.order.push_back(index);
                }
            }
        }
    }

    /// Where the next packet of a lane is to be read to; [`Sequence::packet`] tells what came.
    pub(super) fn room(&mut self, index: usize) -> Option<&mut Vec<u8>> {
        self.lanes.get_mut(index).map(|lane| &mut lane.bytes)
    }

    /// A packet was read. One that continues a longer write is joined with it.
    pub(super) fn packet(&mut self, index: usize, length: usize, continues: bool) {
        let Some(lane) = self.lanes.get_mut(index) else {
            return;
        };
        lane.was_read(true);
        match lane.writes.back_mut() {
            Some(last) if continues => *last += length,
            _ => lane.writes.push_back(length),
        }
    }

    /// A read found an empty pipe.
    pub(super) fn drained(&mut self, index: usize) {
        if let Some(lane) = self.lanes.get_mut(index) {
            lane.was_read(false);
            lane.is_drained = true;
        }
    }

    /// Whether all was passed on.
    pub(super) fn is_empty(&self) -> bool {
        self.lanes.iter().all(|lane| lane.writes.is_empty())
    }

    /// Both streams have writes whose signals have not come, so that their order is not known.
    pub(super) fn is_waiting_for_signals(&self) -> bool {
        self.order.is_empty() && self.lanes.iter().all(|lane| !lane.writes.is_empty())
    }

    /// Passes on what is in order.
    pub(super) fn pass_on(&mut self, batch: &mut Batch) {
        while let Some(lane) = self
            .order
            .front()
            .and_then(|&index| self.lanes.get_mut(index))
        {
            // A signal without a write, of a pipe that was empty after it, is surplus.
            if !lane.pass_on(batch) && !lane.is_drained {
                return;
            }
            self.order.pop_front();
        }
    }

    /// Both pipes are empty and no signal has come after that: passes everything on. Call it when
    /// [`Sequence::is_waiting_for_signals`] is false, or when waiting has been in vain.
    pub(super) fn settle(&mut self, batch: &mut Batch) {
        self.pass_on(batch);
        self.order.clear();
        for lane in &mut self.lanes {
            while lane.pass_on(batch) {
                lane.early += 1;
                lane.early_since = Moment::now();
            }
            lane.unread = -i64::from(lane.early);
            // The signal of a read is there when the read returns, unless this kernel sends none.
            lane.reads_are_signalled &= lane.reads.is_empty();
            lane.reads.clear();
        }
    }

    /// Passes everything on as it stands, and expects no signal of it any more: some were lost, or will
    /// not come.
    pub(super) fn give_up(&mut self, batch: &mut Batch) {
        self.pass_on(batch);
        self.order.clear();
        for lane in &mut self.lanes {
            while lane.pass_on(batch) {}
            lane.early = 0;
            lane.unread = 0;
            lane.reads.clear();
            lane.reads_are_signalled = false;
        }
    }
}

impl Lane {
    /// Passes one write on, if there is one.
    fn pass_on(&mut self, batch: &mut Batch) -> bool {
        let Some(length) = self.writes.pop_front() else {
            return false;
        };
        let end = self.passed + length;
        batch.push(
            self.stream,
            self.bytes.get(self.passed..end).unwrap_or_default(),
        );
        self.passed = end;
        if self.writes.is_empty() {
            self.bytes.clear();
            self.passed = 0;
        }
        true
    }

    fn was_read(&mut self, packet: bool) {
        if self.reads_are_signalled {
            self.reads.push_back(packet);
        } else if packet {
            self.unread -= 1;
        }
    }

    /// A signal has come: is it that of a write which was passed on already?
    fn was_early(&mut self) -> bool {
        if self.early > 0 && Moment::now().since(self.early_since) > OVERDUE {
            self.early = 0;
        }
        match self.early.checked_sub(1) {
            Some(rest) => {
                self.early = rest;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signals by letter: `o` and `e` are writes to stdout and stderr, `O` and `E` reads of them.
    fn signal(sequence: &mut Sequence, letters: &str) {
        for letter in letters.chars() {
            sequence.signalled(match letter {
                'o' => Signal::Write(0),
                'e' => Signal::Write(1),
                'O' => Signal::Read(0),
                _ => Signal::Read(1),
            });
        }
    }

    fn write(sequence: &mut Sequence, lane: usize, text: &str) {
        sequence
            .room(lane)
            .expect("there are two lanes")
            .extend_from_slice(text.as_bytes());
        sequence.packet(lane, text.len(), false);
    }

    fn text(batch: &mut Batch) -> String {
        let bytes: Vec<u8> = batch
            .take()
            .into_iter()
            .flat_map(|chunk| chunk.bytes)
            .collect();
        String::from_utf8(bytes).expect("the test writes text")
    }

    #[test]
    fn signals_give_the_order() {
        let (mut sequence, mut batch) = (Sequence::new(), Batch::default());
        signal(&mut sequence, "oeeo");
        write(&mut sequence, 0, "1");
        write(&mut sequence, 0, "4");
        write(&mut sequence, 1, "2");
        write(&mut sequence, 1, "3");
        sequence.pass_on(&mut batch);
        assert_eq!(text(&mut batch), "1234");
        assert!(sequence.is_empty());
    }

    #[test]
    fn a_write_before_its_signal_is_not_counted_twice() {
        let (mut sequence, mut batch) = (Sequence::new(), Batch::default());
        write(&mut sequence, 1, "1");
        assert!(!sequence.is_waiting_for_signals());
        sequence.settle(&mut batch);
        assert_eq!(text(&mut batch), "1");
        // Its own signal comes late, and with it those of two more writes.
        signal(&mut sequence, "eoe");
        write(&mut sequence, 0, "2");
        write(&mut sequence, 1, "3");
        sequence.pass_on(&mut batch);
        assert_eq!(text(&mut batch), "23");
    }

    #[test]
    fn a_waiting_writer_does_not_move_its_stream_ahead() {
        let (mut sequence, mut batch) = (Sequence::new(), Batch::default());
        sequence.expect_read_signals(0);
        sequence.expect_read_signals(1);
        // The seventeenth write to stdout finds the pipe full: a signal more. Then one packet is read,
        // and the writer goes on; the reader sees all of this late.
        signal(&mut sequence, &"oe".repeat(16));
        write(&mut sequence, 0, "o0 ");
        signal(&mut sequence, "oOo");
        let mut expected = "o0 e0 ".to_owned();
        write(&mut sequence, 1, "e0 ");
        for number in 1..17 {
            write(&mut sequence, 0, &format!("o{number} "));
            write(&mut sequence, 1, &format!("e{number} "));
            expected.push_str(&format!("o{number} e{number} "));
        }
        signal(&mut sequence, &"O".repeat(16));
        signal(&mut sequence, &"E".repeat(17));
        signal(&mut sequence, "e");
        sequence.pass_on(&mut batch);
        sequence.settle(&mut batch);
        assert_eq!(text(&mut batch), expected);
    }

    #[test]
    fn lost_signals_lose_no_bytes() {
        let (mut sequence, mut batch) = (Sequence::new(), Batch::default());
        write(&mut sequence, 0, "a");
        write(&mut sequence, 0, "b");
        write(&mut sequence, 1, "c");
        assert!(sequence.is_waiting_for_signals());
        sequence.give_up(&mut batch);
        assert_eq!(text(&mut batch), "abc");
        assert!(sequence.is_empty());
    }

    #[test]
    fn packets_of_one_write_stay_together() {
        let (mut sequence, mut batch) = (Sequence::new(), Batch::default());
        signal(&mut sequence, "oe");
        write(&mut sequence, 0, "long ");
        sequence
            .room(0)
            .expect("there are two lanes")
            .extend_from_slice(b"write ");
        sequence.packet(0, 6, true);
        write(&mut sequence, 1, "then");
        sequence.pass_on(&mut batch);
        assert_eq!(text(&mut batch), "long write then");
    }

    #[test]
    fn a_surplus_signal_holds_nothing_up() {
        let (mut sequence, mut batch) = (Sequence::new(), Batch::default());
        signal(&mut sequence, "ooe");
        write(&mut sequence, 0, "1");
        write(&mut sequence, 1, "2");
        sequence.pass_on(&mut batch);
        assert_eq!(text(&mut batch), "1");
        sequence.drained(0);
        sequence.pass_on(&mut batch);
        assert_eq!(text(&mut batch), "2");
    }
}
