//! Process groups, for systems on which a process tree cannot be followed.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use nix::sys::signal::{SigHandler, SigSet, Signal};

use crate::sys::signal_names::SIGNALS;

/// Has a command start in a session of its own with a fresh signal state, and with no descriptor but 0 to
/// 2 and those passed.
pub(crate) fn separate(command: &mut Command, passed: Vec<i32>) {
    let limit = nix::unistd::sysconf(nix::unistd::SysconfVar::OPEN_MAX);
    let limit = limit
        .ok()
        .flatten()
        .and_then(|limit| i32::try_from(limit).ok());
    let limit = limit.unwrap_or(1024).min(1 << 16);
    let start = move || -> io::Result<()> {
        nix::unistd::setsid()?;
        for number in 1..SIGNALS {
            if let Ok(signal) = Signal::try_from(number) {
                // SAFETY: a disposition without a handler. SIGKILL and SIGSTOP are refused.
                let _ = unsafe { nix::sys::signal::signal(signal, SigHandler::SigDfl) };
            }
        }
        SigSet::empty().thread_set_mask()?;
        for number in 3..limit {
            let flags = if passed.contains(&number) {
                0
            } else {
                libc::FD_CLOEXEC
            };
            // SAFETY: sets a flag of a number, open or not.
            unsafe { libc::fcntl(number, libc::F_SETFD, flags) };
        }
        Ok(())
    };
    // SAFETY: the closure makes system calls only, and allocates nothing (signal-safety(7)).
    unsafe { command.pre_exec(start) };
}

/// A second descriptor for what a number stands for.
pub(crate) fn duplicate(number: i32) -> io::Result<std::os::fd::OwnedFd> {
    // SAFETY: the caller's descriptor is open, and only borrowed for this call.
    unsafe { std::os::fd::BorrowedFd::borrow_raw(number) }.try_clone_to_owned()
}

/// Waits until a child has ended, and leaves it to be reaped, so that its group's number stays its own.
pub(crate) fn wait_unreaped(pid: u32) {
    // SAFETY: a zeroed siginfo is valid, and is the place that is written.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        while libc::waitid(libc::P_PID, pid, &mut info, libc::WEXITED | libc::WNOWAIT) < 0
            && io::Error::last_os_error().raw_os_error() == Some(libc::EINTR)
        {}
    }
}

/// Sends a signal to the group of an unreaped child that leads it.
pub(crate) fn signal(leader: u32, number: i32) {
    // SAFETY: takes numbers.
    unsafe { libc::killpg(leader as libc::pid_t, number) };
}
