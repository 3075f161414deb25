//! Runs the built `bsh`, and reads what it says. Whatever fails prints all that was seen.

pub mod gate;
pub mod mirror;
pub mod process;
pub mod pty;
pub mod script;
pub mod scripted;
pub mod sshd;
pub mod tools;
pub mod tree;

pub use mirror::Mirror;
pub use process::bsh;

/// What runs a program as a user who owns nothing. Root alone may.
pub const OTHER_USER: [&str; 6] = [
    "setpriv",
    "--reuid",
    "54321",
    "--regid",
    "54321",
    "--clear-groups",
];
