//! The kernel, wrapped: everything above reads like prose, and all `unsafe` of the crate is here.
//!
//! The modules used after a fork ([`child`], [`fd`], [`memory`], [`proc`], [`signal`], [`clock`])
//! neither allocate nor lock, so that the watcher may use them in the copy of a process that had
//! threads (signal-safety(7)).
#![allow(unsafe_code)]

pub(crate) mod child;
pub(crate) mod clock;
pub(crate) mod fd;
pub(crate) mod memory;
pub(crate) mod proc;
#[cfg(feature = "cli")]
pub mod process;
pub(crate) mod signal;
#[cfg(feature = "cli")]
pub mod start;
#[cfg(feature = "cli")]
pub mod stdio;
#[cfg(feature = "cli")]
pub mod terminal;
pub(crate) mod title;
#[cfg(feature = "cli")]
pub mod watch;
