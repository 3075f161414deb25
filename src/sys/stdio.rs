//! The standard descriptors of the binary: which were closed at its start, and who reads its output.

use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::stat::{SFlag, fstat};

use crate::sys::descriptor::is_open;

static STDOUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Runs before `main`, after which a standard descriptor that was closed is open on `/dev/null`.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    STDOUT_WAS_CLOSED.store(!is_open(1), Ordering::Relaxed);
}

/// Whether standard output was closed when this process started, so that no report can be written.
pub fn stdout_was_closed() -> bool {
    STDOUT_WAS_CLOSED.load(Ordering::Relaxed)
}

/// Opens `/dev/null` in place of each standard descriptor that is closed, so that no pipe of a command
/// lands there.
pub(crate) fn open_missing() {
    for number in 0..=2 {
        if !is_open(number) {
            // SAFETY: a constant path. The lowest free number is this one, since those below are open;
            // it stays open on purpose.
            unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) };
        }
    }
}

/// Whether somebody at another end can go away: a pipe or a socket.
pub fn has_another_end(file: impl AsFd) -> bool {
    fstat(file).is_ok_and(|stat| {
        let kind = SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT;
        kind == SFlag::S_IFIFO || kind == SFlag::S_IFSOCK
    })
}

/// Whether the reader of a pipe or a socket has gone away.
pub fn is_reader_gone(file: impl AsFd) -> bool {
    let mut places = [PollFd::new(file.as_fd(), PollFlags::empty())];
    let gone = PollFlags::POLLERR | PollFlags::POLLHUP;
    poll(&mut places, PollTimeout::ZERO).is_ok()
        && places[0]
            .revents()
            .is_some_and(|seen| seen.intersects(gone))
}
