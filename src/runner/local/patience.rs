//! What is asked of the watcher, how long its answer is waited for, and what is done when it is late.

use std::os::fd::AsRawFd as _;
use std::time::Duration;

use crate::runner::local::stop::{GIVE_UP, Stopper};
use crate::runner::local::supervise::{Phase, Supervisor};
use crate::runner::local::tree::Tree;
use crate::runner::local::wire::{Ask, MESSAGE_BYTES, Tell};
use crate::sys::child;
use crate::sys::clock::Moment;
use crate::sys::fd::{self, Received};
use crate::sys::proc::Proc;

/// The watcher is given this much longer than a stop takes before it counts as lost.
const WATCHER_MARGIN: Duration = Duration::from_millis(100);
/// When the shell has ended and the watcher says nothing, it may have been stopped: it is continued.
pub(super) const NUDGE: Duration = Duration::from_millis(20);

impl Supervisor {
    /// The shell has ended, and the watcher is to tell of it soon.
    pub(super) fn await_nudge(&mut self) {
        if let Phase::Running { nudge_at } = &mut self.phase {
            *nudge_at = nudge_at.or(Some(Moment::now().after(NUDGE)));
        }
    }

    /// After its last step the watcher tells what was used and ends at once.
    pub(super) fn hear_to_the_end(&mut self) {
        if !self.settings.usage {
            return;
        }
        let latest = Moment::now().after(WATCHER_MARGIN);
        while !self.record.knows_usage() && Moment::now() < latest {
            let mut place = [fd::waiting(self.control.as_raw_fd())];
            fd::wait(&mut place, Some(latest.left()));
            let mut buffer = [0; MESSAGE_BYTES];
            match fd::receive(fd::borrow(&self.control), &mut buffer) {
                Received::Message(length) => {
                    if let Some(told) = buffer.get(..length).and_then(Tell::decode) {
                        self.record.hear(&told);
                    }
                }
                Received::Nothing => {}
                Received::End => return,
            }
        }
    }

    pub(super) fn stopping(&self, grace: Duration) -> Phase {
        let kill_at = Moment::now().after(grace);
        Phase::Stopping {
            lost_at: kill_at.after(GIVE_UP + WATCHER_MARGIN),
            nudge_at: kill_at.after(NUDGE),
        }
    }

    /// Asks the watcher for something, and continues it first in case that it was stopped.
    pub(super) fn ask(&self, ask: Ask) {
        if ask != Ask::Go {
            self.continue_watcher();
        }
        // A watcher that is gone is noticed by the end of its socket.
        let _ = fd::send(fd::borrow(&self.control), &[ask as u8]);
    }

    /// A watcher that is gone is noticed by the end of its socket.
    pub(super) fn signal_watcher(&self, number: i32) {
        let _ = match &self.watcher {
            Some(pin) => pin.signal(number),
            None => child::signal_unreaped(self.watcher_pid, number),
        };
    }

    pub(super) fn continue_watcher(&self) {
        self.signal_watcher(libc::SIGCONT);
    }

    /// The watcher is at work on the stop, however slowly on a busy machine: nothing holds it.
    pub(super) fn watcher_is_late(&self) -> bool {
        let state = || Some(Proc::open().ok()?.stat(self.watcher_pid)?.state);
        self.watcher_stops && state().is_some_and(|state| !matches!(state, b'T' | b'Z'))
    }

    /// Names what is left, which the watcher goes on to kill after the report.
    pub(super) fn report_unconfirmed(&mut self, now: Moment) {
        let record = &mut self.record;
        Stopper::new(Tree::below(self.watcher_pid), self.shell)
            .describe_survivors(&mut |told| record.hear(&told));
        self.hear(&Tell::StopDone {
            confirmed: false,
            at: now,
        });
    }
}
