//! Runs one shell command safely and reports truthfully what happened.
pub mod control;
pub mod environment;
pub mod limits;
pub mod messages;
pub mod report;
pub mod request;
pub mod runner;
pub mod units;

pub use environment::{EnvEdit, EnvVars, default_shell_env, edited_env, shell_env};
pub use limits::{LimitError, LimitOverrides, ShellLimits, resolve_shell_limits};
pub use messages::{Message, MessageError, ShellMessages, one_line, resolve_shell_messages};
pub use request::{BashRequest, Input, InputError, parse_bash_input, parse_bash_text};
pub use units::{format_bytes, format_duration, parse_size};
