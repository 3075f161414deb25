//! Commands on another machine, through the system's `ssh`.
//!
//! A first connection asks what is there: the folder and the environment of a session, and whether there
//! is a `bsh` that speaks the same protocol. The command then runs in a second one.
//!
//! | promise | with `bsh` there | without |
//! | --- | --- | --- |
//! | folder, environment, shell, stop signal and grace are meant there | yes | yes |
//! | exit codes | yes | yes |
//! | signals | yes | as 128 + N |
//! | stdout and stderr in the order of the writes | yes | as the connection brings them |
//! | a stop reaches | the whole tree, and that is checked | the process group, and that is checked |
//! | a cut connection stops | the whole tree | the process group |
//! | processes in notes, background, usage | yes | no |
//! | a command over 128 KiB | yes | refused |
//!
//! The timeout, the cap and the view stay here: whatever passes them is stopped from here. A connection
//! counts as cut when the far sshd says so to what it started; one that is silent is noticed when sshd
//! does (`ClientAliveInterval`, `TCPKeepAlive`).

mod client;
mod connect;
mod far;
mod host;
mod markers;
mod runner;
mod settings;
mod watchdog;
mod wire;

pub use host::{SshHost, SshHostError};
pub use runner::{FarEnv, SshRunner};
pub use settings::SshSettings;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use wire::{FarJob, Frame, FrameReader, PROTOCOL, ToFar, from_far};
