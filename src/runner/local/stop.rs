//! Stopping a tree: the stop signal, the grace, SIGKILL until nothing is left.
//!
//! The steps of a stop, without waiting: whoever is the root of the tree (the watcher, or bsh when the
//! watcher was killed) waits for its children between them. Nothing here allocates.

use std::time::Duration;

use crate::runner::local::tree::{Member, Tree, signal_all_new};
use crate::runner::local::wire::{COMMAND_BYTES, LISTED, Survival, Tell};
use crate::sys::child::{own_pid, signal_group, signal_unreaped};
use crate::sys::clock::{Moment, boot_ticks};
use crate::sys::memory::MappedSet;
use crate::sys::pin::Pinned;
use crate::sys::proc::Proc;

/// How long after the first SIGKILL a stop that is not confirmed is given up. The report is due one second
/// after it, so this leaves time to make it.
pub(super) const GIVE_UP: Duration = Duration::from_millis(850);

/// The tree of one command, as its root sees it.
pub(super) struct Stopper {
    /// None without `/proc` or pidfds: then only the shell's process group can be signalled.
    proc: Option<Proc>,
    tree: Tree,
    shell: i32,
    known: MappedSet,
    held: MappedSet,
    rounds: u32,
}

impl Stopper {
    /// Walks that look for processes born during a stop, and walks that freeze a fork bomb.
    const WALKS: u32 = 10;
    const FREEZING_WALKS: u32 = 200;
    /// And how long they may take; the root has more to do, and a stop is due at [`GIVE_UP`].
    const LONGEST: Duration = Duration::from_millis(150);

    pub(super) fn new(tree: Tree, shell: i32) -> Self {
        Self {
            proc: find_proc(),
            tree,
            shell,
            known: MappedSet::new(),
            held: MappedSet::new(),
            rounds: 0,
        }
    }

    /// Tries again to see the tree, in case that it failed for want of descriptors or memory.
    fn look_again(&mut self) {
        if self.proc.is_none() {
            self.proc = find_proc();
        }
    }

    /// Whether the tree can be walked at all.
    pub(super) fn sees_tree(&self) -> bool {
        self.proc.is_some()
    }

    /// Whether there is any member.
    pub(super) fn has_members(&mut self) -> bool {
        let Some(proc) = &self.proc else { return true };
        let mut any = false;
        self.tree.walk(proc, &mut |_| {
            any = true;
            false
        });
        any
    }

    /// Describes every member as it is.
    pub(super) fn describe(&mut self, tell: &mut dyn FnMut(Tell)) {
        self.look_again();
        let Some(proc) = &self.proc else { return };
        let mut count = 0;
        self.tree.walk(proc, &mut |member| {
            count += 1;
            if count <= LISTED {
                let mut room = [0; COMMAND_BYTES];
                let command = proc.command(member.stat.pid, &mut room);
                tell(Tell::Stopping {
                    pid: member.stat.pid,
                    state: member.stat.state,
                    command,
                });
            }
            false
        });
        tell(Tell::StoppingCount(count));
    }

    /// Describes the members that still run, and whether they hold the output.
    /// Without `/proc` nothing is known of them, so none is named.
    pub(super) fn describe_background(
        &mut self,
        pipes: &[(u64, u64); 2],
        tell: &mut dyn FnMut(Tell),
    ) {
        let Some(proc) = &self.proc else {
            return tell(Tell::BackgroundCount(0));
        };
        // Walk after walk until one finds the same: a parent that ends meanwhile can hide its child.
        let mut listed = [0; LISTED as usize];
        let mut count = 0;
        let until = Moment::now().after(Self::LONGEST);
        self.known.clear();
        for _ in 0..Self::WALKS {
            let (known, before, mut found) = (&mut self.known, count, false);
            count = 0;
            self.tree.walk(proc, &mut |member| {
                // One whose memory is gone already is ending.
                if member.stat.state != b'Z' && member.stat.has_memory {
                    if let Some(place) = listed.get_mut(count) {
                        *place = member.stat.pid;
                    }
                    count += 1;
                    found |= known.insert(member.stat.pid, member.stat.start) == Some(true);
                }
                false
            });
            let is_settled = !found && count == before && count > 0;
            if is_settled || Moment::now() >= until {
                break;
            }
        }
        self.known.clear();
        for &pid in listed.iter().take(count) {
            let mut room = [0; COMMAND_BYTES];
            tell(Tell::Background {
                pid,
                holds_output: proc.holds(pid, pipes),
                command: proc.command(pid, &mut room),
            });
        }
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        tell(Tell::BackgroundCount(count));
    }

    /// Sends the stop signal to the whole tree from the top down, then SIGCONT, so that stopped
    /// processes see it.
    ///
    /// Further walks find orphans that the first one passed, and what was there before the stop; what a
    /// trap starts to clean up is younger, and is left to work until the grace is over.
    pub(super) fn ask_to_end(&mut self, stop_signal: i32, leader_unreaped: bool) {
        let Some(proc) = &self.proc else {
            if leader_unreaped {
                let _ = signal_group(self.shell, stop_signal);
                let _ = signal_group(self.shell, libc::SIGCONT);
            }
            return;
        };
        let began = boot_ticks();
        let wanted =
            |member: &Member| member.at_top || member.parent_fresh || member.stat.start < began;
        signal_all_new(
            &mut self.tree,
            proc,
            &mut self.known,
            Self::WALKS,
            Moment::now().after(Self::LONGEST),
            &wanted,
            &|pin| {
                let sent = pin.signal(stop_signal);
                pin.signal(libc::SIGCONT).and(sent)
            },
        );
    }

    /// Sends SIGKILL to all that are left. From the second time on everything is frozen first, for what
    /// forks faster than it is killed.
    pub(super) fn kill_round(&mut self, leader_unreaped: bool) {
        self.look_again();
        self.rounds += 1;
        let Some(proc) = &self.proc else {
            if leader_unreaped {
                let _ = signal_group(self.shell, libc::SIGKILL);
                let _ = signal_unreaped(self.shell, libc::SIGKILL);
            }
            return;
        };
        if self.rounds > 1 {
            self.known.clear();
            signal_all_new(
                &mut self.tree,
                proc,
                &mut self.known,
                Self::FREEZING_WALKS,
                Moment::now().after(Self::LONGEST),
                &|_| true,
                &|pin| pin.signal(libc::SIGSTOP),
            );
        }
        self.tree.walk(proc, &mut |member| {
            let _ = member.pin.signal(libc::SIGKILL);
            false
        });
    }

    /// Describes what survived, and says whether any of it may be signalled at all, or none was seen.
    pub(super) fn describe_survivors(&mut self, tell: &mut dyn FnMut(Tell)) -> bool {
        let Some(proc) = &self.proc else { return false };
        let (mut count, mut reachable) = (0, false);
        self.tree.walk(proc, &mut |member| {
            if member.stat.state == b'Z' {
                return false;
            }
            let why = match member.pin.signal(0) {
                Err(error) if error.raw_os_error() == Some(libc::EPERM) => Survival::OtherUser,
                _ if member.stat.state == b'D' => Survival::Unkillable,
                _ => Survival::Unknown,
            };
            reachable |= why != Survival::OtherUser;
            count += 1;
            if count <= LISTED {
                let mut room = [0; COMMAND_BYTES];
                let command = proc.command(member.stat.pid, &mut room);
                tell(Tell::Survivor {
                    pid: member.stat.pid,
                    why,
                    command,
                });
            }
            false
        });
        reachable || count == 0
    }

    /// Holds the whole tree with SIGSTOP, and remembers whom.
    pub(super) fn hold(&mut self, leader_unreaped: bool) {
        let Some(proc) = &self.proc else {
            if leader_unreaped {
                let _ = signal_group(self.shell, libc::SIGSTOP);
            }
            return;
        };
        let running = |member: &Member| !matches!(member.stat.state, b'T' | b'Z');
        signal_all_new(
            &mut self.tree,
            proc,
            &mut self.held,
            Self::FREEZING_WALKS,
            Moment::now().after(Self::LONGEST),
            &running,
            &|pin| pin.signal(libc::SIGSTOP),
        );
    }

    /// Continues what [`Stopper::hold`] stopped, and nothing else.
    pub(super) fn let_go(&mut self, leader_unreaped: bool) {
        let Some(proc) = &self.proc else {
            if leader_unreaped {
                let _ = signal_group(self.shell, libc::SIGCONT);
            }
            return;
        };
        let held = &self.held;
        self.tree.walk(proc, &mut |member| {
            if held.contains(member.stat.pid, member.stat.start) {
                let _ = member.pin.signal(libc::SIGCONT);
            }
            false
        });
        self.held.clear();
    }
}

/// Processes are found in /proc and pinned by pidfds (Linux 5.3); neither is of use alone.
fn find_proc() -> Option<Proc> {
    Proc::open()
        .ok()
        .filter(|_| Pinned::open(own_pid()).is_ok())
}

/// The pace of SIGKILL rounds: soon at first, for what was forked meanwhile, then ever rarer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    next: Moment,
    step: Duration,
}

impl Pace {
    const FIRST: Duration = Duration::from_millis(4);
    const SLOWEST: Duration = Duration::from_millis(100);

    pub(super) fn from(now: Moment) -> Self {
        Self {
            next: now.after(Self::FIRST),
            step: Self::FIRST,
        }
    }

    /// When the next round is due.
    pub(super) fn next(&self) -> Moment {
        self.next
    }

    /// A round was made.
    pub(super) fn advance(&mut self, now: Moment) {
        self.step = (self.step * 2).min(Self::SLOWEST);
        self.next = now.after(self.step);
    }
}
