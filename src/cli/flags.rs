//! What may be typed. What it means is decided elsewhere.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser};

use crate::cli::extend::PolicyFlags;
use crate::cli::screen::ScreenFlags;

/// The whole command line.
///
/// Values that are checked by their meaning are kept as they were typed, so that there is one place
/// for the sentence of each.
#[derive(Debug, Default, Parser)]
#[command(
    name = "bsh",
    version,
    about = "Run one shell command safely: always a timeout, bounded output, one true report",
    override_usage = "bsh [OPTIONS] COMMAND\n       bsh [OPTIONS] [--] PROGRAM ARG…\n       bsh [OPTIONS] --request FILE|-\n       bsh --explain CODE COMMAND",
    args_override_self = true,
    disable_help_subcommand = true
)]
pub struct Flags {
    /// One word: a shell command line. Several: a program and its arguments, each kept whole
    #[arg(value_name = "COMMAND", trailing_var_arg = true)]
    pub words: Vec<OsString>,
    #[command(flatten)]
    pub request: RequestFlags,
    #[command(flatten)]
    pub limits: LimitFlags,
    #[command(flatten)]
    pub environment: EnvironmentFlags,
    #[command(flatten)]
    pub run: RunFlags,
    #[command(flatten)]
    pub policy: PolicyFlags,
    #[command(flatten)]
    pub output: OutputFlags,
    #[command(flatten)]
    pub screen: ScreenFlags,
    #[command(flatten)]
    pub about: AboutFlags,
}

/// What is asked.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Request")]
pub struct RequestFlags {
    /// Stop the command after this time: 90s, 2m 30s, 500ms
    #[arg(short, long, value_name = "D", allow_hyphen_values = true)]
    pub timeout: Option<String>,
    /// Run in this folder
    #[arg(short = 'C', long, value_name = "DIR")]
    pub cwd: Option<OsString>,
    /// Read the request as JSON from a file, or from standard input
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["words", "timeout", "cwd"])]
    pub request: Option<PathBuf>,
}

/// The limits. Each is also a variable of the environment; the flag wins.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Limits")]
pub struct LimitFlags {
    /// The timeout when none is given [default: 2m, env: BSH_DEFAULT_TIMEOUT]
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    pub default_timeout: Option<OsString>,
    /// The longest timeout that may be asked for [default: 10m, env: BSH_MAX_TIMEOUT]
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    pub max_timeout: Option<OsString>,
    /// The time between the stop signal and SIGKILL [default: 2s, env: BSH_KILL_GRACE]
    #[arg(short, long, value_name = "D", allow_hyphen_values = true)]
    pub kill_grace: Option<OsString>,
    /// Bytes of text that are shown [default: 30kB, env: BSH_MAX_OUTPUT]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub max_output: Option<OsString>,
    /// Lines that are shown [default: 2000, env: BSH_MAX_LINES]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub max_lines: Option<OsString>,
    /// Share of both that goes to the front of the output [default: 20, env: BSH_HEAD_PERCENT]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub head_percent: Option<OsString>,
    /// Bytes of output past which the command is stopped [default: 10MiB, env: BSH_MAX_CAPTURE]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub max_capture: Option<OsString>,
}

/// The environment of the command. Later ones win, and all win over the defaults of bsh.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Environment")]
pub struct EnvironmentFlags {
    /// Set a variable
    #[arg(short, long, value_name = "K=V")]
    pub env: Vec<OsString>,
    /// Remove a variable
    #[arg(long, value_name = "K")]
    pub unset_env: Vec<OsString>,
    /// Remove every variable, the defaults too
    #[arg(long)]
    pub clear_env: bool,
    /// Take a variable as bsh itself has it
    #[arg(long, value_name = "K")]
    pub pass_env: Vec<OsString>,
}

/// How it is run.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Run")]
pub struct RunFlags {
    /// The shell, found on the PATH of bsh [default: bash]
    #[arg(long, value_name = "PATH")]
    pub shell: Option<OsString>,
    /// What the command reads: null, inherit or a file [default: null]
    #[arg(long, value_name = "null|inherit|FILE")]
    pub stdin: Option<OsString>,
    /// Leave a descriptor of bsh open in the command
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub pass_fd: Vec<OsString>,
    /// What a stop begins with [default: TERM]
    #[arg(long, value_name = "SIG")]
    pub stop_signal: Option<OsString>,
    /// What becomes of processes that outlive the shell [default: keep]
    #[arg(long, value_name = "keep|stop")]
    pub background: Option<OsString>,
    /// Abort when the standard input of bsh ends; what comes in is thrown away
    #[arg(long)]
    pub lifeline: bool,
    /// Say what the command used: processor time and memory
    #[arg(long)]
    pub usage: bool,
}

/// What is asked of bsh itself.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "About")]
pub struct AboutFlags {
    /// Say what this exit code of COMMAND would mean
    #[arg(long, value_name = "CODE", allow_hyphen_values = true, conflicts_with_all = ["request", "timeout", "cwd", "events"])]
    pub explain: Option<String>,
    /// Print the completions for a shell
    #[arg(
        long,
        value_name = "bash|zsh|fish|powershell|elvish|nushell",
        exclusive = true
    )]
    pub completions: Option<OsString>,
    /// Print the manual page
    #[arg(long, exclusive = true)]
    pub man: bool,
}

/// What is printed.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputFlags {
    /// Print the report as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Print the report as indented JSON
    #[arg(long)]
    pub pretty: bool,
    /// Print what happens as it happens, one JSON object a line, the report last
    #[arg(long, conflicts_with_all = ["json", "pretty", "view"])]
    pub events: bool,
    /// Keep every byte of the output in this file
    #[arg(long, value_name = "FILE", conflicts_with = "spill_dir")]
    pub spill: Option<PathBuf>,
    /// Keep every byte of the output in a new file of this folder
    #[arg(long, value_name = "DIR")]
    pub spill_dir: Option<PathBuf>,
    /// Print *** in place of what matches, in everything that is printed
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pub mask: Vec<String>,
    /// Print *** in place of the value that this variable has in the environment of bsh
    #[arg(long, value_name = "K")]
    pub mask_env: Vec<OsString>,
    /// Print the JSON Schema of a request or a result, or a tool definition for a language model
    #[arg(long, value_name = "request|result|tool")]
    pub schema: Option<OsString>,
    /// What the exit code of bsh says: that of the command, or 0 too when it is no error [default: raw]
    #[arg(long, value_name = "raw|meaning")]
    pub exit_status: Option<OsString>,
    /// Leave the notes out of the text
    #[arg(long, conflicts_with_all = ["json", "pretty"])]
    pub view: bool,
}
