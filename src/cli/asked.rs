//! What was typed → what it means: a request, a tool, and how to print. Nothing is run here.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use bsh::hooks::ShellEnv;
use bsh::output::{Masks, SpillTarget};
use bsh::runner::local::LocalSettings;
use bsh::runner::ssh::SshSettings;
use bsh::{Input, ShellLimits};
use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _};

use crate::cli::about::About;
use crate::cli::extend::{Hooks, RunnerChoice};
use crate::cli::flags::{Flags, OutputFlags};
use crate::cli::screen::Shown;
use crate::cli::usage::{UsageError, shown, wanted_print};
use crate::cli::{about, environment, extend, input, limits, masks, quick, run};

/// How the report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Print {
    /// Status line, view, notes.
    Text,
    /// Status line and view.
    View,
    /// One object on one line.
    Json,
    /// One object, indented.
    PrettyJson,
    /// One object a line, as things happen.
    Events,
}

/// All that a command line means.
#[derive(Debug)]
pub struct Asked {
    pub input: Input,
    pub limits: ShellLimits,
    pub env: ShellEnv,
    pub local: LocalSettings,
    pub lifeline: bool,
    pub spill: Option<SpillTarget>,
    pub masks: Masks,
    pub print: Print,
    pub hooks: Hooks,
    /// Set when the command runs on another machine.
    pub far: Option<SshSettings>,
    pub shown: Shown,
    /// An exit code that is no error becomes 0.
    pub exit_by_meaning: bool,
}

/// What a command line comes to.
#[derive(Debug)]
pub enum Parsed {
    /// Run something.
    Run(Box<Asked>),
    /// Say what an exit code would mean.
    Explain {
        /// The command line.
        command: String,
        /// The code.
        code: i32,
        /// As text or as JSON.
        print: Print,
    },
    /// Print something about bsh itself.
    About(About),
    /// Serve a bsh on another machine.
    Serve,
    /// Wrong usage.
    Refused { error: UsageError, print: Print },
}

/// Parses the command line of this process.
pub fn parse(args: &[OsString]) -> Parsed {
    if let Some(flags) = quick::read(args) {
        return parsed(flags, None);
    }
    let matches = match Flags::command().try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            return Parsed::About(About::new("the help", about::help(args)));
        }
        Err(error) if !error.use_stderr() => {
            return Parsed::About(About::new("the version", error.to_string()));
        }
        Err(error) => return refused_by_clap(&error, args),
    };
    match Flags::from_arg_matches(&matches) {
        Ok(flags) => match parsed(flags, Some(&matches)) {
            Parsed::Refused { error, print } => refused(error, print, args),
            parsed => parsed,
        },
        Err(error) => refused_by_clap(&error, args),
    }
}

fn refused_by_clap(error: &clap::Error, args: &[OsString]) -> Parsed {
    // The flags are not understood, but what is to be hidden in their sentence is.
    let sentence = UsageError::of_clap(error).masked(&masks::typed(args));
    refused(sentence, wanted_print(&Flags::command(), args), args)
}

/// A refusal of flags that may be meant for a shell, which then is the better thing to say.
fn refused(error: UsageError, print: Print, args: &[OsString]) -> Parsed {
    let meant_for_shell = UsageError::of_shell_flags(&Flags::command(), args);
    Parsed::Refused {
        error: meant_for_shell.map_or(error, |error| error.masked(&masks::typed(args))),
        print,
    }
}

/// What the flags come to. The order in which they were typed is asked of `matches`, where it matters.
fn parsed(flags: Flags, matches: Option<&ArgMatches>) -> Parsed {
    let print = print_of(&flags.output);
    meant(flags, matches).unwrap_or_else(|error| Parsed::Refused { error, print })
}

fn meant(flags: Flags, matches: Option<&ArgMatches>) -> Result<Parsed, UsageError> {
    if let Some(about) = about::asked_for(&flags.about)? {
        return Ok(Parsed::About(about));
    }
    let masks = masks::of(&flags.output)?;
    let parsed = match flags.about.explain.is_some() {
        true => explanation_of(flags),
        false => meaning_of(flags, matches, masks.clone()),
    };
    // A sentence may quote what was typed.
    parsed.map_err(|error| error.masked(&masks))
}

fn print_of(flags: &OutputFlags) -> Print {
    match flags {
        flags if flags.pretty => Print::PrettyJson,
        flags if flags.json => Print::Json,
        flags if flags.events => Print::Events,
        flags if flags.view => Print::View,
        _ => Print::Text,
    }
}

fn meaning_of(
    flags: Flags,
    matches: Option<&ArgMatches>,
    masks: Masks,
) -> Result<Parsed, UsageError> {
    if let Some(version) = &flags.policy.serve {
        return Ok(match extend::serve(version)? {
            Some(text) => Parsed::About(About::new("the version", text)),
            None => Parsed::Serve,
        });
    }
    let limits = limits::of(&flags.limits, |name| std::env::var_os(name))?;
    let runner = extend::runner(&flags.policy)?;
    if let Some(which) = &flags.output.schema {
        let text = extend::schema(which, &limits, &runner)?;
        return Ok(Parsed::About(About::new("the schema", text)));
    }
    let env = ShellEnv {
        edits: match matches {
            Some(matches) => environment::edits(&flags.environment, matches)?,
            None => Vec::new(),
        },
    };
    let mut local = run::local_settings(&flags.run)?;
    run::check_standard_input(&flags)?;
    let print = print_of(&flags.output);
    let hooks = extend::hooks(&flags.policy, limits.kill_grace())?;
    let far = match runner {
        RunnerChoice::Local => None,
        RunnerChoice::Ssh(host) => Some(extend::ssh_settings(host, &flags.run, &local)?),
    };
    let exit_by_meaning = match flags.output.exit_status.as_deref().map(OsStr::as_bytes) {
        None | Some(b"raw") => false,
        Some(b"meaning") => true,
        Some(other) => {
            return Err(UsageError::new(format!(
                "--exit-status: {} is unknown. Expected raw or meaning",
                shown(OsStr::from_bytes(other))
            )));
        }
    };
    let lifeline = flags.run.lifeline;
    let spill = spill_target(&flags.output)?;
    let shown = flags.screen.meaning()?;
    let input = input::of(flags)?;
    if let Input::Request(request) = &input
        && far.is_none()
    {
        run::add_named_fds(&request.command, &mut local.pass_fds);
    }
    Ok(Parsed::Run(Box::new(Asked {
        input,
        limits,
        env,
        local,
        lifeline,
        spill,
        masks,
        print,
        hooks,
        far,
        shown,
        exit_by_meaning,
    })))
}

/// `--explain CODE COMMAND`.
fn explanation_of(flags: Flags) -> Result<Parsed, UsageError> {
    let typed = flags.about.explain.unwrap_or_default();
    let code = typed.parse::<u8>().map_err(|_| {
        UsageError::new(format!(
            "--explain: {typed:?} is no exit code. Expected a number from 0 to 255"
        ))
    })?;
    let print = print_of(&flags.output);
    let command = input::command_of(flags.words)?;
    Ok(Parsed::Explain {
        command,
        code: i32::from(code),
        print,
    })
}

fn spill_target(flags: &OutputFlags) -> Result<Option<SpillTarget>, UsageError> {
    let (flag, target) = match (&flags.spill, &flags.spill_dir) {
        (Some(file), _) => ("--spill", SpillTarget::File(file.clone())),
        (None, Some(dir)) => ("--spill-dir", SpillTarget::Dir(dir.clone())),
        (None, None) => return Ok(None),
    };
    let (SpillTarget::File(path) | SpillTarget::Dir(path)) = &target;
    match path.as_os_str().is_empty() {
        true => Err(UsageError::new(format!(
            "{flag}: is empty. Expected a path"
        ))),
        false => Ok(Some(target)),
    }
}
