//! Flags for whoever sits in front of it.

use std::ffi::{OsStr, OsString};

use clap::Args;

use crate::cli::usage::UsageError;

/// What is shown, and how, to a person.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct ScreenFlags {
    /// Show the output on standard error as it comes
    #[arg(long)]
    pub live: bool,
    /// Show a status line on standard error while it runs [default: auto, on a terminal]
    #[arg(long, value_name = "auto|always|never")]
    pub progress: Option<OsString>,
    /// Colour the text of the report [default: auto, on a terminal without NO_COLOR]
    #[arg(long, value_name = "auto|always|never")]
    pub color: Option<OsString>,
}

/// Whether something for a terminal is done elsewhere too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum When {
    /// On a terminal.
    #[default]
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// What is shown to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shown {
    pub live: bool,
    pub progress: When,
    pub color: When,
}

impl ScreenFlags {
    /// What they mean.
    ///
    /// # Errors
    /// A word that is none of the three.
    pub fn meaning(&self) -> Result<Shown, UsageError> {
        Ok(Shown {
            live: self.live,
            progress: when("--progress", self.progress.as_deref())?,
            color: when("--color", self.color.as_deref())?,
        })
    }
}

fn when(flag: &str, typed: Option<&OsStr>) -> Result<When, UsageError> {
    match typed.map(OsStr::as_encoded_bytes) {
        None | Some(b"auto") => Ok(When::Auto),
        Some(b"always") => Ok(When::Always),
        Some(b"never") => Ok(When::Never),
        Some(_) => {
            let typed = typed.unwrap_or_default().to_string_lossy();
            let typed: String = typed.chars().take(40).collect();
            Err(UsageError::new(format!(
                "{flag}: {typed} is unknown. Expected auto, always or never"
            )))
        }
    }
}
