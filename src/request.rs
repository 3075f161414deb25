//! What is asked: the request and its parsers. Nothing is run and no folder is looked at here.

mod error;
mod parse;

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

pub use error::{InputError, Kind, Param};
pub(crate) use parse::place_of_number_too_large;
pub use parse::{parse_bash_input, parse_bash_text};

/// The longest request and the longest command, in bytes.
pub const MAX_REQUEST_BYTES: usize = 16 * 1024 * 1024;

/// A request as a caller states it, and as a report repeats it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BashRequest {
    /// The command line for the shell.
    pub command: String,
    /// The timeout in milliseconds. In a report always set: the timeout in force.
    pub timeout_ms: Option<u64>,
    /// The requested folder, absolute or relative to the runner's default folder.
    pub cwd: Option<String>,
}

impl BashRequest {
    /// A request for a command with the default timeout, in the default folder.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            timeout_ms: None,
            cwd: None,
        }
    }

    /// Asks for a timeout, rounded up to a whole millisecond.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout_ms = Some(whole_millis(timeout));
        self
    }

    /// Asks for a folder.
    #[must_use]
    pub fn with_cwd(mut self, cwd: impl Into<String>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Checks what the types do not say.
    ///
    /// # Errors
    /// A blank command or folder, a NUL in either, a command over 16 MiB, a timeout of zero.
    pub fn validate(&self) -> Result<(), InputError> {
        if self.command.len() > MAX_REQUEST_BYTES {
            return Err(InputError::CommandTooLarge);
        }
        check_text(Param::Command, &self.command)?;
        if let Some(cwd) = &self.cwd {
            check_text(Param::Cwd, cwd)?;
        }
        match self.timeout_ms {
            Some(0) => Err(InputError::Timeout("0".to_owned())),
            _ => Ok(()),
        }
    }
}

/// Milliseconds, rounded up, as a request counts them.
pub fn whole_millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

/// What a call may be given.
#[derive(Debug, Clone)]
pub enum Input {
    /// A request made by a program.
    Request(BashRequest),
    /// A JSON value, as [`parse_bash_input`] takes it.
    Value(Value),
    /// JSON text, as [`parse_bash_text`] takes it.
    Text(Vec<u8>),
    /// Input that was refused on the way here, so that its report is made like any other.
    Refused(InputError),
}

impl From<BashRequest> for Input {
    fn from(request: BashRequest) -> Self {
        Self::Request(request)
    }
}

impl From<Value> for Input {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

impl Input {
    /// The request, checked.
    ///
    /// # Errors
    /// Why it is none.
    pub fn into_request(self) -> Result<BashRequest, InputError> {
        match self {
            Self::Request(request) => request.validate().map(|()| request),
            Self::Value(value) => parse_bash_input(&value),
            Self::Text(text) => parse_bash_text(&text),
            Self::Refused(error) => Err(error),
        }
    }
}

fn check_text(param: Param, text: &str) -> Result<(), InputError> {
    // Not by memchr: asking the processor what it can do takes longer than a command of usual length.
    if let Some(offset) = text.bytes().position(|byte| byte == 0) {
        return Err(InputError::Nul { param, offset });
    }
    if text.trim().is_empty() {
        return Err(InputError::Blank(param));
    }
    Ok(())
}
