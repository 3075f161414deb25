//! How the binary is started: by the C library itself, without the runtime that the standard library
//! sets up before `main`.
//!
//! That runtime reads `/proc/self/maps`, installs handlers for stack overflows and more, which takes a
//! tenth of the time of a short command. What of it matters here is done here: descriptors 0 to 2 are
//! open, and SIGPIPE is ignored, so that a write to a closed pipe is an error and not the end.

use crate::sys::process::fail_writes_quietly;
use crate::sys::stdio::open_missing;

/// Runs the binary's main function, and gives back its exit status.
pub fn begin(main: fn() -> i32) -> i32 {
    open_missing();
    fail_writes_quietly();
    main()
}

/// Makes a function the main function of the binary.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[doc(hidden)]
#[macro_export]
macro_rules! main_function {
    ($main:path) => {
        // SAFETY: the one symbol of this name in the binary, with the type that the C library calls.
        // The arguments are read by std::env::args_os, which glibc passes them to by itself.
        #[unsafe(no_mangle)]
        extern "C" fn main() -> i32 {
            $crate::start::begin($main)
        }
    };
}

/// Makes a function the main function of the binary.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
#[doc(hidden)]
#[macro_export]
macro_rules! main_function {
    ($main:path) => {
        fn main() {
            std::process::exit($crate::start::begin($main))
        }
    };
}
