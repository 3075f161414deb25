//! One run under way: reads the output, passes orders on to the watcher, and puts together how it ended.
//!
//! It has a thread of its own because the signals that tell the order of writes go to one thread, in
//! which alone they are blocked, so that the host keeps its signals. A process that does nothing else
//! takes the steps in its only thread (`inline.rs`).

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use crate::runner::local::batch::Batch;
use crate::runner::local::capture::Capture;
use crate::runner::local::findings::Record;
use crate::runner::local::launch;
use crate::runner::local::patience::NUDGE;
use crate::runner::local::prepare::PIN_AFTER;
use crate::runner::local::settings::{Background, LocalSettings};
use crate::runner::local::shared::Shared;
use crate::runner::local::stop::GIVE_UP;
use crate::runner::local::wire::{Ask, MESSAGE_BYTES, Tell};
use crate::runner::{Chunk, Exit, Job, Order};
use crate::sys::child;
use crate::sys::clock::Moment;
use crate::sys::fd::{self, Received};
use crate::sys::pin::Pinned;

/// After the shell's own end, reading goes on until so long nothing came.
const SILENCE: Duration = Duration::from_millis(200);
/// And at most so long after that end.
const LONGEST_DRAIN: Duration = Duration::from_secs(1);

/// What is to be done next.
pub(super) enum Step {
    /// More may be there at once.
    Again,
    /// Nothing is, until something happens or is due.
    Wait,
    /// The run is over.
    Over,
    /// The watcher is gone: the tree has to be stopped without it, which takes a thread for a while.
    Lost {
        /// What is left of the grace.
        grace: Duration,
    },
}

/// A run under way.
pub(super) struct Supervisor {
    pub(super) job: Job,
    pub(super) settings: Arc<LocalSettings>,
    pub(super) shared: Arc<Shared>,
    /// Where output goes; none while [`Supervisor::take_output`] takes it, or nobody wants it.
    pub(super) batches: Option<mpsc::Sender<Vec<Chunk>>>,
    pub(super) batch: Batch,
    pub(super) is_output_wanted: bool,
    /// The batch found no room; this thread is woken when there is some.
    pub(super) reader_is_behind: bool,
    pub(super) capture: Capture,
    pub(super) control: OwnedFd,
    /// None on a kernel without pidfds.
    pub(super) watcher: Option<Pinned>,
    pub(super) watcher_pid: i32,
    /// Readable when the shell has ended.
    pub(super) shell_pin: Option<Pinned>,
    pub(super) shell: i32,
    pub(super) record: Record,
    pub(super) given: Order,
    pub(super) phase: Phase,
    pub(super) strangers: Vec<i32>,
    /// When waiting for the shell itself begins.
    pub(super) pin_from: Moment,
    /// The watcher has not said yet that the shell runs.
    pub(super) watcher_is_silent: bool,
    /// The watcher has begun to stop the tree.
    pub(super) watcher_stops: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Phase {
    /// The shell runs. `nudge_at`: its end was seen before the watcher told of it.
    Running { nudge_at: Option<Moment> },
    /// The tree is being stopped; after this moment the watcher counts as lost.
    /// `nudge_at`: when it is continued, in case that the command stopped it.
    Stopping { lost_at: Moment, nudge_at: Moment },
    /// The shell has ended by itself; the rest of the output is read.
    Draining(Drain),
    /// The watcher describes what still runs.
    Listing { lost_at: Moment },
    /// It is over.
    Over,
    /// The watcher is gone; what is left of the grace.
    Lost { grace: Duration },
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Drain {
    /// Bytes that were in the pipes at the end, and have to be read whatever the time.
    owed: usize,
    quiet_at: Moment,
    latest: Moment,
    empty: bool,
}

impl Supervisor {
    /// Makes the calling thread the one that reads, and lets the shell start.
    pub(super) fn begin(&mut self) {
        self.capture.begin(&mut self.batch);
        if self.settings.adopt_orphans {
            // Before the shell can kill its watcher, whose orphans would go to somebody else; nothing more is
            // lost without it.
            let _ = child::become_subreaper();
        }
        self.ask(Ask::Go);
    }

    /// Pins the watcher that has just been made, for signals to it and to no one after it.
    pub(super) fn pin_watcher(&mut self) {
        self.watcher = Pinned::open(self.watcher_pid).ok();
    }

    /// Takes in what has happened, and does what is due, without waiting.
    pub(super) fn step(&mut self) -> Step {
        self.listen();
        self.take_order();
        let read = self.read();
        self.advance(read);
        match self.phase {
            Phase::Over => Step::Over,
            Phase::Lost { grace } => Step::Lost { grace },
            // A stream in bulk that was emptied is waited for.
            _ if read > 0 && (self.batch.is_full() || !self.capture.is_in_bulk()) => Step::Again,
            _ => Step::Wait,
        }
    }

    /// How the job ended, once it is over.
    pub(super) fn take_exit(&mut self) -> Exit {
        std::mem::take(&mut self.record).into_exit()
    }

    /// The shell's pin, when its end is to be waited for.
    pub(super) fn awaited_pin(&self) -> Option<RawFd> {
        let running = matches!(self.phase, Phase::Running { nudge_at: None });
        let due = running && Moment::now() >= self.pin_from;
        self.shell_pin
            .as_ref()
            .filter(|_| due)
            .map(|pin| pin.fd().as_raw_fd())
    }

    /// When something is due although nothing happens.
    pub(super) fn wake_at(&self) -> Option<Moment> {
        match self.phase {
            Phase::Running { nudge_at: None }
                if self.watcher_is_silent || Moment::now() < self.pin_from =>
            {
                Some(self.pin_from)
            }
            Phase::Running { nudge_at } => nudge_at,
            Phase::Stopping { lost_at, nudge_at } => Some(lost_at.min(nudge_at)),
            Phase::Listing { lost_at } => Some(lost_at),
            // While the reader is behind nothing is read, so silence means nothing.
            Phase::Draining(_) if self.reader_is_behind => None,
            Phase::Draining(drain) => Some(drain.quiet_at.min(drain.latest)),
            Phase::Over | Phase::Lost { .. } => None,
        }
    }

    /// Takes in what the watcher tells.
    fn listen(&mut self) {
        let mut buffer = [0; MESSAGE_BYTES];
        loop {
            match fd::receive(fd::borrow(&self.control), &mut buffer) {
                Received::Nothing => return,
                Received::Message(length) => {
                    if let Some(told) = buffer.get(..length).and_then(Tell::decode) {
                        self.hear(&told);
                    }
                }
                Received::End => {
                    if !matches!(
                        self.phase,
                        Phase::Over | Phase::Draining(Drain { empty: true, .. })
                    ) {
                        let grace = if self.given == Order::Kill {
                            Duration::ZERO
                        } else {
                            self.job.grace
                        };
                        self.phase = Phase::Lost { grace };
                    }
                    return;
                }
            }
        }
    }

    pub(super) fn hear(&mut self, told: &Tell) {
        self.record.hear(told);
        match *told {
            Tell::Started { pid } => {
                // Mostly nobody listens.
                let _ = self.job.started.send(true);
                self.shell = pid;
                self.watcher_is_silent = false;
                match Pinned::open(pid) {
                    Ok(pin) => self.shell_pin = Some(pin),
                    Err(error) if error.raw_os_error() == Some(libc::ESRCH) => self.await_nudge(),
                    // Without pidfds only the watcher tells of the end.
                    Err(_) => {}
                }
            }
            Tell::NotStarted(failure) => {
                let exit = launch::explain(failure, &self.job.cwd, &self.settings.shell);
                self.record.not_started(*exit);
                self.phase = Phase::Over;
            }
            Tell::Held => self.shared.acknowledge(true),
            Tell::Stopping { .. } | Tell::StoppingCount(_) => self.watcher_stops = true,
            Tell::ShellEnded {
                by_stop: false,
                at,
                empty,
                ..
            } => {
                self.capture.release_writers();
                if !empty && self.settings.background == Background::Stop {
                    self.ask(Ask::StopBackground);
                    self.phase = self.stopping(self.job.grace);
                } else {
                    self.phase = Phase::Draining(Drain {
                        owed: self.capture.waiting_bytes(),
                        quiet_at: at.after(SILENCE),
                        latest: at.after(LONGEST_DRAIN),
                        empty,
                    });
                }
            }
            Tell::BackgroundCount(_) => {
                self.ask(Ask::Release);
                self.phase = Phase::Over;
                self.hear_to_the_end();
            }
            Tell::StopDone { .. } => {
                self.capture.release_writers();
                self.read_the_rest();
                // What the watcher still tells, its usage, is already on its way or comes at its end.
                self.phase = Phase::Over;
                self.hear_to_the_end();
            }
            _ => {}
        }
    }

    fn take_order(&mut self) {
        let order = self.shared.order();
        if order == self.given {
            return;
        }
        let before = std::mem::replace(&mut self.given, order);
        match order {
            Order::Stop if matches!(self.phase, Phase::Running { .. }) => {
                self.ask(Ask::Stop);
                self.phase = self.stopping(self.job.grace);
            }
            Order::Kill if matches!(self.phase, Phase::Running { .. } | Phase::Stopping { .. }) => {
                self.ask(Ask::Kill);
                self.phase = self.stopping(Duration::ZERO);
            }
            Order::Suspend => {
                self.record.suspend();
                self.ask(Ask::Suspend);
            }
            Order::Run if before == Order::Suspend => {
                self.record.resume();
                self.shared.acknowledge(false);
                self.ask(Ask::Resume);
            }
            _ => {}
        }
    }

    /// Reads what there is, as long as it can be passed on. Returns the bytes read.
    fn read(&mut self) -> usize {
        if (self.batch.is_full() || self.reader_is_behind) && !self.flush() {
            return 0;
        }
        self.capture.read(&mut self.batch)
    }

    /// Reads all that is in the pipes, of a tree that is gone.
    pub(super) fn read_the_rest(&mut self) {
        if self.batches.is_none() {
            self.batch.open();
        }
        let mut left = self.capture.waiting_bytes();
        while left > 0 {
            if self.batch.is_full() {
                self.flush_all();
            }
            match self.capture.read(&mut self.batch) {
                0 => break,
                count => left = left.saturating_sub(count),
            }
        }
    }

    /// Takes the steps that are due.
    fn advance(&mut self, read: usize) {
        let now = Moment::now();
        if matches!(self.phase, Phase::Stopping { lost_at, .. } if now >= lost_at)
            && self.watcher_is_late()
        {
            return self.report_unconfirmed(now);
        }
        match &mut self.phase {
            Phase::Running { nudge_at: None } if self.watcher_is_silent && now >= self.pin_from => {
                self.pin_from = now.after(PIN_AFTER);
                self.continue_watcher();
            }
            Phase::Running {
                nudge_at: Some(nudge_at),
            } if now >= *nudge_at => {
                *nudge_at = now.after(NUDGE * 5);
                self.continue_watcher();
            }
            Phase::Stopping { lost_at, .. } | Phase::Listing { lost_at } if now >= *lost_at => {
                // It does not answer: whatever holds it, the tree must not stay.
                self.signal_watcher(libc::SIGKILL);
                self.phase = Phase::Lost {
                    grace: Duration::ZERO,
                };
            }
            Phase::Stopping { nudge_at, .. } if now >= *nudge_at => {
                *nudge_at = now.after(NUDGE * 5);
                self.continue_watcher();
            }
            Phase::Draining(drain) => {
                drain.owed = drain.owed.saturating_sub(read);
                if read > 0 {
                    drain.quiet_at = now.after(SILENCE);
                }
                let at_end = self.capture.is_at_end();
                let behind = self.reader_is_behind;
                let quiet = !behind && now >= drain.quiet_at;
                let late = !behind && now >= drain.latest && drain.owed == 0;
                let empty = drain.empty;
                if at_end || quiet || late {
                    if late && !quiet && !at_end {
                        self.record.incomplete(
                            "a background process was still writing when reading ended",
                        );
                    }
                    self.end_draining(empty);
                }
            }
            _ => {}
        }
    }

    fn end_draining(&mut self, empty: bool) {
        if empty {
            self.hear_to_the_end();
            self.phase = Phase::Over;
        } else {
            self.ask(Ask::List);
            self.phase = Phase::Listing {
                lost_at: Moment::now().after(GIVE_UP),
            };
        }
    }
}
