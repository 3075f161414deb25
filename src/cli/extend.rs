//! Hooks from the command line: what was typed, and what it means.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use bsh::hooks::HookProgram;
use bsh::runner::local::{LocalSettings, StdinSource};
use bsh::runner::ssh::{PROTOCOL, SshHost, SshSettings};
use bsh::{ShellLimits, parse_duration};
use clap::Args;

use crate::cli::flags::RunFlags;
use crate::cli::usage::UsageError;

/// Programs that decide.
#[derive(Debug, Default, Args)]
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
    /// How one bsh talks to another: `version`, or the version to speak
    #[arg(long, value_name = "VERSION", hide = true)]
    pub serve: Option<OsString>,
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
    /// On another one.
    Ssh(SshHost),
}

impl RunnerChoice {
    /// As a tool description names it.
    pub fn id(&self) -> String {
        match self {
            Self::Local => "local".to_owned(),
            Self::Ssh(host) => format!("ssh:{}", host.as_str()),
        }
    }
}

/// The runner that was asked for.
pub fn runner(flags: &PolicyFlags) -> Result<RunnerChoice, UsageError> {
    let Some(typed) = &flags.runner else {
        return Ok(RunnerChoice::Local);
    };
    let text = typed.to_string_lossy();
    if text == "local" {
        return Ok(RunnerChoice::Local);
    }
    match text.strip_prefix("ssh:") {
        Some(host) => host
            .parse()
            .map(RunnerChoice::Ssh)
            .map_err(|error| UsageError::new(format!("--runner: {error}"))),
        None => Err(UsageError::new(format!(
            "--runner: {text} is unknown. Expected local or ssh:HOST"
        ))),
    }
}

/// The settings of a command on another machine; what has a meaning only here is refused.
pub fn ssh_settings(
    host: SshHost,
    flags: &RunFlags,
    local: &LocalSettings,
) -> Result<SshSettings, UsageError> {
    let refused = |flag: &str| {
        UsageError::new(format!(
            "{flag} and --runner ssh cannot be used together: it means something of this machine"
        ))
    };
    if local.stdin != StdinSource::Null {
        return Err(refused("--stdin"));
    }
    if !flags.pass_fd.is_empty() {
        return Err(refused("--pass-fd"));
    }
    let shell = local.shell.to_str().map(str::to_owned);
    Ok(SshSettings {
        shell: shell.ok_or_else(|| UsageError::new("--shell: the value is not UTF-8"))?,
        stop_signal: local.stop_signal,
        background: local.background,
        usage: local.usage,
        adopt_orphans: true,
        ..SshSettings::new(host)
    })
}

/// What `--serve` asks for: none to serve, or what to print.
pub fn serve(version: &OsStr) -> Result<Option<String>, UsageError> {
    match version.to_str() {
        Some("version") => Ok(Some(format!("{PROTOCOL}\n"))),
        Some(number) if number == PROTOCOL.to_string() => Ok(None),
        _ => Err(UsageError::new(format!(
            "--serve: this bsh speaks version {PROTOCOL}"
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
