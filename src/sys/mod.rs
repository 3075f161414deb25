//! The kernel, wrapped: everything above reads like prose, and all `unsafe` of the crate is here.
//!
//! The modules used after a fork ([`child`], [`pin`], [`fd`], [`memory`], [`proc`], [`signal`], [`clock`])
//! neither allocate nor lock, so that the watcher may use them in the copy of a process that had
//! threads (signal-safety(7)).
#![allow(unsafe_code)]

#[cfg(linux_tree)]
pub(crate) mod child;
#[cfg(linux_tree)]
pub(crate) mod clock;
#[cfg(any(linux_tree, feature = "cli"))]
pub mod descriptor;
pub mod failure;
#[cfg(linux_tree)]
pub(crate) mod fd;
#[cfg(not(linux_tree))]
pub(crate) mod group;
#[cfg(linux_tree)]
pub(crate) mod memory;
#[cfg(linux_tree)]
pub(crate) mod pin;
#[cfg(all(linux_tree, feature = "cli"))]
pub(crate) mod poll_set;
#[cfg(linux_tree)]
pub(crate) mod proc;
#[cfg(feature = "cli")]
pub mod process;
#[cfg(linux_tree)]
pub(crate) mod signal;
pub(crate) mod signal_names;
#[cfg(all(not(linux_tree), feature = "cli"))]
mod signal_pipe;
#[cfg(feature = "cli")]
pub mod start;
#[cfg(feature = "cli")]
pub mod stdio;
#[cfg(feature = "cli")]
pub mod terminal;
#[cfg(linux_tree)]
pub(crate) mod title;
#[cfg(feature = "cli")]
pub mod watch;
