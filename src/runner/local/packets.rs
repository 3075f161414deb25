//! Taking packets out of a pipe, so that the signals for them can be told from others.
//!
//! A writer that waits for a full pipe sends one signal more. So that it can be told from that of a write,
//! a pipe is emptied at one instant ([`Relay`]), and not while its writer may be about to find it full.

use std::cmp::Ordering;
use std::time::Duration;

use crate::runner::local::batch::Batch;
use crate::runner::local::capture::Capture;
use crate::runner::local::relay::Relay;
use crate::runner::local::source::{Found, Mode, Source};
use crate::sys::clock::Moment;

/// A writer from which nothing has come for so long is not about to find its pipe full.
const PAUSE: Duration = Duration::from_micros(200);
/// How often a pipe that was full is looked at in a row, to find out whether a writer waited for it.
const LOOKS: u32 = 20;

/// What was taken out of a pipe.
struct Taken {
    bytes: usize,
    writes: usize,
    /// The pipe was empty then.
    is_all: bool,
}

impl Capture {
    /// Reads the packets that are in a pipe, if it is read in order. Returns the bytes.
    pub(super) fn read_packets(&mut self, index: usize, batch: &mut Batch) -> usize {
        self.fetch_signals(batch);
        let ordered = |source: &&Source| source.is_ordered();
        let Some(source) = self.sources.get(index).filter(ordered) else {
            return 0;
        };
        let capacity = source.capacity();
        let slots = capacity / self.page;
        let expected = self.sequence.expected(index);
        if self.relay.is_none() && expected <= 1 && expected < slots / 2 {
            return self.read_packet(index, capacity);
        }
        self.let_it_fill(index, slots, batch);
        match self.empty(index, slots, batch) {
            Some(count) => count,
            None => {
                self.end_order(index, batch);
                0
            }
        }
    }

    /// Waits while a pipe is at least half full, until its writer waits or pauses.
    fn let_it_fill(&mut self, index: usize, slots: usize, batch: &mut Batch) {
        // A pipe of very few packets, for want of memory for pipes, is nearly full with each write.
        let nearly_full = (slots / 2).max(2)..=slots;
        let mut expected = self.sequence.expected(index);
        let mut paused_at = Moment::now().after(PAUSE);
        while nearly_full.contains(&expected) && Moment::now() < paused_at {
            std::thread::yield_now();
            self.fetch_signals(batch);
            let before = std::mem::replace(&mut expected, self.sequence.expected(index));
            if expected > before {
                paused_at = Moment::now().after(PAUSE);
            }
        }
    }

    /// Reads one packet, of a pipe that is far from full.
    fn read_packet(&mut self, index: usize, capacity: usize) -> usize {
        let page = self.page;
        let (Some(room), Some(source)) = (self.sequence.room(index), self.sources.get_mut(index))
        else {
            return 0;
        };
        let Found::Bytes(count) = source.read_packet(room, capacity) else {
            self.sequence.emptied(index);
            return 0;
        };
        let continues = source.continues(count, page);
        self.sequence.packet(index, count, continues);
        count
    }

    /// Reads all packets of a pipe at one instant. None where that is not to be had.
    fn empty(&mut self, index: usize, slots: usize, batch: &mut Batch) -> Option<usize> {
        let is_waited_for = self.sequence.expected(index) > slots;
        let taken = self.take(index, slots)?;
        let mut bytes = taken.bytes;
        if taken.is_all {
            self.sequence.emptied(index);
        }
        if taken.writes < slots || is_waited_for {
            return Some(bytes);
        }
        // The pipe was full. The next signal, if it is there already, is that of a writer which came to wait
        // at the last moment, or that of a write which came just in time.
        let writes = self.sequence.writes(index);
        self.fetch_signals(batch);
        if self.sequence.expected(index) == 0 {
            return Some(bytes);
        }
        for look in 0..LOOKS {
            bytes += self.take(index, slots)?.bytes;
            if self.sequence.balance(index) == Ordering::Greater {
                self.sequence.has_waited(index, writes);
                // When the pipe is full again, somebody waits still.
                self.sequence.emptied(index);
                break;
            }
            if look >= LOOKS / 2 {
                // On a busy machine the signal that is missing may need its turn.
                std::thread::yield_now();
            }
            self.fetch_signals(batch);
            if self.sequence.balance(index) == Ordering::Less {
                break;
            }
        }
        Some(bytes)
    }

    /// Moves packets to the sequence, all of them if the relay holds as many as the pipe.
    fn take(&mut self, index: usize, slots: usize) -> Option<Taken> {
        let page = self.page;
        if self.relay.is_none() {
            self.relay = Some(Relay::open().ok()?);
        }
        let (relay, source) = (self.relay.as_mut()?, self.sources.get_mut(index)?);
        let mut taken = Taken {
            bytes: 0,
            writes: 0,
            is_all: true,
        };
        let has_room = relay.has_room_for(slots * page);
        let Found::Bytes(total) = source.take(relay)? else {
            return Some(taken);
        };
        taken.is_all = has_room;
        while taken.bytes < total {
            // Where something else than packets was written, it comes together with the next one.
            let count = relay.packet(self.sequence.room(index)?, total).ok()?;
            let continues = source.continues(count, page);
            self.sequence.packet(index, count, continues);
            taken.bytes += count;
            taken.writes += usize::from(!continues);
        }
        Some(taken)
    }

    /// Reads both pipes as they become readable from now on, and first what was taken out of this one.
    fn end_order(&mut self, index: usize, batch: &mut Batch) {
        while let Some(relay) = &self.relay
            && let Some(room) = self.sequence.room(index)
            && let Ok(count) = relay.packet(room, relay.capacity())
        {
            self.sequence.packet(index, count, false);
        }
        self.sequence.give_up(batch);
        for source in &mut self.sources {
            // Packets do no harm there: each read has room for one.
            let _ = source.order(false);
            source.mode = Mode::Plain;
        }
    }
}
