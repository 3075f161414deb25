//! Runs one shell command safely and reports truthfully what happened.
//!
//! A [`BashTool`] takes a [`BashRequest`] and gives back a [`ShellResult`]: one way through the stages
//! input → resolve → beforeRun → authorize → env → spill → run → afterRun → format. Each part of it
//! can be replaced: the [`limits`], the [`runner`], the [`environment`], the wording ([`messages`]),
//! the [`hooks`], the text ([`format`](mod@format)). A [`Control`] aborts, suspends and resumes a call; dropping its future
//! stops the command.
//!
//! The library changes nothing of its host: no signal dispositions, no children it did not start.

pub mod control;
pub mod environment;
pub mod format;
pub mod hooks;
pub mod limits;
pub mod meaning;
pub mod messages;
pub mod observer;
pub mod output;
pub mod report;
pub mod request;
pub mod runner;
#[cfg(feature = "cli")]
pub mod schema;
mod sys;
pub mod tool;
pub mod units;

#[cfg(feature = "cli")]
#[doc(hidden)]
pub use sys::{descriptor, failure, process, start, stdio, terminal, watch};

pub use control::Control;
pub use environment::{EnvEdit, EnvVars, default_shell_env, edited_env, shell_env};
pub use format::text_of;
pub use limits::{LimitError, LimitOverrides, ShellLimits, resolve_shell_limits};
pub use meaning::{Meaning, interpret};
pub use messages::{Message, MessageError, ShellMessages, one_line, resolve_shell_messages};
pub use observer::{Observer, Progress, Snapshot};
pub use report::{
    Content, ErrorCode, Note, Phase, Report, Severity, ShellError, ShellOutput, ShellResult,
    ShellRun, Status, StoppedBy,
};
pub use request::whole_millis;
pub use request::{BashRequest, Input, InputError, parse_bash_input, parse_bash_text};
pub use tool::{BashTool, BashToolBuilder};
#[cfg(feature = "cli")]
pub use units::parse_duration;
pub use units::{QuantityError, format_bytes, format_duration, parse_size};
