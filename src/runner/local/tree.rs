//! The process tree: every descendant of one process, walked from the top down.
//!
//! The root is a subreaper, so whatever is orphaned comes back to it, in whatever session or group it
//! is, and nothing can leave the tree. Nothing here allocates: the watcher runs it after its fork.

use std::io;
use std::os::fd::RawFd;

use crate::sys::clock::Moment;
use crate::sys::memory::{MappedList, MappedSet};
use crate::sys::pin::{Pinned, close_pin, pin_is_alive};
use crate::sys::proc::{Proc, Stat};

/// Walks the tree below a root. The root itself is no member.
pub(super) struct Tree {
    root: i32,
    /// Children of the root that are not the command's.
    strangers: MappedList<i32>,
    pending: MappedList<Pending>,
    /// Who was visited in this walk.
    visited: MappedSet,
}

/// What is still to be done in a walk.
#[derive(Clone, Copy)]
enum Pending {
    /// Visit this process, found as a child of that parent.
    Visit {
        pid: i32,
        parent: Parent,
        fresh: bool,
    },
    /// All below this process was visited: its pin may go.
    Leave(RawFd),
}

#[derive(Clone, Copy)]
struct Parent {
    pid: i32,
    /// Its pin; none for the root, which is this very process.
    pin: Option<RawFd>,
}

/// One member of the tree, pinned while it is looked at.
pub(super) struct Member<'a> {
    pub(super) stat: &'a Stat,
    pub(super) pin: &'a Pinned,
    /// An orphan, or a direct child of the root.
    pub(super) at_top: bool,
    /// What the visitor answered for its parent in this walk.
    pub(super) parent_fresh: bool,
}

impl Tree {
    /// Processes that can be pending at once; the rest is found in a later walk.
    const PENDING: usize = 1 << 20;

    /// The tree below `root`, this process.
    pub(super) fn below(root: i32) -> Self {
        Self {
            root,
            strangers: MappedList::with_capacity(1 << 12),
            pending: MappedList::with_capacity(Self::PENDING),
            visited: MappedSet::new(),
        }
    }

    /// Leaves a child of the root, and all below it, out of the tree.
    pub(super) fn spare(&mut self, pid: i32) {
        self.strangers.push(pid);
    }

    /// Visits every member, parents before their children. What the visitor answers is passed on to
    /// the children as `parent_fresh`.
    ///
    /// A walk is no snapshot: what is forked, or orphaned, meanwhile may be missed and is found by the
    /// next walk. What is visited is certain: the process is pinned first, then its parent is checked,
    /// then that this parent has not been reaped (so that its pid was still its own).
    pub(super) fn walk(&mut self, proc: &Proc, visit: &mut dyn FnMut(Member) -> bool) {
        self.pending.clear();
        self.visited.clear();
        if let Some(stat) = proc.stat(self.root) {
            self.find_children(
                proc,
                &stat,
                Parent {
                    pid: self.root,
                    pin: None,
                },
                false,
            );
        }
        while let Some(next) = self.pending.pop() {
            match next {
                Pending::Leave(pin) => close_pin(pin),
                Pending::Visit { pid, parent, fresh } => {
                    self.visit(proc, pid, parent, fresh, visit);
                }
            }
        }
    }

    fn visit(
        &mut self,
        proc: &Proc,
        pid: i32,
        parent: Parent,
        parent_fresh: bool,
        visit: &mut dyn FnMut(Member) -> bool,
    ) {
        // Out of descriptors only in a very deep tree: killing its upper part makes the rest shallow.
        let Ok(pin) = Pinned::open(pid) else { return };
        let Some(stat) = proc.stat(pid) else { return };
        // An orphan belongs to the root, also one that was orphaned in the course of this walk.
        let at_top = stat.parent == self.root;
        let below_parent = stat.parent == parent.pid && parent.pin.is_none_or(pin_is_alive);
        let spared = at_top && self.strangers.as_slice().contains(&pid);
        if !(at_top || below_parent) || spared {
            return;
        }
        let noted = self.visited.insert(pid, stat.start);
        if noted == Some(false) {
            return;
        }
        let member = Member {
            stat: &stat,
            pin: &pin,
            at_top,
            parent_fresh,
        };
        let own = Parent {
            pid,
            pin: Some(pin.as_raw()),
        };
        if !self.pending.push(Pending::Leave(pin.as_raw())) {
            visit(member);
            return;
        }
        // Its children are looked for before it is dealt with, since afterwards it may be gone, and
        // again after it was sent something for the first time, in case that it was forking.
        let first = self.pending.as_slice().len();
        self.find_children(proc, &stat, own, false);
        let fresh = visit(member);
        // Only where it can be told who was visited: the same ones are found again.
        if fresh && noted.is_some() {
            self.find_children(proc, &stat, own, true);
        }
        for found in self.pending.as_mut_slice().iter_mut().skip(first) {
            if let Pending::Visit { fresh: marked, .. } = found {
                *marked = fresh;
            }
        }
        // Closed when the walk leaves it.
        let _ = pin.into_raw();
    }

    fn find_children(&mut self, proc: &Proc, stat: &Stat, parent: Parent, fresh: bool) {
        let pending = &mut self.pending;
        let listed = proc.children(stat, &mut |pid| {
            pending.push(Pending::Visit { pid, parent, fresh });
        });
        // A kernel without lists of children (CONFIG_PROC_CHILDREN): look at all processes.
        if !listed && parent.pin.is_none_or(pin_is_alive) {
            proc.processes(&mut |pid| {
                if proc.stat(pid).is_some_and(|stat| stat.parent == parent.pid) {
                    pending.push(Pending::Visit { pid, parent, fresh });
                }
            });
        }
    }
}

/// Sends a signal to every member that was not sent it before, until a walk finds nobody new, so that
/// nothing escapes by being born meanwhile. At most `walks` times, and no new walk after `until`: what forks
/// all the time on a busy machine must not keep the caller from everything else.
pub(super) fn signal_all_new(
    tree: &mut Tree,
    proc: &Proc,
    known: &mut MappedSet,
    walks: u32,
    until: Moment,
    wanted: &dyn Fn(&Member) -> bool,
    signal: &dyn Fn(&Pinned) -> io::Result<()>,
) {
    for walk in 0..walks {
        let mut found = false;
        tree.walk(proc, &mut |member| {
            // Without memory to know who was sent it, it is sent once.
            let new = wanted(&member)
                && known
                    .insert(member.stat.pid, member.stat.start)
                    .unwrap_or(walk == 0);
            if new {
                // One member that may not be signalled (EPERM), or is gone, keeps nothing from the others.
                let _ = signal(member.pin);
                found = true;
            }
            new
        });
        if !found || Moment::now() >= until {
            return;
        }
    }
}
