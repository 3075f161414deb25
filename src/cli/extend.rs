//! Hooks, masks and runners from the command line: what was typed, and what it means.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::time::Duration;

use bsh::hooks::HookProgram;
use bsh::output::Masks;
use bsh::parse_duration;
use clap::Args;

use crate::cli::usage::UsageError;

/// The shortest value that is hidden, in bytes: a shorter one would hide half of an innocent text.
const SHORTEST_SECRET: usize = 4;

/// Programs that decide, and what is hidden.
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
    /// Print *** in place of what matches. Repeatable
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pub mask: Vec<OsString>,
    /// Print *** in place of the value of this variable of bsh. Repeatable
    #[arg(long, value_name = "K")]
    pub mask_env: Vec<OsString>,
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

/// What is hidden in everything that is printed.
pub fn masks(flags: &PolicyFlags) -> Result<Masks, UsageError> {
    if flags.mask.is_empty() && flags.mask_env.is_empty() {
        return Ok(Masks::default());
    }
    let mut patterns = Vec::with_capacity(flags.mask.len());
    for (index, pattern) in flags.mask.iter().enumerate() {
        let text = pattern.to_str().ok_or_else(|| {
            UsageError::new(format!("--mask: pattern {} is not UTF-8", index + 1))
        })?;
        if text.is_empty() {
            let sentence = format!("--mask: pattern {} is empty", index + 1);
            return Err(UsageError::new(sentence));
        }
        patterns.push(text);
    }
    let mut values = Vec::with_capacity(flags.mask_env.len());
    for name in &flags.mask_env {
        let shown = name.to_string_lossy();
        let value = std::env::var_os(name).ok_or_else(|| {
            UsageError::new(format!(
                "--mask-env: the variable {shown} is not set. Expected one of bsh's own environment"
            ))
        })?;
        // Newlines at its ends do not count, as a file that was read into a variable has one.
        let bytes = value.as_bytes().trim_ascii_end();
        if bytes.len() < SHORTEST_SECRET {
            return Err(UsageError::new(format!(
                "--mask-env: the value of {shown} has fewer than {SHORTEST_SECRET} bytes, which would hide innocent text"
            )));
        }
        // In what is printed, bytes that are not UTF-8 are replaced in the same way.
        values.push(value.to_string_lossy().into_owned());
    }
    Masks::new(patterns, values).map_err(|error| UsageError::new(format!("--mask: {error}")))
}
