//! The start of a watcher: it makes itself one, waits until the output is listened to, and starts the shell.
//!
//! Nothing here allocates, locks, or can panic: see `watcher.rs`.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::time::Duration;

use crate::runner::local::watcher::{Watcher, tell};
use crate::runner::local::wire::{Ask, Tell};
use crate::sys::child::{self, Program, StartFailure, Step};
use crate::sys::fd::{self, Received};
use crate::sys::{signal, title};

/// The name that `ps` shows for the watcher. Not that of bsh, so that whoever kills all that is called
/// bsh leaves the watcher, which then stops the tree.
const NAME: &std::ffi::CStr = c"watcher";
const COMMAND_LINE: &[u8] = b"watcher of one shell command";

/// What the watcher needs, made before the fork.
pub(super) struct Watch<'a> {
    pub(super) program: &'a Program,
    /// The watcher's end of the message pair.
    pub(super) control: RawFd,
    /// All that the start of the program needs, and `control`; sorted.
    pub(super) keep: &'a [RawFd],
    /// Device and inode of the two pipes of the output.
    pub(super) pipes: [(u64, u64); 2],
    pub(super) grace: Duration,
    pub(super) stop_signal: i32,
    pub(super) usage: bool,
}

/// Starts the shell and watches it to the end. Runs in a process of its own and never returns.
pub(super) fn run(watch: &Watch) -> ! {
    signal::block_all();
    signal::default_sigchld();
    child::new_session();
    child::continue_when_orphaned();
    title::set_name(NAME);
    title::set_command_line(COMMAND_LINE);
    let control = fd::own(watch.control);
    let signals = match child::become_subreaper().and_then(|()| signal::descriptor_for_all()) {
        Ok(signals) => signals,
        Err(error) => {
            tell(
                &control,
                Tell::NotStarted(StartFailure::at(Step::Fork, &error)),
            );
            child::exit_now(0)
        }
    };
    if !may_go(&control, watch.keep) {
        child::exit_now(0);
    }
    match child::start(watch.program) {
        Err(failure) => {
            tell(&control, Tell::NotStarted(failure));
            child::exit_now(0)
        }
        Ok(shell) => {
            tell(&control, Tell::Started { pid: shell });
            let mut keep = [control.as_raw_fd(), signals.as_raw_fd()];
            keep.sort_unstable();
            fd::close_all_but(&keep, 0);
            child::refuse_tracers();
            child::enter_root();
            child::raise_descriptor_limit();
            Watcher::new(watch, control, signals, shell).run()
        }
    }
}

/// Waits until the output is listened to, with nothing open but `keep`; false when the runner has died before.
fn may_go(control: &OwnedFd, keep: &[RawFd]) -> bool {
    let mut is_alone = false;
    loop {
        let mut buffer = [0; 8];
        match fd::receive(fd::borrow(control), &mut buffer) {
            Received::Message(length) => {
                return buffer.get(..length).and_then(Ask::decode) == Some(Ask::Go);
            }
            Received::End => return false,
            Received::Nothing if is_alone => {
                fd::wait(&mut [fd::waiting(control.as_raw_fd())], None);
            }
            // The runner's end of the socket too: held here, or by the watcher of another run, its end
            // would never be seen.
            Received::Nothing => {
                is_alone = true;
                fd::close_all_but(keep, 0);
            }
        }
    }
}
