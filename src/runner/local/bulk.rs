//! Reading output that comes in bulk: nothing but the busy stream is looked at for a while, and its reader
//! sleeps as little as it can, since each time it is woken costs the command more than what it wrote.

use std::os::fd::AsRawFd as _;
use std::time::Duration;

use crate::runner::local::batch::PIPE_BYTES;
use crate::runner::local::supervise::Supervisor;
use crate::sys::clock::Moment;
use crate::sys::fd;

/// Longest time for which nothing else is done.
const BURST: Duration = Duration::from_millis(5);
/// How long a pipe that was emptied is looked at again and again, while others may run: a busy writer
/// fills it in this time, and then wakes nobody.
const REFILL: Duration = Duration::from_micros(30);
/// A stream from which nothing has come for so long pauses.
const LINGER: Duration = Duration::from_millis(3);
/// The other stream is looked at after so many bytes.
const LOOK_AFTER: usize = PIPE_BYTES;

impl Supervisor {
    /// Reads a stream in bulk until there is a batch of it, it pauses, or something else is due.
    pub(super) fn read_in_bulk(&mut self) {
        if !self.is_in_bulk() || self.reader_is_behind {
            return;
        }
        let mut now = Moment::now();
        let latest = now.after(BURST);
        let mut refilled_by = now.after(REFILL);
        let mut unlooked = 0;
        while self.is_in_bulk() && !self.batch.is_full() && now < latest {
            let count = if unlooked < LOOK_AFTER {
                self.capture.read_bulk(&mut self.batch)
            } else {
                unlooked = 0;
                self.capture.read(&mut self.batch)
            };
            unlooked += count;
            now = Moment::now();
            if count > 0 {
                refilled_by = now.after(REFILL);
            } else if now < refilled_by {
                std::thread::yield_now();
            } else {
                let [signals, stdout, stderr] = self.capture.waited_for();
                let wake = self.shared.wake().as_raw_fd();
                let control = self.control.as_raw_fd();
                let mut places = [wake, control, signals, stdout, stderr].map(fd::waiting);
                fd::wait(&mut places, Some(LINGER));
                match places.iter().position(|place| place.revents != 0) {
                    None => self.capture.end_bulk(&mut self.batch),
                    Some(0 | 1) => return,
                    Some(_) => unlooked = LOOK_AFTER,
                }
            }
        }
    }

    /// A stream comes in bulk.
    pub(super) fn is_in_bulk(&self) -> bool {
        self.capture.is_in_bulk()
    }
}
