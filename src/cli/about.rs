//! What bsh says about itself: help, the manual page, completions. All from the one definition of the
//! flags, which is enriched here so that a run that asks for none of it pays for none of it.

use std::ffi::{OsStr, OsString};

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory as _, ValueHint};
use clap_complete::Shell;
use clap_complete_nushell::Nushell;

use crate::cli::flags::{AboutFlags, Flags};
use crate::cli::manual;
use crate::cli::prose::{AFTER_HELP, AFTER_LONG_HELP, LONG_ABOUT};
use crate::cli::usage::UsageError;

/// The flags that `-h` shows, so that it fits a screen; `--help` shows all.
const MOST_USED: [&str; 12] = [
    "timeout", "cwd", "env", "stdin", "spill", "json", "view", "live", "progress", "explain",
    "help", "version",
];

/// The columns of help that is read from a pipe.
const WIDTH: usize = 100;

/// A text about bsh itself.
#[derive(Debug)]
pub struct About {
    /// What it is, for the sentence that says that it could not be written.
    pub what: &'static str,
    pub text: String,
}

impl About {
    /// Names a text.
    pub fn new(what: &'static str, text: String) -> Self {
        Self { what, text }
    }
}

/// What `-h` or `--help` prints, whichever of them comes first.
pub fn help(args: &[OsString]) -> String {
    let place = |is: &dyn Fn(&str) -> bool| {
        args.iter()
            .skip(1)
            .position(|arg| is(&arg.to_string_lossy()))
    };
    let long = place(&|arg| arg == "--help");
    let short = place(&|arg| arg.starts_with('-') && !arg.starts_with("--") && arg.contains('h'));
    let is_long = match (long, short) {
        (Some(long), Some(short)) => long < short,
        (long, _) => long.is_some(),
    };
    match is_long {
        true => long_help().render_help().to_string(),
        false => short_help().render_help().to_string(),
    }
}

/// What the flags about bsh ask for, if one was given.
///
/// # Errors
/// A shell that is not known.
pub fn asked_for(flags: &AboutFlags) -> Result<Option<About>, UsageError> {
    if flags.man {
        let page = manual::page(described().long_about(LONG_ABOUT));
        return Ok(Some(About::new("the manual page", page)));
    }
    let Some(shell) = &flags.completions else {
        return Ok(None);
    };
    Ok(Some(About::new("the completions", completions(shell)?)))
}

fn completions(shell: &OsStr) -> Result<String, UsageError> {
    let mut command = described();
    let mut script = Vec::new();
    let mut write = |generator: Shell| {
        clap_complete::generate(generator, &mut command, "bsh", &mut script);
    };
    match shell.as_encoded_bytes() {
        b"bash" => write(Shell::Bash),
        b"zsh" => write(Shell::Zsh),
        b"fish" => write(Shell::Fish),
        b"powershell" => write(Shell::PowerShell),
        b"elvish" => write(Shell::Elvish),
        b"nushell" => clap_complete::generate(Nushell, &mut command, "bsh", &mut script),
        _ => {
            let shell: String = shell.to_string_lossy().chars().take(40).collect();
            return Err(UsageError::new(format!(
                "--completions: {shell} is unknown. Expected bash, zsh, fish, powershell, elvish or nushell"
            )));
        }
    }
    let script = String::from_utf8_lossy(&script);
    // No blanks at the ends of lines: the scripts are committed.
    let mut tidy: String = script
        .lines()
        .flat_map(|line| [line.trim_end(), "\n"])
        .collect();
    tidy.truncate(tidy.trim_end().len() + 1);
    Ok(tidy)
}

/// The flags, with all that is said of them and what their values are.
fn described() -> Command {
    Flags::command()
        .max_term_width(WIDTH)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(about_flag(
            "help",
            'h',
            "Print help: -h the short, --help the whole",
        ))
        .arg(about_flag("version", 'V', "Print the version"))
        .mut_args(with_values)
}

/// All flags under their headings. One line each says enough, so it is not the long form of clap.
fn long_help() -> Command {
    described().about(LONG_ABOUT).after_help(AFTER_LONG_HELP)
}

/// The short help: the flags most used, without headings.
fn short_help() -> Command {
    let command = described().after_help(AFTER_HELP).max_term_width(80);
    command.mut_args(|arg| {
        let hide = !MOST_USED.contains(&arg.get_id().as_str());
        in_one_line(arg.hide(hide).help_heading("Options"))
    })
}

/// Without the default, and with one word for a choice of values.
fn in_one_line(arg: Arg) -> Arg {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let help = help
        .split(" [default")
        .next()
        .unwrap_or_default()
        .to_owned();
    let names = arg.get_value_names().unwrap_or_default();
    let is_choice = names.first().is_some_and(|name| name.contains('|'));
    let arg = arg.help(help);
    match is_choice {
        true => arg.value_name("HOW"),
        false => arg,
    }
}

fn about_flag(name: &'static str, short: char, help: &'static str) -> Arg {
    let action = match name {
        "help" => clap::ArgAction::Help,
        _ => clap::ArgAction::Version,
    };
    Arg::new(name)
        .short(short)
        .long(name)
        .action(action)
        .help(help)
        .help_heading("About")
}

/// What the name of a value tells of it: `auto|never` are its values, `FILE` is one that exists.
fn with_values(arg: Arg) -> Arg {
    let names = arg.get_value_names().unwrap_or_default();
    let name = names.first().map(|name| name.to_string());
    let Some(name) = name.filter(|_| arg.get_action().takes_values()) else {
        return arg;
    };
    let is_word = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase());
    let words: Vec<String> = name.split('|').map(str::to_owned).collect();
    if words.len() > 1 && words.iter().all(|word| is_word(word)) {
        // clap holds names for as long as the process lives, which ends after this one text.
        let words = words
            .into_iter()
            .map(|word| -> &'static str { word.leak() });
        return arg
            .value_parser(PossibleValuesParser::new(words))
            .hide_possible_values(true);
    }
    let hint = match name.as_str() {
        "DIR" => ValueHint::DirPath,
        "COMMAND" => ValueHint::CommandWithArguments,
        "PATH" | "P" | "PROGRAM" => ValueHint::ExecutablePath,
        _ if name.contains("HOST") => ValueHint::Hostname,
        _ if name.contains("FILE") => ValueHint::FilePath,
        _ => ValueHint::Other,
    };
    arg.value_hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        described().debug_assert();
        short_help().debug_assert();
    }

    #[test]
    fn the_short_help_fits_a_screen() {
        let help = short_help().term_width(80).render_help().to_string();
        assert!(help.lines().count() <= 24, "{help}");
        let widest = help.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{help}");
    }

    #[test]
    fn the_first_help_flag_counts() {
        let is_long = |args: &[&str]| {
            let args: Vec<OsString> = args.iter().map(OsString::from).collect();
            help(&args).contains("EXAMPLES")
        };
        assert!(is_long(&["bsh", "--json", "--help"]));
        assert!(!is_long(&["bsh", "-h", "--help"]));
    }
}
