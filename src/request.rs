//! What is asked: the request and its parsers.

use serde::Serialize;

/// A request as a caller states it, and as a report repeats it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BashRequest {
    /// The command line for the shell.
    pub command: String,
    /// The timeout in milliseconds. In a report always set: the timeout in force.
    pub timeout_ms: Option<u64>,
    /// The requested folder, absolute or relative to the runner's default folder.
    pub cwd: Option<String>,
}
