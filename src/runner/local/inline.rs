//! The steps of a run in the thread of its future, for a process that does nothing else.
//!
//! A short command ends before a thread for it has paid: what is saved is making it and waking one
//! thread by the other, a tenth of the time of `bsh true`. Output in bulk is still in the cache when it is
//! cleaned. A lost watcher is left to a thread all the same.

use std::io;
use std::os::fd::{AsRawFd as _, RawFd};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::runner::local::execute::Steering;
use crate::runner::local::prepare::Prepared;
use crate::runner::local::supervise::{Phase, Step, Supervisor};
use crate::runner::{Chunk, Exit};
use crate::sys::clock::Moment;
use crate::sys::fd;
use crate::sys::poll_set::PollSet;
use crate::sys::signal;
use crate::sys::watch::Watched;

/// How long the watcher is let go first.
const HEAD_START: Duration = Duration::from_millis(2);

/// How long the watcher's word is waited for awake.
const WORD_WITHIN: Duration = Duration::from_micros(100);

impl Prepared {
    /// Makes the calling thread the one that reads, and lets the shell start at once. Its start is waited
    /// for a moment: what is left to be done here is then done beside it, and not before.
    pub(super) fn start_here(mut self) -> Result<Supervisor, Box<Exit>> {
        signal::block_notifications();
        self.supervisor.begin();
        self.fork(|supervisor| {
            fd::is_ready_within(supervisor.control.as_raw_fd(), HEAD_START);
        })
    }
}

/// Takes steps until the run is over. False when the rest is better done in a thread, which may begin
/// anew at any time.
pub(super) async fn drive(supervisor: &mut Supervisor, steering: &mut Steering) -> bool {
    let Ok(mut places) = Places::new() else {
        return false;
    };
    loop {
        // Output may never pause, and orders come all the same.
        steering.look();
        supervisor.read_in_bulk();
        let step = supervisor.step();
        if matches!(step, Step::Lost { .. }) {
            return false;
        }
        steering.pass_on(supervisor.take_output()).await;
        match step {
            Step::Over => return true,
            Step::Again | Step::Lost { .. } => {}
            Step::Wait => {
                if places.cover(supervisor.places()).is_err() {
                    return false;
                }
                if supervisor.is_in_bulk() {
                    // Reading waits by itself; whatever else there is has its turn.
                    tokio::task::yield_now().await;
                    continue;
                }
                let left = supervisor.wake_at().map(|due| due.left());
                let due = async {
                    match left.and_then(|left| Instant::now().checked_add(left)) {
                        Some(due) => sleep_until(due).await,
                        None => std::future::pending().await,
                    }
                };
                tokio::select! {
                    biased;
                    () = steering.follow() => {}
                    changed = places.watched.changed() => {
                        if changed.is_err() {
                            return false;
                        }
                        supervisor.look_at_shell();
                    }
                    () = due => supervisor.look_at_shell(),
                }
            }
        }
    }
}

/// The descriptors of a run as one that the event loop waits for.
struct Places {
    set: PollSet,
    watched: Watched,
    covered: [RawFd; 5],
}

impl Places {
    fn new() -> io::Result<Self> {
        let set = PollSet::new()?;
        let watched = Watched::for_reading(&set)?;
        Ok(Self {
            set,
            watched,
            covered: [-1; 5],
        })
    }

    /// Adds what is new, and takes out what is not there any more.
    fn cover(&mut self, places: [RawFd; 5]) -> io::Result<()> {
        for (covered, place) in self.covered.iter_mut().zip(places) {
            if place == *covered {
                continue;
            }
            if *covered >= 0 {
                self.set.remove(*covered);
            }
            if place >= 0 {
                self.set.add(place)?;
            }
            *covered = place;
        }
        Ok(())
    }
}

impl Supervisor {
    /// What is left to be passed on.
    pub(super) fn take_output(&mut self) -> Vec<Chunk> {
        self.batch.take()
    }

    /// The descriptors at which something can happen; -1 for what is not there. A stream in bulk is read anyway,
    /// and every write to it would be told to the event loop.
    fn places(&self) -> [RawFd; 5] {
        let [signals, stdout, stderr] = self.capture.waited_for_beside_bulk();
        let pin = self
            .shell_pin
            .as_ref()
            .map_or(-1, |pin| pin.fd().as_raw_fd());
        [self.control.as_raw_fd(), signals, stdout, stderr, pin]
    }

    /// Looks whether the shell has ended. The watcher sees it at the same time and tells at once, so its word
    /// is waited for awake: to sleep and be woken again takes longer.
    pub(super) fn look_at_shell(&mut self) {
        let running = matches!(self.phase, Phase::Running { nudge_at: None });
        let Some(pin) = self.shell_pin.as_ref().filter(|_| running) else {
            return;
        };
        let is_ready = |fd| fd::is_ready_within(fd, Duration::ZERO);
        if is_ready(pin.fd().as_raw_fd()) {
            self.await_nudge();
            let latest = Moment::now().after(WORD_WITHIN);
            while !is_ready(self.control.as_raw_fd()) && Moment::now() < latest {
                std::thread::yield_now();
            }
        }
    }
}
