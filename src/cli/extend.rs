//! Hooks from the command line: what was typed, and what it means.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use bsh::hooks::HookProgram;
use bsh::{ShellLimits, parse_duration};
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
    /// Where the command runs [default: local]
    #[arg(long, value_name = "local|ssh:HOST")]
    pub runner: Option<OsString>,
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

/// Where the command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunnerChoice {
    /// On this machine.
    Local,
}

impl RunnerChoice {
    /// As a tool description names it.
    pub fn id(&self) -> String {
        match self {
            Self::Local => "local".to_owned(),
        }
    }
}

/// The runner that was asked for.
pub fn runner(flags: &PolicyFlags) -> Result<RunnerChoice, UsageError> {
    let Some(typed) = &flags.runner else {
        return Ok(RunnerChoice::Local);
    };
    let text = typed.to_string_lossy();
    match text.as_ref() {
        "local" => Ok(RunnerChoice::Local),
        _ => Err(UsageError::new(format!(
            "--runner: {text} is unknown. Expected local or ssh:HOST"
        ))),
    }
}

/// A schema, indented.
pub fn schema(
    which: &OsStr,
    limits: &ShellLimits,
    runner: &RunnerChoice,
) -> Result<String, UsageError> {
    let schema = match which.to_string_lossy().as_ref() {
        "request" => bsh::schema::request_schema(),
        "result" => bsh::schema::result_schema(),
        "tool" => bsh::schema::tool_definition(limits, &runner.id()),
        other => {
            return Err(UsageError::new(format!(
                "--schema: {other} is unknown. Expected request, result or tool"
            )));
        }
    };
    // Plain JSON always becomes text.
    Ok(serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n")
}
