//! What the binary does to its own process: which signals it takes and how, and how it dies.
//!
//! For the binary alone: a library changes nothing of its host.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use nix::errno::Errno;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal};
use nix::sys::signal::{kill, pthread_sigmask, sigaction};
#[cfg(linux_tree)]
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::{Pid, getpid};

#[cfg(not(linux_tree))]
use crate::sys::signal_pipe::SignalPipe;
#[cfg(linux_tree)]
use crate::sys::title;

/// The signals that abort a call.
const ABORTS: [Signal; 4] = [
    Signal::SIGINT,
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGQUIT,
];

/// A signal that the binary takes while a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// Abort; the number is that of the signal.
    Abort(i32),
    /// SIGTSTP: hold everything.
    Suspend,
    /// SIGUSR1: say how far it is, and go on.
    Snapshot,
    /// SIGCONT: go on. It is taken too, so that one that comes before this process has stopped is not lost.
    Continue,
}

/// The signals of this process, read from a descriptor.
#[derive(Debug)]
pub struct Signals {
    #[cfg(linux_tree)]
    descriptor: SignalFd,
    #[cfg(not(linux_tree))]
    descriptor: SignalPipe,
    mask: SigSet,
}

impl Signals {
    /// Takes the signals that abort, SIGTSTP and SIGUSR1. Whatever mask was inherited is replaced.
    ///
    /// SIGHUP that was ignored stays ignored (nohup(1)), and so does SIGTSTP; the others are always
    /// taken. Reads from a terminal in the background fail in place of stopping this process.
    ///
    /// # Errors
    /// The system has no descriptor to give.
    pub fn take() -> io::Result<Self> {
        for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGQUIT] {
            dispose(signal, SigHandler::SigDfl);
        }
        for signal in [Signal::SIGTTIN, Signal::SIGTTOU] {
            dispose(signal, SigHandler::SigIgn);
        }
        let mut mask = SigSet::empty();
        // A signal that is blocked is kept for the descriptor even where it is ignored.
        for signal in ABORTS.into_iter().chain([Signal::SIGTSTP]) {
            if !is_ignored(signal) {
                mask.add(signal);
            }
        }
        // Taken whatever the caller did with it: at its default it would end this process.
        mask.add(Signal::SIGUSR1);
        mask.add(Signal::SIGCONT);
        pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&mask), None)?;
        #[cfg(linux_tree)]
        let descriptor =
            SignalFd::with_flags(&mask, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
        #[cfg(not(linux_tree))]
        let descriptor = SignalPipe::of(&mask)?;
        Ok(Self { descriptor, mask })
    }

    /// The next signal that is pending, if one is.
    pub fn next(&self) -> Option<Taken> {
        #[cfg(linux_tree)]
        let number = i32::try_from(self.descriptor.read_signal().ok().flatten()?.ssi_signo).ok()?;
        #[cfg(not(linux_tree))]
        let number = self.descriptor.next()?;
        Some(match Signal::try_from(number) {
            Ok(Signal::SIGTSTP) => Taken::Suspend,
            Ok(Signal::SIGCONT) => Taken::Continue,
            Ok(Signal::SIGUSR1) => Taken::Snapshot,
            _ => Taken::Abort(number),
        })
    }

    /// Gives the signals back: from now on each ends the process at once.
    pub fn give_back(&self) {
        if getpid().as_raw() == 1 {
            // The kernel ignores signals at their default for the first process of a namespace
            // (pid_namespaces(7)), so that one needs a handler.
            for signal in ABORTS.into_iter().filter(|signal| !is_ignored(*signal)) {
                dispose(signal, SigHandler::Handler(exit_by_signal));
            }
        }
        // One that is pending too would end this process once it is let through.
        dispose(Signal::SIGUSR1, SigHandler::SigIgn);
        #[cfg(not(linux_tree))]
        for signal in self.mask.iter().filter(|signal| *signal != Signal::SIGUSR1) {
            dispose(signal, SigHandler::SigDfl);
        }
        // What tells the order of writes stays blocked: one may still be pending.
        let _ = pthread_sigmask(SigmaskHow::SIG_UNBLOCK, Some(&self.mask), None);
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

/// Keeps SIGUSR1 waiting until [`Signals::take`], so that one that comes early ends nothing.
pub fn hold_snapshots() {
    let mut early = SigSet::empty();
    early.add(Signal::SIGUSR1);
    // Fails only for a wrong `how`.
    let _ = pthread_sigmask(SigmaskHow::SIG_BLOCK, Some(&early), None);
}

/// Lets all threads share one heap. A heap for each costs more at the start of a thread than it gives
/// to a process whose threads rarely allocate at once (mallopt(3), M_ARENA_MAX).
///
/// It grows by larger steps than usual too (M_TOP_PAD), and what chunks of output leave is kept for the next
/// (M_TRIM_THRESHOLD), since each step is a system call.
fn share_one_heap() {
    #[cfg(target_env = "gnu")]
    // SAFETY: sets numbers of the allocator; called before there is a second thread.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
        libc::mallopt(libc::M_TOP_PAD, 512 * 1024);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 4 * 1024 * 1024);
    }
}

/// Makes this process one that does nothing but run commands: see
/// [`LocalSettings::adopt_orphans`](crate::runner::local::LocalSettings::adopt_orphans).
pub fn run_commands_only() {
    share_one_heap();
    leave_children_to_kernel();
}

/// Leaves only its first word of the command line that others see: the command's text in it would make
/// this process a victim of the command's own `pkill -f`. Read the arguments before.
pub fn hide_arguments(first: Option<&std::ffi::OsString>) {
    use std::os::unix::ffi::OsStrExt as _;
    let first = first.map_or(&b"bsh"[..], |word| word.as_bytes());
    #[cfg(linux_tree)]
    title::set_command_line(first);
    #[cfg(not(linux_tree))]
    let _ = first;
}

/// Makes a write to a pipe that nobody reads an error (EPIPE) and not the end of this process.
pub(crate) fn fail_writes_quietly() {
    dispose(Signal::SIGPIPE, SigHandler::SigIgn);
    // A file that may grow no more (RLIMIT_FSIZE) is an error of a write too (EFBIG).
    dispose(Signal::SIGXFSZ, SigHandler::SigIgn);
}

/// No other process of the same user may open this one's descriptors, memory or environment, or trace it
/// (PR_SET_DUMPABLE): a command could write a report of its own to the standard output of bsh.
pub fn close_to_others() {
    #[cfg(linux_tree)]
    crate::sys::child::refuse_tracers();
}

/// Stops this process (SIGSTOP), and returns when it is continued.
pub fn stop_self() {
    // Never fails for the process itself.
    let _ = kill(getpid(), Signal::SIGSTOP);
}

/// Has the kernel reap the children of this process (sigaction(2), SIGCHLD ignored): nobody asks how a
/// watcher ended, and what is orphaned to this process leaves no zombies.
fn leave_children_to_kernel() {
    // Elsewhere a run waits for its own child.
    #[cfg(linux_tree)]
    dispose(Signal::SIGCHLD, SigHandler::SigIgn);
}

/// Ends this process by a signal, so that whoever waits for it sees why. No core file is written.
/// As pid 1, for which signals at their default do nothing, it exits with 128 + N.
pub fn die_by_signal(number: i32) -> ! {
    let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
    if let Ok(signal) = Signal::try_from(number) {
        dispose(signal, SigHandler::SigDfl);
        let mut mask = SigSet::empty();
        mask.add(signal);
        let _ = pthread_sigmask(SigmaskHow::SIG_UNBLOCK, Some(&mask), None);
        let _ = kill(Pid::this(), signal);
    }
    std::process::exit(128 + number)
}

fn dispose(signal: Signal, handler: SigHandler) {
    let action = SigAction::new(handler, SaFlags::empty(), SigSet::empty());
    // SAFETY: the one handler that is ever set does nothing but _exit(2), which is safe in a signal
    // handler (signal-safety(7)).
    let _ = unsafe { sigaction(signal, &action) };
}

fn is_ignored(signal: Signal) -> bool {
    // SAFETY: a null action only asks; the kernel writes into a zeroed action, which is valid.
    unsafe {
        let mut current: libc::sigaction = std::mem::zeroed();
        let asked = libc::sigaction(signal as i32, std::ptr::null(), &mut current);
        Errno::result(asked).is_ok() && current.sa_sigaction == libc::SIG_IGN
    }
}

extern "C" fn exit_by_signal(number: libc::c_int) {
    // SAFETY: _exit(2) is safe in a signal handler.
    unsafe { libc::_exit(128 + number) }
}
