//! Puts together, from what the watcher tells, how a run ended.

use std::time::Duration;

use crate::runner::local::wire::{Survival, Tell};
use crate::runner::{
    BackgroundProcess, Exit, OwnSignal, ProcessState, StoppedProcess, UnconfirmedProcess,
    UnconfirmedReason, Usage,
};
use crate::sys::child::Ended;
use crate::sys::clock::Moment;
use crate::sys::signal_names as signal;

/// What is known of a run so far.
#[derive(Default)]
pub(super) struct Record {
    exit: Exit,
    began: Moment,
    suspended_since: Option<Moment>,
    suspended: Duration,
    ended: Option<Moment>,
    stopping: Vec<StoppedProcess>,
    background: Vec<BackgroundProcess>,
    survivors: Vec<UnconfirmedProcess>,
}

impl Record {
    pub(super) fn new(began: Moment) -> Self {
        Self {
            exit: Exit::default(),
            began,
            suspended_since: None,
            suspended: Duration::ZERO,
            ended: None,
            stopping: Vec::new(),
            background: Vec::new(),
            survivors: Vec::new(),
        }
    }

    pub(super) fn hear(&mut self, told: &Tell) {
        let findings = &mut self.exit.findings;
        match *told {
            Tell::Started { .. } | Tell::NotStarted(_) | Tell::Held => {}
            Tell::OwnSignal { number, sender } => {
                findings.own_signals.push(OwnSignal {
                    signal: signal::name(number),
                    pid: sender,
                });
            }
            Tell::ShellEnded {
                ended, at, by_stop, ..
            } => {
                // What ended before a stop of its background is not told twice.
                if self.exit.code.is_none() && self.exit.signal.is_none() {
                    match ended {
                        Ended::Code(code) => self.exit.code = Some(code),
                        Ended::Signal(number) => self.exit.signal = Some(signal::name(number)),
                    }
                    findings.ended_before_stop = !by_stop;
                    self.end(at);
                }
            }
            Tell::Stopping {
                pid,
                state,
                command,
            } => {
                let state = process_state(state);
                self.stopping.push(StoppedProcess {
                    pid,
                    command: lossy(command),
                    state,
                });
            }
            Tell::StoppingCount(count) => {
                // What was there when the stop came is said once, also when somebody else ends the stop.
                let stopping = std::mem::take(&mut self.stopping);
                if count > 0 && findings.stopped.is_none() {
                    findings.stopped = Some((count, stopping));
                }
            }
            Tell::Background {
                pid,
                holds_output,
                command,
            } => {
                let command = lossy(command);
                self.background.push(BackgroundProcess {
                    pid,
                    command,
                    holds_output,
                });
            }
            Tell::BackgroundCount(count) => {
                findings.background =
                    (count > 0).then(|| (count, std::mem::take(&mut self.background)));
            }
            Tell::Survivor { pid, why, command } => {
                let reason = match why {
                    Survival::OtherUser => UnconfirmedReason::OtherUser,
                    Survival::Unkillable => UnconfirmedReason::Unkillable,
                    Survival::Unknown => UnconfirmedReason::Unknown,
                };
                self.survivors.push(UnconfirmedProcess {
                    pid,
                    command: lossy(command),
                    reason,
                });
            }
            Tell::StopDone { confirmed, at } => {
                if !confirmed {
                    findings.unconfirmed = Some(std::mem::take(&mut self.survivors));
                }
                if !findings.ended_before_stop {
                    self.end(at);
                }
            }
            Tell::Usage {
                user_us,
                system_us,
                max_rss_bytes,
            } => {
                let (user_ms, system_ms) = (user_us / 1000, system_us / 1000);
                findings.usage = Some(Usage {
                    user_ms,
                    system_ms,
                    max_rss_bytes,
                });
            }
        }
    }

    pub(super) fn not_started(&mut self, exit: Exit) {
        self.exit = exit;
    }

    pub(super) fn incomplete(&mut self, why: &str) {
        self.exit.findings.incomplete = Some(why.to_owned());
    }

    /// From now on somebody else tells, and begins its lists anew.
    pub(super) fn watcher_lost(&mut self) {
        self.stopping.clear();
        self.background.clear();
        self.survivors.clear();
        self.exit.findings.watcher_lost = true;
    }

    pub(super) fn knows_usage(&self) -> bool {
        self.exit.findings.usage.is_some()
    }

    pub(super) fn suspend(&mut self) {
        self.suspended_since = self.suspended_since.or(Some(Moment::now()));
    }

    pub(super) fn resume(&mut self) {
        if let Some(since) = self.suspended_since.take() {
            self.suspended += Moment::now().since(since);
        }
    }

    fn end(&mut self, at: Moment) {
        self.ended = Some(at);
    }

    pub(super) fn into_exit(mut self) -> Exit {
        self.resume();
        if self.exit.error.is_none() {
            let ended = self.ended.unwrap_or_else(Moment::now);
            let duration = ended.since(self.began).saturating_sub(self.suspended);
            self.exit.findings.duration = Some(duration);
        }
        self.exit
    }
}

/// A command line is cut by bytes, so its last character may be half.
fn lossy(command: &[u8]) -> String {
    String::from_utf8_lossy(command).into_owned()
}

/// The letters of proc_pid_stat(5); what is not listed there is a kind of sleep.
fn process_state(letter: u8) -> ProcessState {
    match letter {
        b'R' => ProcessState::Running,
        b'D' => ProcessState::DiskWait,
        b'T' => ProcessState::Stopped,
        b't' => ProcessState::Traced,
        b'Z' | b'X' => ProcessState::Zombie,
        _ => ProcessState::Sleeping,
    }
}
