//! The kernel, wrapped: everything above reads like prose, and all `unsafe` of the crate is here.
#![allow(unsafe_code)]

#[cfg(feature = "cli")]
pub mod process;
pub(crate) mod signal;
#[cfg(feature = "cli")]
pub mod stdio;
#[cfg(feature = "cli")]
pub mod watch;
