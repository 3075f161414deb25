//! A run in a thread of its own: takes its steps, sleeps between them, and passes its output on.

use std::os::fd::AsRawFd;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use crate::runner::local::batch::Batch;
use crate::runner::local::lost;
use crate::runner::local::supervise::{Step, Supervisor};
use crate::runner::{Chunk, Exit, Order};
use crate::sys::child;
use crate::sys::clock::Moment;
use crate::sys::fd;
use crate::sys::signal;

impl Supervisor {
    /// Runs the job to its end in the calling thread, which may have been begun in another one. Everything
    /// of it is over when this returns, but for the watcher: see [`Supervisor::reap`].
    pub(super) fn run(&mut self, batches: mpsc::Sender<Vec<Chunk>>) -> Exit {
        signal::block_all();
        self.batches = Some(batches);
        self.begin();
        loop {
            self.read_in_bulk();
            match self.step() {
                Step::Over => break,
                Step::Lost { grace } => {
                    self.stop_without_watcher(grace);
                    break;
                }
                Step::Again => {}
                Step::Wait => {
                    self.flush();
                    // Reading in bulk waits by itself.
                    if self.reader_is_behind || !self.is_in_bulk() {
                        self.sleep();
                    }
                }
            }
        }
        self.flush_all();
        self.take_exit()
    }

    /// Waits for the watcher's end, so that no zombie stays.
    pub(super) fn reap(self) {
        drop(self.control);
        child::reap(self.watcher_pid);
    }

    /// Sleeps until something happens or is due. Output is not waited for while its reader is behind.
    fn sleep(&mut self) {
        let [signals, stdout, stderr] = if self.reader_is_behind {
            [-1; 3]
        } else {
            self.capture.waited_for()
        };
        let mut places = [
            fd::waiting(self.shared.wake().as_raw_fd()),
            fd::waiting(self.control.as_raw_fd()),
            fd::waiting(signals),
            fd::waiting(stdout),
            fd::waiting(stderr),
            fd::waiting(self.awaited_pin().unwrap_or(-1)),
        ];
        fd::wait(&mut places, self.wake_at().map(Moment::left));
        if places.first().is_some_and(|place| place.revents != 0) {
            fd::silence(self.shared.wake());
        }
        if places.last().is_some_and(|place| place.revents != 0) {
            self.await_nudge();
        }
    }

    /// Passes the batch on. False when the reader is behind; it wakes this thread when it has room.
    pub(super) fn flush(&mut self) -> bool {
        if self.batch.is_empty() {
            return true;
        }
        let Some(batches) = &self.batches else {
            if !self.is_output_wanted {
                self.batch = Batch::default();
            }
            return true;
        };
        self.shared.set_starving(true);
        self.reader_is_behind = false;
        match batches.try_send(self.batch.take()) {
            Ok(()) => {
                self.shared.set_starving(false);
                true
            }
            Err(TrySendError::Full(chunks)) => {
                self.batch.put_back(chunks);
                self.reader_is_behind = true;
                false
            }
            Err(TrySendError::Closed(_)) => {
                self.batches = None;
                self.is_output_wanted = false;
                true
            }
        }
    }

    /// Passes on what is left, and waits for the reader.
    pub(super) fn flush_all(&mut self) {
        while !self.flush() {
            fd::wait(&mut [fd::waiting(self.shared.wake().as_raw_fd())], None);
            fd::silence(self.shared.wake());
        }
    }

    /// The watcher was killed: what it would have done is done here, as far as it can be.
    fn stop_without_watcher(&mut self, grace: Duration) {
        child::reap(self.watcher_pid);
        self.record.watcher_lost();
        let task = lost::Task {
            shell: self.shell,
            shell_pin: self.shell_pin.as_ref(),
            strangers: &self.strangers,
            adopted: self.settings.adopt_orphans,
            grace,
            stop_signal: self.settings.stop_signal.number(),
        };
        let (capture, batch, record) = (&mut self.capture, &mut self.batch, &mut self.record);
        let (batches, shared) = (&mut self.batches, &self.shared);
        lost::stop(&task, &mut |told| record.hear(&told), &mut || {
            // Output goes on being read, so that nothing that is to end waits for a full pipe.
            capture.read(batch);
            if let Some(sender) = batches
                && let Err(TrySendError::Full(chunks)) = sender.try_send(batch.take())
            {
                batch.put_back(chunks);
            }
            shared.order() == Order::Kill
        });
        self.capture.release_writers();
        self.read_the_rest();
        self.flush_all();
    }
}
