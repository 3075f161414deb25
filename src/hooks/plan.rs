//! What is about to run, as hooks see it.

use std::path::Path;
use std::time::Duration;

use crate::request::BashRequest;

/// What is about to run.
#[derive(Debug, Clone, Copy)]
pub struct Planned<'a> {
    /// What was asked, with the timeout in force.
    pub request: &'a BashRequest,
    /// The command after every rewrite so far.
    pub command: &'a str,
    /// The absolute folder.
    pub cwd: &'a Path,
    /// The timeout in force.
    pub timeout: Duration,
}
