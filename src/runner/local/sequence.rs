//! Puts the writes of two streams in order, by the signals that the kernel queued for them.
//!
//! Nearly always there is one signal for one write, and the order is theirs. What can differ:
//! - A writer that waits for a full pipe sends one signal more, right before that of its write. Each pipe
//!   is emptied at one instant, so a signal from before that instant without a packet is for no write.
//! - A write can be seen before its signal is there. Alone in its pipe while the other is empty, it is
//!   the oldest, and its signal is passed over when it comes.
//! - A write of a page or more is several packets and one signal. Where the next write is taken for its
//!   rest, that one's signal has no write of its own.
//!
//! Nothing here talks to the kernel.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::time::Duration;

use crate::runner::Stream;
use crate::runner::local::batch::Batch;
use crate::sys::clock::Moment;

/// A writer sends its signal right after its bytes; on a busy machine it may have to wait for its turn.
/// One that is later than this will not come.
const OVERDUE: Duration = Duration::from_millis(100);

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
    /// Its signals in the order.
    signals: usize,
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
            signals: 0,
            early: 0,
            early_since: Moment::default(),
        };
        Self {
            lanes: [lane(Stream::Stdout), lane(Stream::Stderr)],
            order: VecDeque::new(),
        }
    }

    /// Takes the next signal of the queue: something was written, or a writer waits for a full pipe. What
    /// was written is in its pipe, or was read.
    pub(super) fn signalled(&mut self, index: usize) {
        if let Some(lane) = self.lanes.get_mut(index)
            && !lane.was_early()
        {
            lane.signals += 1;
            self.order.push_back(index);
        }
    }

    /// Signals that have no write yet: so many writes are in the pipe, or one less than that and a writer
    /// that waits.
    pub(super) fn expected(&self, index: usize) -> usize {
        self.lanes.get(index).map_or(0, Lane::expected)
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
        match lane.writes.back_mut() {
            Some(last) if continues => *last += length,
            _ => lane.writes.push_back(length),
        }
    }

    /// Writes that were read and are not passed on yet.
    pub(super) fn writes(&self, index: usize) -> usize {
        self.lanes.get(index).map_or(0, |lane| lane.writes.len())
    }

    /// More signals than writes, or less: that of the last one is still to come.
    pub(super) fn balance(&self, index: usize) -> Ordering {
        let lane = self.lanes.get(index);
        lane.map_or(Ordering::Equal, |lane| lane.signals.cmp(&lane.writes.len()))
    }

    /// All packets of a lane were taken at one instant, after every signal so far: those that are too many
    /// are for no write. The last of them is of a writer that waits still.
    pub(super) fn emptied(&mut self, index: usize) {
        for _ in 0..self.expected(index) {
            let place = self.order.iter().rposition(|&other| other == index);
            self.remove_signal(index, place);
        }
    }

    /// The writer of the write after so many had to wait: of the two signals for that, one is for no write.
    pub(super) fn has_waited(&mut self, index: usize, writes: usize) {
        let places = self.order.iter().enumerate();
        let of_lane = places.filter(|(_, other)| **other == index);
        let place = of_lane.map(|(place, _)| place).nth(writes);
        self.remove_signal(index, place);
    }

    fn remove_signal(&mut self, index: usize, place: Option<usize>) {
        if let (Some(place), Some(lane)) = (place, self.lanes.get_mut(index)) {
            self.order.remove(place);
            lane.signals -= 1;
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
        while let Some(&index) = self.order.front()
            && let Some(lane) = self.lanes.get_mut(index)
            && lane.pass_on(batch)
        {
            lane.signals -= 1;
            self.order.pop_front();
        }
    }

    /// Both pipes are empty and no signal has come after that: passes everything on. Call it when
    /// [`Sequence::is_waiting_for_signals`] is false, or when waiting has been in vain.
    pub(super) fn settle(&mut self, batch: &mut Batch) {
        for lane in &mut self.lanes {
            let unsignalled = lane.writes.len().saturating_sub(lane.signals);
            if unsignalled > 0 {
                lane.early += u32::try_from(unsignalled).unwrap_or(u32::MAX);
                lane.early_since = Moment::now();
            }
        }
        self.pass_all(batch);
    }

    /// Passes everything on as it stands, and expects no signal of it any more: some were lost, or will
    /// not come.
    pub(super) fn give_up(&mut self, batch: &mut Batch) {
        self.pass_all(batch);
        for lane in &mut self.lanes {
            lane.early = 0;
        }
    }

    fn pass_all(&mut self, batch: &mut Batch) {
        for index in std::mem::take(&mut self.order) {
            if let Some(lane) = self.lanes.get_mut(index) {
                lane.pass_on(batch);
            }
        }
        for lane in &mut self.lanes {
            while lane.pass_on(batch) {}
            lane.signals = 0;
        }
    }
}

impl Lane {
    fn expected(&self) -> usize {
        self.signals.saturating_sub(self.writes.len())
    }

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

    /// Signals by letter: `o` for stdout, `e` for stderr.
    fn signal(sequence: &mut Sequence, letters: &str) {
        for letter in letters.chars() {
            sequence.signalled(usize::from(letter == 'e'));
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

    /// Takes so many packets out of a pipe, numbered from `first`.
    fn take(sequence: &mut Sequence, lane: usize, first: usize, count: usize) {
        let name = ["o", "e"][lane];
        for number in first..first + count {
            write(sequence, lane, &format!("{name}{number} "));
        }
    }

    #[test]
    fn a_waiting_writer_does_not_move_its_stream_ahead() {
        let (mut sequence, mut batch) = (Sequence::new(), Batch::default());
        // The seventeenth write to stdout finds the pipe full: a signal more.
        signal(&mut sequence, &"oe".repeat(16));
        signal(&mut sequence, "o");
        assert_eq!(sequence.expected(0), 17);
        take(&mut sequence, 0, 0, 16);
        sequence.emptied(0);
        // It goes on, and finds the other pipe full.
        signal(&mut sequence, "oe");
        take(&mut sequence, 1, 0, 16);
        sequence.emptied(1);
        signal(&mut sequence, "e");
        take(&mut sequence, 0, 16, 1);
        take(&mut sequence, 1, 16, 1);
        sequence.pass_on(&mut batch);
        assert!(sequence.is_empty());
        let expected: String = (0..17)
            .map(|number| format!("o{number} e{number} "))
            .collect();
        assert_eq!(text(&mut batch), expected);
    }

    #[test]
    fn the_signal_of_a_wait_is_taken_out_where_it_came() {
        let (mut sequence, mut batch) = (Sequence::new(), Batch::default());
        // Two signals were there, but sixteen packets: the writer filled the pipe meanwhile. It waited, wrote
        // twice there, once to the other stream, and again.
        signal(&mut sequence, "oo");
        take(&mut sequence, 0, 0, 16);
        signal(&mut sequence, &"o".repeat(14));
        signal(&mut sequence, "oooe");
        take(&mut sequence, 0, 16, 3);
        assert_eq!(sequence.balance(0), Ordering::Equal);
        signal(&mut sequence, "o");
        assert_eq!(sequence.balance(0), Ordering::Greater);
        sequence.has_waited(0, 16);
        assert_eq!(sequence.balance(0), Ordering::Equal);
        take(&mut sequence, 1, 0, 1);
        sequence.pass_on(&mut batch);
        assert!(text(&mut batch).ends_with("o15 o16 o17 e0 o18 "));
        assert!(sequence.is_empty());
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
        sequence.emptied(0);
        sequence.pass_on(&mut batch);
        assert_eq!(text(&mut batch), "2");
    }
}
