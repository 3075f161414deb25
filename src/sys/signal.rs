//! Signals: masks and dispositions, and reading them from a descriptor.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use nix::sys::signal::{SigSet, SigmaskHow, pthread_sigmask};

use crate::sys::fd;
use crate::sys::signal_names::SIGNALS;

/// The number that a descriptor's notifications use: a real-time signal, so that they queue.
pub(crate) fn notification() -> i32 {
    libc::SIGRTMIN() + 3
}

/// Blocks every signal that can be blocked, in the calling thread alone, and returns what was blocked.
pub(crate) fn block_all() -> SigSet {
    let mut before = SigSet::empty();
    // Fails only for a wrong `how`.
    let _ = pthread_sigmask(
        SigmaskHow::SIG_SETMASK,
        Some(&SigSet::all()),
        Some(&mut before),
    );
    before
}

/// Blocks the signals of notifications in the calling thread, beside what is blocked there.
#[cfg(feature = "cli")]
pub(crate) fn block_notifications() {
    let set = set_of([notification(), libc::SIGIO]);
    // SAFETY: the set is valid, and no old one is asked for.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()) };
}

/// Blocks exactly these in the calling thread.
pub(crate) fn set_blocked(signals: &SigSet) {
    let _ = pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(signals), None);
}

/// Gives the calling process the signal state of a fresh one: every disposition at its default and
/// nothing blocked. Also the two signals that the C library hides (nptl(7)), hence the raw calls.
pub(crate) fn reset_all() {
    // `struct kernel_sigaction` with room to spare: all zero is SIG_DFL with no flags and no mask.
    let default = [0u64; 8];
    let set = 0u64;
    for signal in 1..SIGNALS {
        // SAFETY: the kernel reads a zeroed action and writes none; it refuses SIGKILL and SIGSTOP.
        unsafe {
            libc::syscall(
                libc::SYS_rt_sigaction,
                signal,
                default.as_ptr(),
                std::ptr::null::<u64>(),
                8usize,
            );
        }
    }
    // SAFETY: the kernel reads a mask of eight bytes.
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigprocmask,
            libc::SIG_SETMASK,
            std::ptr::from_ref(&set),
            std::ptr::null::<u64>(),
            8usize,
        );
    }
}

/// Puts SIGCHLD at its default in the calling process: with SIG_IGN the kernel reaps children before
/// anyone can ask how they ended (sigaction(2)).
pub(crate) fn default_sigchld() {
    // SAFETY: sets a disposition that has no handler.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// A set of exactly these signals.
fn set_of(signals: impl IntoIterator<Item = i32>) -> libc::sigset_t {
    // SAFETY: a zeroed set is valid for sigemptyset and sigaddset. nix knows no real-time signals.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        for signal in signals {
            libc::sigaddset(&mut set, signal);
        }
        set
    }
}

/// A descriptor that is readable while one of these signals is pending for the reader (signalfd(2)).
/// They have to be blocked.
pub(crate) fn descriptor(signals: impl IntoIterator<Item = i32>) -> io::Result<OwnedFd> {
    let set = set_of(signals);
    // SAFETY: the set is valid; the descriptor is new.
    let raw = unsafe { libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
    Ok(fd::own(fd::check(raw)?))
}

/// A descriptor for every signal that can be blocked.
pub(crate) fn descriptor_for_all() -> io::Result<OwnedFd> {
    descriptor(1..SIGNALS)
}

/// One signal as it was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrived {
    pub(crate) number: i32,
    /// The sender, when a process sent it with kill(2) or its like.
    pub(crate) sender: Option<i32>,
    /// The descriptor of a notification.
    pub(crate) fd: i32,
}

/// Reads pending signals into `room`, and returns those that were there.
pub(crate) fn arrived<'a>(
    descriptor: BorrowedFd,
    room: &'a mut [Raw],
) -> impl Iterator<Item = Arrived> + 'a {
    let bytes = std::mem::size_of_val(room);
    // SAFETY: the kernel writes whole records into memory that is made of such records.
    let count = unsafe { libc::read(descriptor.as_raw_fd(), room.as_mut_ptr().cast(), bytes) };
    let records = usize::try_from(count).unwrap_or(0) / size_of::<Raw>();
    room.iter().take(records).map(|raw| {
        // SAFETY: the kernel has just written this record.
        let raw = unsafe { raw.0.assume_init_ref() };
        Arrived {
            number: raw.ssi_signo as i32,
            sender: (raw.ssi_code <= 0 && raw.ssi_pid > 0).then_some(raw.ssi_pid as i32),
            fd: raw.ssi_fd,
        }
    })
}

/// Room for one signal.
#[derive(Clone, Copy)]
pub(crate) struct Raw(MaybeUninit<libc::signalfd_siginfo>);

impl Raw {
    /// Room that nothing was read into yet.
    pub(crate) const fn empty() -> Self {
        Self(MaybeUninit::uninit())
    }
}
