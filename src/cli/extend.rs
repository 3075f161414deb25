//! Hooks from the command line: what was typed, and what it means.

use std::path::PathBuf;
use std::time::Duration;

use bsh::hooks::HookProgram;
use bsh::parse_duration;
use clap::Args;

use crate::cli::usage::UsageError;

/// Programs that decide.
#[derive(Debug, Args)]
#[command(next_help_heading = "Policy")]
pub struct PolicyFlags {
    /// Ask this program before the run; it may refuse or rewrite the command. Repeatable
    #[arg(long, value_name = "PROGRAM")]
    pub before_run: Vec<PathBuf>,
    /// Ask this program whether the final command may run
    #[arg(long, value_name = "PROGRAM")]
    pub authorize: Option<PathBuf>,
    /// Show the result to this program; it may replace the view or the notes. Repeatable
    #[arg(long, value_name = "PROGRAM")]
    pub after_run: Vec<PathBuf>,
    /// Stop a hook program after this time [default: 30s]
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    pub hook_timeout: Option<String>,
}

/// The hook programs, each checked.
#[derive(Debug, Clone, Default)]
pub struct Hooks {
    pub before_run: Vec<HookProgram>,
    pub authorize: Option<HookProgram>,
    pub after_run: Vec<HookProgram>,
}

impl Hooks {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.before_run.is_empty() && self.authorize.is_none() && self.after_run.is_empty()
    }
}

/// The hooks that were asked for.
pub fn hooks(flags: &PolicyFlags, grace: Duration) -> Result<Hooks, UsageError> {
    let timeout = match &flags.hook_timeout {
        Some(typed) => parse_duration(typed)
            .map_err(|error| UsageError::new(format!("--hook-timeout: {error}")))?,
        None => bsh::hooks::program::DEFAULT_TIMEOUT,
    };
    let program = |flag: &str, path: &PathBuf| {
        HookProgram::new(path)
            .map(|hook| hook.timeout(timeout).grace(grace).adopt_orphans(true))
            .map_err(|error| UsageError::new(format!("{flag}: {error}")))
    };
    let all = |flag: &str, paths: &[PathBuf]| -> Result<Vec<_>, _> {
        paths.iter().map(|path| program(flag, path)).collect()
    };
    Ok(Hooks {
        before_run: all("--before-run", &flags.before_run)?,
        authorize: match &flags.authorize {
            Some(path) => Some(program("--authorize", path)?),
            None => None,
        },
        after_run: all("--after-run", &flags.after_run)?,
    })
}
