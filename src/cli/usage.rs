//! Wrong usage: one sentence of it, and whether it has to be JSON.

use std::ffi::{OsStr, OsString};

use clap::builder::ArgAction;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use thiserror::Error;

use crate::cli::asked::Print;
use crate::cli::words::{command_line, quote};

/// A flag, a variable or a word that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{sentence}")]
pub struct UsageError {
    sentence: String,
}

impl UsageError {
    /// A sentence that says what was expected.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self {
            sentence: sentence.into(),
        }
    }

    /// The same with secrets hidden.
    pub fn masked(self, masks: &bsh::output::Masks) -> Self {
        Self::new(masks.mask_str(&self.sentence))
    }

    /// What clap says, as one sentence with its suggestion.
    pub fn of_clap(error: &clap::Error, args: &[OsString]) -> Self {
        if error.kind() == ErrorKind::UnknownArgument
            && let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg)
            && flag == "-c"
        {
            return Self::new(format!(
                "there is no -c, the command comes first: bsh {}",
                command_after_c(args)
            ));
        }
        let text = error.to_string();
        let lines = text
            .lines()
            .map(str::trim)
            // The hint to type `-- --wrong` would make a command of a mistyped flag.
            .filter(|line| !line.is_empty() && !line.starts_with("tip: to pass"))
            .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
        let sentence = lines.collect::<Vec<_>>().join(" ");
        let sentence = sentence.strip_prefix("error: ").unwrap_or(&sentence);
        Self::new(sentence.replace(" tip: ", ". Tip: "))
    }
}

/// What was typed, at a length that a sentence can hold.
pub fn shown(text: &OsStr) -> String {
    text.to_string_lossy().chars().take(40).collect()
}

/// What to type in place of `bsh -c X`.
fn command_after_c(args: &[OsString]) -> String {
    let after = args.iter().skip_while(|arg| *arg != "-c").skip(1);
    let words: Vec<String> = after
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    match words.first() {
        Some(line) => quote(&command_line(std::slice::from_ref(line))),
        None => "COMMAND".to_owned(),
    }
}

/// Whether JSON was asked for before the first word of the command, in a line that may be wrong.
pub fn wanted_print(command: &Command, args: &[OsString]) -> Print {
    let mut args = args.iter().skip(1);
    while let Some(arg) = args.next() {
        if arg == "--json" || arg == "--pretty" {
            return Print::Json;
        }
        if arg == "--events" {
            return Print::Events;
        }
        let Some(takes_next) = reads_next(command, arg) else {
            return Print::Text;
        };
        if takes_next {
            args.next();
        }
    }
    Print::Text
}

/// For a flag, whether its value is the next argument; none for a word, which ends the flags.
fn reads_next(command: &Command, arg: &OsStr) -> Option<bool> {
    let text = arg.to_string_lossy();
    let takes_value = |arg: &Arg| matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    if text == "--" || text == "-" || !text.starts_with('-') {
        return None;
    }
    if let Some(long) = text.strip_prefix("--") {
        let known = command
            .get_arguments()
            .find(|arg| arg.get_long() == Some(long));
        return Some(known.is_some_and(takes_value));
    }
    // A cluster such as `-t5s` has its value inside; only a last letter reads the next argument.
    let mut letters = text.chars().skip(1).peekable();
    while let Some(letter) = letters.next() {
        let known = command
            .get_arguments()
            .find(|arg| arg.get_short() == Some(letter));
        if known.is_some_and(takes_value) {
            return Some(letters.peek().is_none());
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::flags::Flags;

    #[test]
    fn json_counts_only_before_the_command() {
        let wants = |args: &[&str]| {
            let args: Vec<OsString> = args.iter().map(OsString::from).collect();
            wanted_print(&Flags::command(), &args) == Print::Json
        };
        assert!(wants(&["bsh", "--json", "--wrong"]));
        assert!(wants(&["bsh", "--wrong", "-t", "5s", "-k5s", "--pretty"]));
        assert!(!wants(&["bsh", "echo", "--json"]));
        assert!(!wants(&["bsh", "--", "--json"]));
        assert!(!wants(&["bsh", "-C", "--json", "--wrong"]));
    }
}
