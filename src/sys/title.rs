//! What `ps` shows of this process: its command line and its name.
//!
//! The command's text in the command line of bsh or of the watcher would make them victims of the
//! command's own `pkill -f`, and would show secrets for longer than needed.

use std::ffi::{CStr, c_char, c_int};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

static START: AtomicPtr<c_char> = AtomicPtr::new(std::ptr::null_mut());
static LENGTH: AtomicUsize = AtomicUsize::new(0);

/// Glibc passes the arguments of `main` to every function of this section; where they are not passed,
/// the command line stays as it is.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[used]
#[unsafe(link_section = ".init_array")]
static REMEMBER: extern "C" fn(c_int, *const *mut c_char, *const *mut c_char) = remember;

#[cfg(all(target_os = "linux", target_env = "gnu"))]
extern "C" fn remember(
    count: c_int,
    arguments: *const *mut c_char,
    _environment: *const *mut c_char,
) {
    let Ok(count) = usize::try_from(count) else {
        return;
    };
    if count == 0 || arguments.is_null() {
        return;
    }
    // SAFETY: the loader passes `count` valid strings, which the kernel laid out one after the other
    // (execve(2)); they live as long as the process.
    unsafe {
        let first = *arguments;
        let last = *arguments.add(count - 1);
        let end = last.add(CStr::from_ptr(last).count_bytes());
        if let Ok(length) = usize::try_from(end.offset_from(first)) {
            START.store(first, Ordering::Relaxed);
            LENGTH.store(length, Ordering::Relaxed);
        }
    }
}

/// Replaces the command line that `ps` shows, as far as there is room, by `text`.
///
/// Whoever wants the arguments has to have read them before: the standard library reads them from the
/// memory that is overwritten here.
pub(crate) fn set_command_line(text: &[u8]) {
    let start = START.load(Ordering::Relaxed).cast::<u8>();
    let length = LENGTH.load(Ordering::Relaxed);
    if start.is_null() {
        return;
    }
    for place in 0..length {
        let byte = text.get(place).copied().unwrap_or(0);
        // SAFETY: within the arguments, which are writable memory of this process. Only the binary
        // and the watcher, a process of its own, call this; nobody reads there at the same time.
        unsafe { start.add(place).write(byte) };
    }
}

/// The first word of the command line, to be kept when the rest is hidden.
pub(crate) fn set_name(name: &CStr) {
    // The thread's name is what `ps` and `killall` take for the process's name; 15 bytes at most.
    let _ = nix::sys::prctl::set_name(name);
}
