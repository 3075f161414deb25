//! What was typed → what it means: a request, a tool, and how to print. Nothing is run here.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::fd::RawFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use bsh::hooks::ShellEnv;
use bsh::output::{Masks, SpillTarget};
use bsh::request::MAX_REQUEST_BYTES;
use bsh::runner::local::{Background, LocalSettings, StdinSource};
use bsh::runner::ssh::SshSettings;
use bsh::{
    BashRequest, EnvEdit, Input, ShellLimits, descriptor, parse_duration, resolve_shell_limits,
    stdio,
};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _};

use crate::cli::extend::{Hooks, RunnerChoice};
use crate::cli::flags::{EnvironmentFlags, Flags, OutputFlags, RunFlags};
use crate::cli::screen::Shown;
use crate::cli::usage::{UsageError, wanted_print};
use crate::cli::{about, extend, limits, quick, words};

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
    /// Print this about bsh itself.
    About(String),
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
            return Parsed::About(about::help(args));
        }
        Err(error) if !error.use_stderr() => return Parsed::About(error.to_string()),
        Err(error) => return refused_by_clap(&error, args),
    };
    match Flags::from_arg_matches(&matches) {
        Ok(flags) => parsed(flags, Some(&matches)),
        Err(error) => refused_by_clap(&error, args),
    }
}

fn refused_by_clap(error: &clap::Error, args: &[OsString]) -> Parsed {
    // The flags are not understood, but what is to be hidden in their sentence is.
    let typed = typed_masks(args);
    Parsed::Refused {
        error: UsageError::of_clap(error, args).masked(&typed),
        print: wanted_print(&Flags::command(), args),
    }
}

/// What the flags come to. The order in which they were typed is asked of `matches`, where it matters.
fn parsed(flags: Flags, matches: Option<&ArgMatches>) -> Parsed {
    let print = print_of(&flags.output);
    meant(flags, matches).unwrap_or_else(|error| Parsed::Refused { error, print })
}

fn meant(flags: Flags, matches: Option<&ArgMatches>) -> Result<Parsed, UsageError> {
    if let Some(text) = about::asked_for(&flags.about)? {
        return Ok(Parsed::About(text));
    }
    let masks = masks(&flags.output)?;
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
        return Ok(extend::serve(version)?.map_or(Parsed::Serve, Parsed::About));
    }
    let overrides = limits::overrides(&flags.limits, |name| std::env::var_os(name))?;
    let limits = resolve_shell_limits(overrides)
        .map_err(|error| UsageError::new(format!("the limits conflict: {error}")))?;
    let runner = extend::runner(&flags.policy)?;
    if let Some(which) = &flags.output.schema {
        return extend::schema(which, &limits, &runner).map(Parsed::About);
    }
    let env = ShellEnv {
        edits: match matches {
            Some(matches) => env_edits(&flags.environment, matches)?,
            None => Vec::new(),
        },
    };
    let mut local = local_settings(&flags.run)?;
    check_standard_input(&flags)?;
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
    let input = input_of(flags)?;
    if let Input::Request(request) = &input
        && far.is_none()
    {
        add_named_fds(&request.command, &mut local.pass_fds);
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
    let command = command_of(flags.words)?;
    Ok(Parsed::Explain {
        command,
        code: i32::from(code),
        print,
    })
}

/// The command line that the words of the command are.
fn command_of(typed: Vec<OsString>) -> Result<String, UsageError> {
    if typed.is_empty() {
        return Err(UsageError::new(
            "a command is missing. Expected bsh [OPTIONS] COMMAND, see bsh --help",
        ));
    }
    let mut words = Vec::with_capacity(typed.len());
    for word in typed {
        let text = word.into_string().map_err(|word| {
            let valid = std::str::from_utf8(word.as_bytes())
                .map_or_else(|error| error.valid_up_to(), str::len);
            UsageError::new(format!(
                "the command is not UTF-8: byte {valid} of {:?}",
                word.to_string_lossy()
            ))
        })?;
        words.push(text);
    }
    Ok(words::command_line(&words))
}

fn input_of(flags: Flags) -> Result<Input, UsageError> {
    if let Some(file) = &flags.request.request {
        let text = read_request(file)?;
        // A request that parses is passed on typed, so that its command can be looked at.
        return Ok(match bsh::parse_bash_text(&text) {
            Ok(request) => Input::Request(request),
            Err(error) => Input::Refused(error),
        });
    }
    let mut request = BashRequest::new(command_of(flags.words)?);
    if let Some(typed) = &flags.request.timeout {
        let timeout = parse_duration(typed)
            .map_err(|error| UsageError::new(format!("--timeout: {error}")))?;
        request = request.with_timeout(timeout);
    }
    if let Some(cwd) = flags.request.cwd {
        let cwd = cwd
            .into_string()
            .map_err(|_| UsageError::new("--cwd: the value is not UTF-8"))?;
        request = request.with_cwd(cwd);
    }
    Ok(Input::Request(request))
}

fn read_request(file: &Path) -> Result<Vec<u8>, UsageError> {
    let mut text = Vec::new();
    // One byte more than allowed, so that too much is seen without reading all of it.
    let most = MAX_REQUEST_BYTES as u64 + 1;
    let read = if file == Path::new("-") {
        std::io::stdin().lock().take(most).read_to_end(&mut text)
    } else {
        File::open(file).and_then(|file| file.take(most).read_to_end(&mut text))
    };
    read.map_err(|error| {
        UsageError::new(format!(
            "--request: cannot read {}: {error}",
            file.display()
        ))
    })?;
    Ok(text)
}

/// The edits in the order in which they were typed, across the flags.
fn env_edits(flags: &EnvironmentFlags, matches: &ArgMatches) -> Result<Vec<EnvEdit>, UsageError> {
    let mut edits = Vec::new();
    let mut add = |id: &str, values: Vec<EnvEdit>| {
        if matches.value_source(id) == Some(ValueSource::CommandLine) {
            edits.extend(matches.indices_of(id).into_iter().flatten().zip(values));
        }
    };
    let set = flags.env.iter().map(|pair| {
        let bytes = pair.as_bytes();
        match bytes.iter().position(|byte| *byte == b'=') {
            Some(0) | None => Err(UsageError::new(format!(
                "--env: {} has no {}. Expected NAME=VALUE",
                shown(pair),
                if bytes.contains(&b'=') {
                    "name"
                } else {
                    "value"
                },
            ))),
            Some(end) => Ok(EnvEdit::Set(
                OsString::from_vec(bytes[..end].to_vec()),
                OsString::from_vec(bytes[end + 1..].to_vec()),
            )),
        }
    });
    add("env", set.collect::<Result<_, _>>()?);
    let names = |flag: &str, names: &[OsString]| -> Result<Vec<OsString>, UsageError> {
        match names
            .iter()
            .find(|name| name.is_empty() || name.as_bytes().contains(&b'='))
        {
            Some(name) => Err(UsageError::new(format!(
                "--{flag}: {:?} is no name of a variable",
                name.to_string_lossy()
            ))),
            None => Ok(names.to_vec()),
        }
    };
    let unset = names("unset-env", &flags.unset_env)?;
    add("unset_env", unset.into_iter().map(EnvEdit::Unset).collect());
    let pass = names("pass-env", &flags.pass_env)?;
    add("pass_env", pass.into_iter().map(EnvEdit::Pass).collect());
    if flags.clear_env {
        add("clear_env", vec![EnvEdit::Clear]);
    }
    edits.sort_by_key(|(index, _)| *index);
    Ok(edits.into_iter().map(|(_, edit)| edit).collect())
}

fn local_settings(flags: &RunFlags) -> Result<LocalSettings, UsageError> {
    let mut settings = LocalSettings {
        usage: flags.usage,
        adopt_orphans: true,
        ..LocalSettings::default()
    };
    if let Some(shell) = &flags.shell {
        if shell.is_empty() {
            return Err(UsageError::new(
                "--shell: is empty. Expected a path or a name",
            ));
        }
        settings.shell.clone_from(shell);
    }
    settings.stdin = match flags.stdin.as_deref().map(OsStr::as_bytes) {
        None | Some(b"null") => StdinSource::Null,
        Some(b"inherit") => StdinSource::Inherit,
        Some(b"") => {
            let expected = "--stdin: is empty. Expected null, inherit or a file";
            return Err(UsageError::new(expected));
        }
        Some(path) => {
            let path = Path::new(OsStr::from_bytes(path));
            let readable = nix::unistd::access(path, nix::unistd::AccessFlags::R_OK);
            if let Err(error) = readable {
                let (shown, reason) = (shown(path.as_os_str()), error.desc());
                return Err(UsageError::new(format!(
                    "--stdin: {shown} cannot be read: {reason}"
                )));
            }
            StdinSource::File(path.to_owned())
        }
    };
    if let Some(signal) = &flags.stop_signal {
        let parsed = signal.to_string_lossy().parse();
        settings.stop_signal =
            parsed.map_err(|error| UsageError::new(format!("--stop-signal: {error}")))?;
    }
    settings.background = match flags.background.as_deref().map(OsStr::as_bytes) {
        None | Some(b"keep") => Background::Keep,
        Some(b"stop") => Background::Stop,
        Some(other) => {
            return Err(UsageError::new(format!(
                "--background: {} is unknown. Expected keep or stop",
                shown(OsStr::from_bytes(other))
            )));
        }
    };
    for typed in &flags.pass_fd {
        let number = typed.to_str().and_then(|text| text.parse::<RawFd>().ok());
        let number = number.filter(|number| *number >= 3).ok_or_else(|| {
            let typed = shown(typed);
            UsageError::new(format!("--pass-fd: {typed} is no descriptor from 3 up"))
        })?;
        if !descriptor::is_open(number) {
            let sentence = format!("--pass-fd: descriptor {number} is not open");
            return Err(UsageError::new(sentence));
        }
        settings.pass_fds.push(number);
    }
    Ok(settings)
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

/// A value shorter than this, in bytes, is in half of all texts.
const SHORTEST_SECRET: usize = 4;

/// The masks of a command line that is not understood: each that can be used, wherever it stands.
fn typed_masks(args: &[OsString]) -> Masks {
    let values_of = |flag: &'static str| {
        let after = move |pair: &[OsString]| (pair[0] == flag).then(|| pair[1].clone());
        let joined = move |arg: &OsString| {
            let value = arg
                .as_bytes()
                .strip_prefix(flag.as_bytes())?
                .strip_prefix(b"=")?;
            Some(OsString::from_vec(value.to_vec()))
        };
        args.windows(2)
            .filter_map(after)
            .chain(args.iter().filter_map(joined))
            .collect::<Vec<_>>()
    };
    let patterns: Vec<String> = values_of("--mask")
        .into_iter()
        .filter_map(|pattern| pattern.into_string().ok())
        .filter(|pattern| Masks::new(std::slice::from_ref(pattern), Vec::<String>::new()).is_ok())
        .collect();
    let values: Vec<String> = values_of("--mask-env")
        .iter()
        .filter_map(std::env::var_os)
        .filter(|value| value.len() >= SHORTEST_SECRET)
        .map(|value| value.to_string_lossy().into_owned())
        .collect();
    Masks::new(&patterns, values).unwrap_or_default()
}

fn masks(flags: &OutputFlags) -> Result<Masks, UsageError> {
    let mut values = Vec::new();
    for name in &flags.mask_env {
        let refused =
            |reason: &str| UsageError::new(format!("--mask-env: {} {reason}", shown(name)));
        let value = std::env::var_os(name).ok_or_else(|| refused("is not set"))?;
        // Newlines at its ends hide nothing.
        if value.as_bytes().trim_ascii().len() < SHORTEST_SECRET {
            return Err(refused("has a value of less than four bytes"));
        }
        values.push(value.to_string_lossy().into_owned());
    }
    let masks = Masks::new(&flags.mask, values);
    let masks = masks.map_err(|error| UsageError::new(format!("--mask: {error}")))?;
    for (number, pattern) in (1..).zip(&flags.mask) {
        // Such as one made from a variable that is not set: it would hide nothing, without a word.
        if regex::Regex::new(pattern).is_ok_and(|pattern| pattern.is_match("")) {
            return Err(UsageError::new(format!(
                "--mask: pattern {number} matches where nothing is. Expected one that needs a character"
            )));
        }
    }
    Ok(masks)
}

/// Standard input has one reader.
fn check_standard_input(flags: &Flags) -> Result<(), UsageError> {
    let request = flags.request.request.as_deref() == Some(Path::new("-"));
    let inherit = flags.run.stdin.as_deref() == Some(OsStr::new("inherit"));
    match (request, inherit, flags.run.lifeline) {
        (true, true, _) => Err(UsageError::new(
            "--request - and --stdin inherit cannot be used together: both read standard input",
        )),
        (true, _, true) => Err(UsageError::new(
            "--request - and --lifeline cannot be used together: both read standard input",
        )),
        (_, true, true) => Err(UsageError::new(
            "--stdin inherit and --lifeline cannot be used together: both read standard input",
        )),
        (_, _, true) if !is_a_lifeline() => Err(UsageError::new(
            "--lifeline: standard input is not a pipe, a socket or a terminal",
        )),
        _ => Ok(()),
    }
}

fn is_a_lifeline() -> bool {
    use std::io::IsTerminal as _;
    let stdin = std::io::stdin();
    stdin.is_terminal() || stdio::has_another_end(&stdin)
}

/// Descriptors that the command names, as `<(…)` of the calling shell does, and that are open.
fn add_named_fds(command: &str, pass_fds: &mut Vec<RawFd>) {
    for folder in ["/dev/fd/", "/proc/self/fd/"] {
        for (start, _) in command.match_indices(folder) {
            let digits: String = command[start + folder.len()..]
                .chars()
                .take_while(char::is_ascii_digit)
                .collect();
            if let Ok(number) = digits.parse::<RawFd>()
                && number >= 3
                && !pass_fds.contains(&number)
                && descriptor::is_open(number)
            {
                pass_fds.push(number);
            }
        }
    }
}

fn shown(text: &OsStr) -> String {
    text.to_string_lossy().chars().take(40).collect()
}
