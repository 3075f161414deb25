//! Descriptors: pipes, sockets, events, waiting for them. Nothing here allocates.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::time::Duration;

use nix::fcntl::{FcntlArg, OFlag, fcntl};

/// Turns the -1 of a system call into its error.
pub(crate) fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// The page size in bytes: the largest packet of a pipe (pipe(2), O_DIRECT).
pub(crate) fn page_size() -> usize {
    // SAFETY: a query without arguments to validate.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}

/// Moves a descriptor out of the way of 0, 1 and 2, which a command will take for its own.
pub(crate) fn above_stdio(fd: OwnedFd) -> io::Result<OwnedFd> {
    if fd.as_raw_fd() > 2 {
        return Ok(fd);
    }
    let moved = fcntl(&fd, FcntlArg::F_DUPFD_CLOEXEC(3))?;
    // SAFETY: the kernel has just made this descriptor for us, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(moved) })
}

/// A pipe with these flags: read end, write end. Both are closed on exec and above descriptor 2.
pub(crate) fn pipe(flags: OFlag) -> io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = nix::unistd::pipe2(flags | OFlag::O_CLOEXEC)?;
    Ok((above_stdio(read)?, above_stdio(write)?))
}

/// Bytes that a pipe holds (F_GETPIPE_SZ), a page for each packet.
pub(crate) fn pipe_capacity(fd: BorrowedFd) -> io::Result<usize> {
    let bytes = fcntl(fd, FcntlArg::F_GETPIPE_SZ)?;
    Ok(usize::try_from(bytes).unwrap_or(0))
}

/// Has a pipe hold so many bytes at least (F_SETPIPE_SZ; pipe(7) has the limits).
pub(crate) fn set_pipe_capacity(fd: BorrowedFd, bytes: usize) -> io::Result<()> {
    let bytes = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX);
    fcntl(fd, FcntlArg::F_SETPIPE_SZ(bytes))?;
    Ok(())
}

/// Moves all that is in one pipe to another, at one instant and with the borders of packets, without
/// waiting (splice(2)). Returns the bytes; zero is the end.
pub(crate) fn splice(from: BorrowedFd, to: BorrowedFd) -> io::Result<usize> {
    /// More than a pipe of any size holds.
    const ALL: usize = 1 << 30;
    use nix::fcntl::SpliceFFlags;
    let flags = SpliceFFlags::SPLICE_F_NONBLOCK;
    Ok(nix::fcntl::splice(from, None, to, None, ALL, flags)?)
}

/// Two connected ends that keep the borders of messages and can be read to an end (unix(7)).
pub(crate) fn message_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};
    let (one, other) = socketpair(
        AddressFamily::Unix,
        SockType::SeqPacket,
        None,
        SockFlag::SOCK_CLOEXEC,
    )?;
    Ok((above_stdio(one)?, above_stdio(other)?))
}

/// A counter that makes a sleeping thread wake up (eventfd(2)).
pub(crate) fn event() -> io::Result<OwnedFd> {
    use nix::sys::eventfd::{EfdFlags, EventFd};
    let event = EventFd::from_flags(EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK)?;
    above_stdio(event.into())
}

/// Adds one to an event. A full counter is as good as one that was added to.
pub(crate) fn ring(event: BorrowedFd) {
    let _ = nix::unistd::write(event, &1u64.to_ne_bytes());
}

/// Sets an event back to zero.
pub(crate) fn silence(event: BorrowedFd) {
    let mut count = [0u8; 8];
    let _ = nix::unistd::read(event, &mut count);
}

/// A second descriptor for the same open file.
pub(crate) fn duplicate(fd: BorrowedFd) -> io::Result<OwnedFd> {
    above_stdio(fd.try_clone_to_owned()?)
}

/// Another descriptor for the file behind this number, above descriptor 2 and closed on exec.
pub(crate) fn duplicate_number(number: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: F_DUPFD_CLOEXEC looks a number up and makes a new one, which nobody else knows.
    unsafe {
        let copy = check(libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 3))?;
        Ok(OwnedFd::from_raw_fd(copy))
    }
}

/// A file in memory with this content, positioned at its start (memfd_create(2)).
pub(crate) fn memory_file(content: &[u8]) -> io::Result<OwnedFd> {
    use std::io::{Seek, Write};
    let fd = nix::sys::memfd::memfd_create(c"command", nix::sys::memfd::MFdFlags::MFD_CLOEXEC)?;
    let mut file = std::fs::File::from(above_stdio(fd)?);
    file.write_all(content)?;
    file.rewind()?;
    Ok(file.into())
}

/// Sets or clears flags of an open file (F_SETFL); the others stay.
pub(crate) fn set_flags(fd: BorrowedFd, flags: OFlag, on: bool) -> io::Result<()> {
    let before = OFlag::from_bits_retain(fcntl(fd, FcntlArg::F_GETFL)?);
    let mut all = before;
    all.set(flags, on);
    if all != before {
        fcntl(fd, FcntlArg::F_SETFL(all))?;
    }
    Ok(())
}

/// Has the kernel send `signal` to the calling thread alone for every write on the other end of this
/// pipe, one queued signal a write, carrying the descriptor (fcntl(2), F_SETSIG, F_SETOWN_EX).
pub(crate) fn notify_this_thread(fd: BorrowedFd, signal: i32) -> io::Result<()> {
    /// F_SETOWN_EX, F_SETSIG and `struct f_owner_ex` of linux/fcntl.h.
    const F_SETOWN_EX: libc::c_int = 15;
    const F_SETSIG: libc::c_int = 10;
    const F_OWNER_TID: libc::c_int = 0;
    #[repr(C)]
    struct Owner {
        kind: libc::c_int,
        pid: libc::pid_t,
    }
    let owner = Owner {
        kind: F_OWNER_TID,
        pid: nix::unistd::gettid().as_raw(),
    };
    // SAFETY: `owner` has the layout that F_SETOWN_EX reads, and outlives the call.
    check(unsafe { libc::fcntl(fd.as_raw_fd(), F_SETOWN_EX, &owner) })?;
    // SAFETY: F_SETSIG takes a number.
    check(unsafe { libc::fcntl(fd.as_raw_fd(), F_SETSIG, signal) })?;
    Ok(())
}

/// Bytes that can be read at once.
pub(crate) fn readable_bytes(fd: BorrowedFd) -> usize {
    let mut count: libc::c_int = 0;
    // SAFETY: FIONREAD writes one int to the given place.
    let result = unsafe { libc::ioctl(fd.as_raw_fd(), libc::FIONREAD, &mut count) };
    if result < 0 {
        0
    } else {
        usize::try_from(count).unwrap_or(0)
    }
}

/// Device and inode: two descriptors with the same are the same pipe.
pub(crate) fn identity(fd: BorrowedFd) -> io::Result<(u64, u64)> {
    let status = nix::sys::stat::fstat(fd)?;
    Ok((status.st_dev, status.st_ino))
}

/// Appends what one read gives, at most `limit` bytes. Zero bytes are the end.
pub(crate) fn read_into(fd: BorrowedFd, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
    buffer.reserve(limit);
    let spare = buffer.spare_capacity_mut();
    let room = spare.len().min(limit);
    // SAFETY: the kernel writes at most `room` bytes to spare capacity of that size.
    let count = unsafe { libc::read(fd.as_raw_fd(), spare.as_mut_ptr().cast(), room) };
    let count = usize::try_from(count).map_err(|_| io::Error::last_os_error())?;
    // SAFETY: the first `count` bytes of the spare capacity are now initialised.
    unsafe { buffer.set_len(buffer.len() + count) };
    Ok(count)
}

/// Sends one message without waiting and without SIGPIPE.
pub(crate) fn send(socket: BorrowedFd, message: &[u8]) -> io::Result<()> {
    let flags = libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT;
    // SAFETY: the message is valid for reading for its length.
    let sent = unsafe {
        libc::send(
            socket.as_raw_fd(),
            message.as_ptr().cast(),
            message.len(),
            flags,
        )
    };
    if sent < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

/// What came out of a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Received {
    /// A message of that many bytes.
    Message(usize),
    /// Nothing yet.
    Nothing,
    /// The other end is closed by everyone.
    End,
}

/// Receives one message without waiting.
pub(crate) fn receive(socket: BorrowedFd, buffer: &mut [u8]) -> Received {
    loop {
        // SAFETY: the buffer is valid for writing for its length.
        let count = unsafe {
            libc::recv(
                socket.as_raw_fd(),
                buffer.as_mut_ptr().cast(),
                buffer.len(),
                libc::MSG_DONTWAIT,
            )
        };
        match usize::try_from(count) {
            Ok(0) => return Received::End,
            Ok(count) => return Received::Message(count),
            Err(_) => match io::Error::last_os_error().raw_os_error() {
                // ECONNRESET: the other end was closed before it had read all. That is said once, and
                // before the messages that it had sent.
                Some(libc::EINTR | libc::ECONNRESET) => {}
                Some(libc::EAGAIN) => return Received::Nothing,
                _ => return Received::End,
            },
        }
    }
}

/// One descriptor to wait for, and what was seen.
pub(crate) type Waiting = libc::pollfd;

/// Waits for input (or an end, or an error) on `fd`. A negative number is passed over.
pub(crate) fn waiting(fd: RawFd) -> Waiting {
    Waiting {
        fd,
        events: libc::POLLIN,
        revents: 0,
    }
}

/// Sleeps until one of `places` has something, or the time is over; for ever without one (ppoll(2)).
pub(crate) fn wait(places: &mut [Waiting], timeout: Option<Duration>) {
    let timeout = timeout.map(|time| libc::timespec {
        tv_sec: libc::time_t::try_from(time.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: libc::c_long::from(time.subsec_nanos() as i32),
    });
    let timeout = timeout
        .as_ref()
        .map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the slice is valid for its length, the timeout null or valid; the mask stays as it is.
    // An error (EINTR) leaves `revents` as they were, zero: the caller looks again.
    unsafe {
        libc::ppoll(
            places.as_mut_ptr(),
            places.len() as libc::nfds_t,
            timeout,
            std::ptr::null(),
        )
    };
}

/// Whether this descriptor has something, which is waited for so long at most.
pub(crate) fn is_ready_within(fd: RawFd, time: Duration) -> bool {
    let mut place = [waiting(fd)];
    wait(&mut place, Some(time));
    place.iter().any(|place| place.revents != 0)
}

/// Makes `fd` the descriptor `target`, which stays open across exec.
pub(crate) fn place(fd: RawFd, target: RawFd) -> io::Result<()> {
    // SAFETY: dup2 on numbers; used only in a child that is about to call exec.
    check(unsafe { libc::dup2(fd, target) })?;
    Ok(())
}

/// Closes every descriptor from 0 up but those in `keep`, which must be sorted.
pub(crate) fn close_all_but(keep: &[RawFd], first: RawFd) {
    let mut from = first;
    for &kept in keep.iter().filter(|&&fd| fd >= first) {
        if kept > from {
            close_range(from, kept - 1);
        }
        from = kept.saturating_add(1);
    }
    close_range(from, RawFd::MAX);
}

fn close_range(from: RawFd, to: RawFd) {
    // SAFETY: closes numbers; the callers are processes of our own making that use none of them.
    let result = unsafe { libc::syscall(libc::SYS_close_range, from as u32, to as u32, 0u32) };
    if result == 0 {
        return;
    }
    // Before Linux 5.9: one by one, up to the limit (getrlimit(2)), within which every number lies
    // unless the limit was lowered later.
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` is valid for writing.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) };
    let last = RawFd::try_from(limit.rlim_max)
        .unwrap_or(1 << 20)
        .min(1 << 20)
        .min(to);
    for fd in from..=last {
        // SAFETY: as above.
        unsafe { libc::close(fd) };
    }
}

/// Lets a descriptor live on across exec (clears FD_CLOEXEC).
pub(crate) fn keep_on_exec(fd: RawFd) -> io::Result<()> {
    // SAFETY: F_SETFD with a number.
    check(unsafe { libc::fcntl(fd, libc::F_SETFD, 0) })?;
    Ok(())
}

/// Gives up ownership in a forked child, where closing is done for all descriptors at once.
pub(crate) fn forget(fd: OwnedFd) -> RawFd {
    fd.into_raw_fd()
}

/// Borrows a number that the caller knows to be open for as long as it is used.
pub(crate) fn borrow(fd: &impl AsFd) -> BorrowedFd<'_> {
    fd.as_fd()
}

/// Owns a number that is known to be open and to have no other owner, as in a forked child.
pub(crate) fn own(fd: RawFd) -> OwnedFd {
    // SAFETY: the caller's promise above.
    unsafe { OwnedFd::from_raw_fd(fd) }
}
