//! Making, pinning, signalling and reaping processes.

use std::ffi::{CString, c_char, c_int, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;

use crate::sys::{fd, signal};

/// Which side of a fork this is.
pub(crate) enum Forked {
    /// The parent, with the child's pid.
    Parent(i32),
    /// The child: it may use only what is safe after a fork (signal-safety(7)).
    Child,
}

/// Makes a copy of this process with one thread (fork(2)).
pub(crate) fn fork() -> io::Result<Forked> {
    // SAFETY: the only caller runs the watcher in the child, which neither allocates nor locks, and
    // leaves it by `exit_now`.
    match fd::check(unsafe { libc::fork() })? {
        0 => Ok(Forked::Child),
        pid => Ok(Forked::Parent(pid)),
    }
}

/// Ends this process without running anything that was registered for its end (_exit(2)).
pub(crate) fn exit_now(code: i32) -> ! {
    // SAFETY: always safe; nothing of the process runs afterwards.
    unsafe { libc::_exit(code) }
}

/// A new session, and a process group in it, led by this process (setsid(2)).
pub(crate) fn new_session() {
    // Fails only for the leader of a group, which a fresh child is not.
    let _ = nix::unistd::setsid();
}

/// From now on orphaned descendants become children of this process (prctl(2)).
pub(crate) fn become_subreaper() -> io::Result<()> {
    Ok(nix::sys::prctl::set_child_subreaper(true)?)
}

/// When the parent dies, this process is continued (SIGCONT), so that one that was stopped sees that it
/// was orphaned. The thread that made it counts as the parent (PR_SET_PDEATHSIG), so a SIGCONT may also
/// come while the parent lives.
pub(crate) fn continue_when_orphaned() {
    let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGCONT);
}

/// From now on this process, when it is woken, interrupts no other one (SCHED_BATCH, sched(7)).
pub(crate) fn give_way() {
    let parameter = libc::sched_param { sched_priority: 0 };
    // SAFETY: the parameter is valid. Where it is refused, the process is as eager as before.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_BATCH, &parameter) };
}

/// No other process of the same user may trace this one or read its memory (PR_SET_DUMPABLE).
pub(crate) fn refuse_tracers() {
    let _ = nix::sys::prctl::set_dumpable(false);
}

/// Raises the soft limit of open descriptors to the hard one (setrlimit(2)).
pub(crate) fn raise_descriptor_limit() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}

/// A null-terminated array of strings as exec(3) wants it, made before the fork.
pub(crate) struct StringArray {
    pointers: Vec<*const c_char>,
    _strings: Vec<CString>,
}

// SAFETY: the pointers lead into the strings beside them, which never change.
unsafe impl Send for StringArray {}

impl StringArray {
    pub(crate) fn new(strings: Vec<CString>) -> Self {
        let mut pointers: Vec<*const c_char> =
            strings.iter().map(|string| string.as_ptr()).collect();
        pointers.push(std::ptr::null());
        Self {
            pointers,
            _strings: strings,
        }
    }
}

/// Everything a program needs to start, ready before the fork.
pub(crate) struct Program {
    pub(crate) path: CString,
    pub(crate) arguments: StringArray,
    pub(crate) environment: StringArray,
    pub(crate) folder: CString,
    /// What becomes descriptor 0, 1 and 2.
    pub(crate) stdio: [RawFd; 3],
    /// Further descriptors that the program sees under their own numbers; sorted.
    pub(crate) passed: Vec<RawFd>,
    /// A descriptor that the program sees under another number, one that is not passed.
    pub(crate) moved: Option<(RawFd, RawFd)>,
    pub(crate) stack: Stack,
}

/// The step at which a start failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Step {
    /// Making the process (fork(2)).
    Fork,
    /// Placing descriptors (dup2(2)).
    Descriptors,
    /// Entering the folder (chdir(2)).
    Folder,
    /// Starting the program (execve(2)).
    Program,
}

/// A start that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StartFailure {
    pub(crate) step: Step,
    pub(crate) errno: i32,
}

impl StartFailure {
    pub(crate) fn at(step: Step, error: &io::Error) -> Self {
        let errno = error.raw_os_error().unwrap_or(0);
        Self { step, errno }
    }
}

/// Room for the stack of a child until its exec. It calls nothing deep, and of what is made before the
/// fork only what is used of it is ever touched.
pub(crate) struct Stack(std::cell::UnsafeCell<Box<[MaybeUninit<u128>]>>);

impl Stack {
    const BYTES: usize = 32 * 1024;

    pub(crate) fn new() -> Self {
        Self(std::cell::UnsafeCell::new(Box::new_uninit_slice(
            Self::BYTES / size_of::<u128>(),
        )))
    }

    /// Its upper end, from which it grows down.
    fn top(&self) -> *mut MaybeUninit<u128> {
        // SAFETY: only the place is asked for; the end of an allocation is part of it.
        unsafe { (*self.0.get()).as_mut_ptr_range().end }
    }
}

struct Start<'a> {
    program: &'a Program,
    failure: Option<StartFailure>,
}

/// Starts a program in a session of its own, with a fresh signal state. The calling process has one
/// thread. Returns when the program runs or has failed to.
pub(crate) fn start(program: &Program) -> Result<i32, StartFailure> {
    let mut start = Start {
        program,
        failure: None,
    };
    // With CLONE_VFORK this process sleeps until the child has called exec or ended, so sharing its
    // memory (CLONE_VM) is safe, spares copying page tables, and carries the failure back.
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the child runs `run_start` on a stack of its own that outlives it, touches only
    // `start`, and does nothing but system calls.
    let pid = unsafe {
        let top = program.stack.top();
        libc::clone(
            run_start,
            top.cast(),
            flags,
            std::ptr::from_mut(&mut start).cast::<c_void>(),
        )
    };
    if pid < 0 {
        return Err(StartFailure {
            step: Step::Fork,
            errno: errno(),
        });
    }
    match start.failure {
        None => Ok(pid),
        Some(failure) => {
            reap(pid);
            Err(failure)
        }
    }
}

extern "C" fn run_start(start: *mut c_void) -> c_int {
    // SAFETY: `start` is the structure of the sleeping parent; nobody else uses it meanwhile.
    let start = unsafe { &mut *start.cast::<Start>() };
    let program = start.program;
    new_session();
    signal::reset_all();
    if let Err(failure) = arrange(program) {
        start.failure = Some(failure);
        return 127;
    }
    // SAFETY: all strings and arrays end in null and outlive the call.
    unsafe {
        libc::execve(
            program.path.as_ptr(),
            program.arguments.pointers.as_ptr(),
            program.environment.pointers.as_ptr(),
        );
    }
    start.failure = Some(StartFailure {
        step: Step::Program,
        errno: errno(),
    });
    127
}

fn arrange(program: &Program) -> Result<(), StartFailure> {
    let at = |step| move |error: io::Error| StartFailure::at(step, &error);
    for (target, &source) in program.stdio.iter().enumerate() {
        fd::place(source, target as RawFd).map_err(at(Step::Descriptors))?;
    }
    if let Some((source, target)) = program.moved {
        fd::place(source, target).map_err(at(Step::Descriptors))?;
    }
    for &passed in &program.passed {
        fd::keep_on_exec(passed).map_err(at(Step::Descriptors))?;
    }
    // A failed exec needs nothing open; the descriptor of a memory file is kept by its target.
    match program.moved {
        None => fd::close_all_but(&program.passed, 3),
        Some((_, target)) => {
            let (below, above) = program
                .passed
                .split_at(program.passed.partition_point(|&fd| fd < target));
            close_between(below, 3, target);
            fd::close_all_but(above, target + 1);
        }
    }
    // SAFETY: the folder is a valid string.
    fd::check(unsafe { libc::chdir(program.folder.as_ptr()) }).map_err(at(Step::Folder))?;
    Ok(())
}

/// Closes the numbers from `first` up to `end`, but not those in `keep`.
fn close_between(keep: &[RawFd], first: RawFd, end: RawFd) {
    for number in first..end {
        if !keep.contains(&number) {
            // SAFETY: in a child before its exec, where no number but the kept ones is needed.
            unsafe { libc::close(number) };
        }
    }
}

fn errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It exited with this code.
    Code(i32),
    /// A signal of this number ended it.
    Signal(i32),
}

/// A process that was reaped, and what it and all that it had waited for used.
pub(crate) struct Reaped {
    pub(crate) pid: i32,
    pub(crate) ended: Ended,
    pub(crate) user_us: u64,
    pub(crate) system_us: u64,
    pub(crate) max_rss_bytes: u64,
}

/// What waiting for any child found.
pub(crate) enum AnyChild {
    /// One that had ended; it is reaped.
    Reaped(Reaped),
    /// There are children, and none has ended.
    Running,
    /// There is no child: nothing descends from this process (ECHILD, wait(2)).
    None,
}

/// Reaps one child that has ended, without waiting. Only ECHILD says that there is none. `__WALL` finds children of every kind, also those
/// that a clone(2) without SIGCHLD made.
pub(crate) fn reap_any() -> AnyChild {
    let mut status: c_int = 0;
    // SAFETY: plain numbers, for which zero is valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both places are valid for writing.
    let pid = unsafe { libc::wait4(-1, &mut status, libc::WNOHANG | libc::__WALL, &mut usage) };
    match pid {
        0 => AnyChild::Running,
        pid if pid < 0 && errno() == libc::ECHILD => AnyChild::None,
        // Nothing is known; the next look tells.
        pid if pid < 0 => AnyChild::Running,
        pid => {
            let us = |time: libc::timeval| {
                (time.tv_sec as u64)
                    .saturating_mul(1_000_000)
                    .saturating_add(time.tv_usec as u64)
            };
            AnyChild::Reaped(Reaped {
                pid,
                ended: decode(status),
                user_us: us(usage.ru_utime),
                system_us: us(usage.ru_stime),
                // Kilobytes on Linux (getrusage(2)).
                max_rss_bytes: (usage.ru_maxrss as u64).saturating_mul(1024),
            })
        }
    }
}

fn decode(status: c_int) -> Ended {
    if libc::WIFSIGNALED(status) {
        Ended::Signal(libc::WTERMSIG(status))
    } else {
        Ended::Code(libc::WEXITSTATUS(status))
    }
}

/// Waits for one child and reaps it. One that is gone already is no error: with SIGCHLD ignored the
/// kernel does the same by itself.
pub(crate) fn reap(pid: i32) {
    loop {
        // SAFETY: no status is asked for.
        let result = unsafe { libc::waitpid(pid, std::ptr::null_mut(), libc::__WALL) };
        if result >= 0 || errno() != libc::EINTR {
            return;
        }
    }
}

/// How a child has ended, if it has; it stays to be reaped (waitid(2), WNOWAIT).
pub(crate) fn peek(pid: i32) -> Option<Ended> {
    // SAFETY: a zeroed siginfo is valid, and is the place that is written.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
        let result = libc::waitid(libc::P_PID, pid as libc::id_t, &mut info, flags);
        if result < 0 || info.si_pid() == 0 {
            return None;
        }
        Some(match info.si_code {
            libc::CLD_EXITED => Ended::Code(info.si_status()),
            _ => Ended::Signal(info.si_status()),
        })
    }
}

/// Whether there is any child but this unreaped one. Those that ended before it are reaped on the way.
pub(crate) fn has_others(kept: i32) -> bool {
    loop {
        // SAFETY: as in `peek`.
        let found = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
            if libc::waitid(libc::P_ALL, 0, &mut info, flags) < 0 {
                return errno() != libc::ECHILD;
            }
            info.si_pid()
        };
        if found == 0 || found == kept {
            // Waiting for any child gives the same one again, so what comes after it is not known.
            return true;
        }
        reap(found);
    }
}

/// Whether this process has any child at all, ended or not.
pub(crate) fn has_children() -> bool {
    // SAFETY: as in `has_ended`.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
        libc::waitid(libc::P_ALL, 0, &mut info, flags) == 0
    }
}

/// Sends a signal to a child that is not reaped yet, so that its pid can be no one else's.
pub(crate) fn signal_unreaped(pid: i32, number: i32) -> io::Result<()> {
    // SAFETY: takes numbers.
    fd::check(unsafe { libc::kill(one_process(pid)?, number) }).map(|_| ())
}

/// Sends a signal to the process group that an unreaped child leads.
pub(crate) fn signal_group(leader: i32, number: i32) -> io::Result<()> {
    // SAFETY: takes numbers.
    fd::check(unsafe { libc::killpg(one_process(leader)?, number) }).map(|_| ())
}

/// A pid that stands for one process: 0 would be the caller's own group and -1 everybody (kill(2)), and
/// the pid of a shell that never started is 0.
fn one_process(pid: i32) -> io::Result<i32> {
    match pid {
        2.. => Ok(pid),
        _ => Err(io::Error::from_raw_os_error(libc::ESRCH)),
    }
}

/// The pid of the calling process, asked anew: after a fork it is another one.
pub(crate) fn own_pid() -> i32 {
    // SAFETY: always succeeds.
    unsafe { libc::getpid() }
}

/// Leaves the folder that the process was started in, so that it can be unmounted.
pub(crate) fn enter_root() {
    // SAFETY: a constant string.
    unsafe { libc::chdir(c"/".as_ptr()) };
}
