//! The watcher: the process between bsh and the shell.
//!
//! It is the subreaper of the command's tree and proves that the tree is gone: when waiting says that
//! there is no child, nothing descends from it (wait(2), ECHILD). It stops the tree when it is asked
//! to, and when bsh dies. It runs in a copy of its host, which may have had threads, so nothing here
//! allocates, locks, or can panic.

use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use crate::runner::local::stop::{GIVE_UP, Pace, Stopper};
use crate::runner::local::tree::Tree;
use crate::runner::local::watch::Watch;
use crate::runner::local::wire::{Ask, MESSAGE_BYTES, Tell};
use crate::sys::child::{self, AnyChild, Ended};
use crate::sys::clock::Moment;
use crate::sys::fd::{self, Received};
use crate::sys::signal;

pub(super) fn tell(control: &OwnedFd, what: Tell) {
    let mut buffer = [0; MESSAGE_BYTES];
    let length = what.encode(&mut buffer);
    // A runner that does not read (SIGSTOP) or is dead must not hold up the tree's end.
    let _ = fd::send(
        fd::borrow(control),
        buffer.get(..length).unwrap_or_default(),
    );
}

/// Where the command is on its way to its end.
#[derive(Debug, Clone, Copy)]
enum Phase {
    /// The shell runs.
    Running,
    /// The shell has ended by itself; the runner reads the rest of the output.
    Ended,
    /// The stop signal was sent; SIGKILL follows at this moment.
    Stopping { kill_at: Moment },
    /// SIGKILL was sent, and is sent again until nothing is left.
    Killing { give_up_at: Moment, pace: Pace },
    /// The stop was reported as not confirmed; what can be killed is killed all the same.
    Lingering { until: Moment, pace: Pace },
}

pub(super) struct Watcher<'a> {
    watch: &'a Watch<'a>,
    control: OwnedFd,
    signals: OwnedFd,
    runner_is_alive: bool,
    shell: i32,
    shell_ended: Option<Ended>,
    stopper: Stopper,
    phase: Phase,
    /// Signals that were told, one bit a number.
    told_signals: u128,
    user_us: u64,
    system_us: u64,
    max_rss_bytes: u64,
}

impl<'a> Watcher<'a> {
    /// How long what survived a stop is fought on after it was reported.
    const LINGER: Duration = Duration::from_secs(30);

    pub(super) fn new(
        watch: &'a Watch<'a>,
        control: OwnedFd,
        signals: OwnedFd,
        shell: i32,
    ) -> Self {
        let stopper = Stopper::new(Tree::below(child::own_pid()), shell);
        Self {
            watch,
            control,
            signals,
            runner_is_alive: true,
            shell,
            shell_ended: None,
            stopper,
            phase: Phase::Running,
            told_signals: 0,
            user_us: 0,
            system_us: 0,
            max_rss_bytes: 0,
        }
    }

    pub(super) fn run(mut self) -> ! {
        loop {
            let anything_left = self.reap();
            // Before the end is told: what came before it belongs to the report too.
            self.take_signals();
            self.advance(anything_left);
            let control = if self.runner_is_alive {
                self.control.as_raw_fd()
            } else {
                -1
            };
            let mut places = [fd::waiting(self.signals.as_raw_fd()), fd::waiting(control)];
            fd::wait(&mut places, self.wake_at().map(Moment::left));
            self.take_signals();
            self.take_asks();
        }
    }

    fn wake_at(&self) -> Option<Moment> {
        match self.phase {
            Phase::Running | Phase::Ended => None,
            Phase::Stopping { kill_at } => Some(kill_at),
            Phase::Killing { give_up_at, pace } => Some(give_up_at.min(pace.next())),
            Phase::Lingering { until, pace } => Some(until.min(pace.next())),
        }
    }

    /// Reaps what has ended. False when there is no child any more: the tree is gone.
    fn reap(&mut self) -> bool {
        loop {
            // Without /proc the shell stays unreaped, since its process group is all that can be
            // signalled, and its number must stay its own.
            if !self.stopper.sees_tree() && self.shell_ended.is_none() {
                self.shell_ended = child::peek(self.shell);
            }
            if !self.stopper.sees_tree() && self.shell_ended.is_some() && !self.is_killing() {
                return child::has_others(self.shell);
            }
            match child::reap_any() {
                AnyChild::Running => return true,
                AnyChild::None => return false,
                AnyChild::Reaped(reaped) => {
                    self.user_us = self.user_us.saturating_add(reaped.user_us);
                    self.system_us = self.system_us.saturating_add(reaped.system_us);
                    self.max_rss_bytes = self.max_rss_bytes.max(reaped.max_rss_bytes);
                    if reaped.pid == self.shell && self.shell_ended.is_none() {
                        self.shell_ended = Some(reaped.ended);
                    }
                }
            }
        }
    }

    fn is_killing(&self) -> bool {
        matches!(self.phase, Phase::Killing { .. } | Phase::Lingering { .. })
    }

    fn leader_unreaped(&self) -> bool {
        !self.stopper.sees_tree() || self.shell_ended.is_none()
    }

    /// Takes the steps that are due.
    fn advance(&mut self, anything_left: bool) {
        let now = Moment::now();
        match self.phase {
            Phase::Running => {
                if let Some(ended) = self.shell_ended {
                    self.phase = Phase::Ended;
                    let empty = !anything_left;
                    if empty {
                        child::give_way();
                    }
                    self.tell(Tell::ShellEnded {
                        ended,
                        at: now,
                        by_stop: false,
                        empty,
                    });
                    if empty {
                        self.finish();
                    }
                }
            }
            Phase::Ended => {}
            Phase::Stopping { .. } | Phase::Killing { .. } if !anything_left => self.stopped(now),
            Phase::Stopping { kill_at } => {
                if now >= kill_at {
                    self.kill(now);
                }
            }
            Phase::Killing {
                give_up_at,
                mut pace,
            } => {
                if now >= give_up_at {
                    self.give_up(now);
                } else if now >= pace.next() {
                    self.stopper.kill_round(self.leader_unreaped());
                    pace.advance(Moment::now());
                    self.phase = Phase::Killing { give_up_at, pace };
                }
            }
            Phase::Lingering { until, mut pace } => {
                if !anything_left || now >= until {
                    child::exit_now(0);
                } else if now >= pace.next() {
                    self.stopper.kill_round(self.leader_unreaped());
                    pace.advance(Moment::now());
                    self.phase = Phase::Lingering { until, pace };
                }
            }
        }
    }

    fn take_signals(&mut self) {
        let mut room = [signal::Raw::empty(); 16];
        for arrived in signal::arrived(fd::borrow(&self.signals), &mut room) {
            let bit = 1u128 << (arrived.number & 127);
            // SIGCHLD is what it waits for; SIGCONT is how the runner wakes a watcher that was stopped.
            let ours = matches!(arrived.number, libc::SIGCHLD | libc::SIGCONT);
            if !ours && self.told_signals & bit == 0 {
                self.told_signals |= bit;
                let told = Tell::OwnSignal {
                    number: arrived.number,
                    sender: arrived.sender,
                };
                tell(&self.control, told);
            }
        }
    }

    fn take_asks(&mut self) {
        while self.runner_is_alive {
            let mut buffer = [0; 8];
            match fd::receive(self.control_fd(), &mut buffer) {
                Received::Nothing => return,
                Received::Message(length) => {
                    if let Some(ask) = buffer.get(..length).and_then(Ask::decode) {
                        self.obey(ask);
                    }
                }
                Received::End => {
                    self.runner_is_alive = false;
                    // Ours is the only other end: bsh is dead, and nothing of its command may stay.
                    if matches!(self.phase, Phase::Running | Phase::Ended) {
                        self.begin_stop();
                    }
                }
            }
        }
    }

    fn obey(&mut self, ask: Ask) {
        match ask {
            Ask::Stop | Ask::Kill => {
                if matches!(self.phase, Phase::Running) {
                    // The end of the shell wins when it comes together with a stop.
                    let anything_left = self.reap();
                    self.advance(anything_left);
                }
                if matches!(self.phase, Phase::Running) {
                    self.begin_stop();
                }
                if ask == Ask::Kill && matches!(self.phase, Phase::Stopping { .. }) {
                    self.kill(Moment::now());
                }
            }
            Ask::StopBackground => {
                if matches!(self.phase, Phase::Ended) {
                    self.begin_stop();
                }
            }
            Ask::Suspend => {
                if matches!(self.phase, Phase::Running | Phase::Ended) {
                    self.stopper.hold(self.leader_unreaped());
                }
                self.tell(Tell::Held);
            }
            Ask::Resume => self.stopper.let_go(self.leader_unreaped()),
            Ask::List => {
                let control = &self.control;
                self.stopper
                    .describe_background(&self.watch.pipes, &mut |what| tell(control, what));
            }
            Ask::Release => self.finish(),
            // It runs already.
            Ask::Go => {}
        }
    }

    fn begin_stop(&mut self) {
        let control = &self.control;
        self.stopper.describe(&mut |what| tell(control, what));
        self.phase = Phase::Stopping {
            kill_at: Moment::now().after(self.watch.grace),
        };
        self.stopper
            .ask_to_end(self.watch.stop_signal, self.leader_unreaped());
    }

    fn kill(&mut self, now: Moment) {
        self.stopper.kill_round(self.leader_unreaped());
        self.phase = Phase::Killing {
            give_up_at: now.after(GIVE_UP),
            pace: Pace::from(Moment::now()),
        };
    }

    fn stopped(&mut self, now: Moment) {
        self.tell_stopped_shell(now);
        self.tell(Tell::StopDone {
            confirmed: true,
            at: now,
        });
        self.finish();
    }

    fn give_up(&mut self, now: Moment) {
        self.tell_stopped_shell(now);
        let control = &self.control;
        let reachable = self
            .stopper
            .describe_survivors(&mut |what| tell(control, what));
        self.tell(Tell::StopDone {
            confirmed: false,
            at: now,
        });
        self.tell_usage();
        if !reachable {
            child::exit_now(0);
        }
        self.phase = Phase::Lingering {
            until: now.after(Self::LINGER),
            pace: Pace::from(now),
        };
    }

    /// Tells how the shell ended in the course of a stop; not again when it had ended by itself.
    fn tell_stopped_shell(&mut self, at: Moment) {
        if let Some(ended) = self.shell_ended {
            self.tell(Tell::ShellEnded {
                ended,
                at,
                by_stop: true,
                empty: false,
            });
        }
    }

    fn tell_usage(&self) {
        if self.watch.usage {
            let (user_us, system_us) = (self.user_us, self.system_us);
            self.tell(Tell::Usage {
                user_us,
                system_us,
                max_rss_bytes: self.max_rss_bytes,
            });
        }
    }

    /// The last word was said. Ends when the runner lets go, not before: tearing this process down takes
    /// longer than all that the runner has left to do, and would go first on the same processor.
    fn finish(&self) -> ! {
        self.tell_usage();
        loop {
            let mut buffer = [0; 8];
            match fd::receive(self.control_fd(), &mut buffer) {
                Received::End => child::exit_now(0),
                Received::Message(_) => {}
                Received::Nothing => fd::wait(&mut [fd::waiting(self.control.as_raw_fd())], None),
            }
        }
    }

    fn tell(&self, what: Tell) {
        tell(&self.control, what);
    }

    fn control_fd(&self) -> BorrowedFd<'_> {
        fd::borrow(&self.control)
    }
}
