//! The signals of the binary through a pipe that their handler writes to, for systems without signalfd.

use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicI32, Ordering};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, sigaction};

/// The end that the handler writes to.
static WRITE_END: AtomicI32 = AtomicI32::new(-1);

/// Signals as a descriptor: one byte each, its number.
#[derive(Debug)]
pub(super) struct SignalPipe {
    read: OwnedFd,
    _write: OwnedFd,
}

impl SignalPipe {
    /// Takes these signals from now on, whatever was done with them before.
    pub(super) fn of(signals: &SigSet) -> io::Result<Self> {
        let (read, write) = nix::unistd::pipe()?;
        for end in [&read, &write] {
            fcntl(end, FcntlArg::F_SETFD(nix::fcntl::FdFlag::FD_CLOEXEC))?;
            fcntl(end, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        }
        WRITE_END.store(write.as_raw_fd(), Ordering::Relaxed);
        let action = SigAction::new(
            SigHandler::Handler(write_number),
            SaFlags::SA_RESTART,
            SigSet::empty(),
        );
        for signal in signals {
            // SAFETY: the handler only writes to a pipe, which is safe in one (signal-safety(7)).
            unsafe { sigaction(signal, &action) }?;
        }
        signals.thread_unblock()?;
        Ok(Self {
            read,
            _write: write,
        })
    }

    /// The next signal that came.
    pub(super) fn next(&self) -> Option<i32> {
        let mut number = [0u8];
        let count = nix::unistd::read(&self.read, &mut number).ok()?;
        (count == 1).then_some(i32::from(number[0]))
    }
}

impl AsFd for SignalPipe {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.read.as_fd()
    }
}

extern "C" fn write_number(number: libc::c_int) {
    let byte = number as u8;
    // SAFETY: writes one byte to a descriptor; a full pipe drops it, and many are in it then.
    unsafe {
        libc::write(
            WRITE_END.load(Ordering::Relaxed),
            std::ptr::from_ref(&byte).cast(),
            1,
        )
    };
}
