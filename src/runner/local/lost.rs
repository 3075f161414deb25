//! Stopping a tree whose watcher was killed.
//!
//! When this process is a subreaper (the binary), the orphans of the watcher come here, and the stop is
//! as complete as the watcher's own. Otherwise (the library) they go elsewhere: what is still below the
//! shell or in its session is stopped, and the stop is not confirmed.

use std::time::Duration;

use crate::runner::local::stop::{GIVE_UP, Pace, Stopper};
use crate::runner::local::tree::Tree;
use crate::runner::local::wire::Tell;
use crate::sys::child::{self, AnyChild, Ended};
use crate::sys::clock::Moment;
use crate::sys::fd;
use crate::sys::pin::Pinned;
use crate::sys::proc::Proc;

/// Waiting for a child has no descriptor here, so its end is looked for this often.
const STEP: Duration = Duration::from_millis(5);

/// What is known of the tree.
pub(super) struct Task<'a> {
    /// The pid of the shell; 0 when it never started.
    pub(super) shell: i32,
    pub(super) shell_pin: Option<&'a Pinned>,
    /// Children of this process that are not the command's.
    pub(super) strangers: &'a [i32],
    pub(super) adopted: bool,
    pub(super) grace: Duration,
    pub(super) stop_signal: i32,
}

/// The children that this process has now.
pub(super) fn own_children() -> Vec<i32> {
    let mut children = Vec::new();
    if child::has_children()
        && let Ok(proc) = Proc::open()
        && let Some(stat) = proc.stat(child::own_pid())
    {
        proc.children(&stat, &mut |pid| children.push(pid));
    }
    children
}

/// Stops what is left. `meanwhile` is called at every step, and says whether to skip the grace.
pub(super) fn stop(task: &Task, tell: &mut dyn FnMut(Tell), meanwhile: &mut dyn FnMut() -> bool) {
    let confirmed = if task.adopted {
        stop_adopted(task, tell, meanwhile)
    } else {
        stop_session(task, meanwhile);
        false
    };
    tell(Tell::StopDone {
        confirmed,
        at: Moment::now(),
    });
}

fn stop_adopted(
    task: &Task,
    tell: &mut dyn FnMut(Tell),
    meanwhile: &mut dyn FnMut() -> bool,
) -> bool {
    let mut tree = Tree::below(child::own_pid());
    for &stranger in task.strangers {
        tree.spare(stranger);
    }
    let mut stopper = Stopper::new(tree, task.shell);
    stopper.describe(tell);
    stopper.ask_to_end(task.stop_signal, true);
    let kill_at = Moment::now().after(task.grace);
    let mut killing: Option<(Moment, Pace)> = None;
    let mut shell = None;
    loop {
        // A walk may miss what changes its pid all the time, so it proves something only where waiting
        // cannot: beside children that are not the command's.
        let no_child = reap_all(task.shell, &mut shell);
        if no_child || (!task.strangers.is_empty() && looks_gone(&mut stopper)) {
            if let Some(ended) = shell {
                tell(Tell::ShellEnded {
                    ended,
                    at: Moment::now(),
                    by_stop: true,
                    empty: true,
                });
            }
            return true;
        }
        let skip_grace = meanwhile();
        let now = Moment::now();
        match &mut killing {
            None if skip_grace || now >= kill_at => {
                stopper.kill_round(shell.is_none());
                killing = Some((now.after(GIVE_UP), Pace::from(now)));
            }
            None => {}
            Some((give_up_at, _)) if now >= *give_up_at => {
                stopper.describe_survivors(tell);
                return false;
            }
            Some((_, pace)) if now >= pace.next() => {
                stopper.kill_round(shell.is_none());
                pace.advance(now);
            }
            Some(_) => {}
        }
        fd::wait(&mut [], Some(STEP));
    }
}

/// Whether walk after walk finds no member.
fn looks_gone(stopper: &mut Stopper) -> bool {
    const WALKS: u32 = 5;
    (0..WALKS).all(|_| !stopper.has_members())
}

/// Reaps what has ended. True when there is no child at all.
fn reap_all(shell: i32, shell_ended: &mut Option<Ended>) -> bool {
    loop {
        match child::reap_any() {
            AnyChild::None => return true,
            AnyChild::Running => return false,
            AnyChild::Reaped(reaped) => {
                if reaped.pid == shell {
                    *shell_ended = Some(reaped.ended);
                }
            }
        }
    }
}

/// Signals all that is in the shell's session or below the shell, until none is found.
fn stop_session(task: &Task, meanwhile: &mut dyn FnMut() -> bool) {
    let Ok(proc) = Proc::open() else { return };
    if task.shell == 0 {
        return;
    }
    let signal_all = |number: i32| {
        let mut found = false;
        proc.processes(&mut |pid| {
            let Ok(pin) = Pinned::open(pid) else { return };
            // The number of a session is not given away while it has members.
            if proc
                .stat(pid)
                .is_some_and(|stat| stat.session == task.shell && stat.state != b'Z')
            {
                found = true;
                let _ = pin.signal(number);
                let _ = pin.signal(libc::SIGCONT);
            }
        });
        let mut below = Tree::below(task.shell);
        if task.shell_pin.is_some_and(|pin| pin.signal(0).is_ok()) {
            below.walk(&proc, &mut |member| {
                found = true;
                let _ = member.pin.signal(number);
                false
            });
        }
        found
    };
    signal_all(task.stop_signal);
    let kill_at = Moment::now().after(task.grace);
    while signal_all(0) {
        if meanwhile() || Moment::now() >= kill_at {
            break;
        }
        fd::wait(&mut [], Some(STEP * 4));
    }
    let give_up_at = Moment::now().after(GIVE_UP);
    while signal_all(libc::SIGKILL) && Moment::now() < give_up_at {
        meanwhile();
        fd::wait(&mut [], Some(STEP));
    }
}
