//! Wrong usage: one sentence of it, and whether it has to be JSON.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

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

    /// What the parser says, as one sentence.
    pub fn of_clap(error: &clap::Error) -> Self {
        let flag = match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(flag)) => named(flag),
            _ => "the command line",
        };
        match error.kind() {
            ErrorKind::UnknownArgument => match error.get(ContextKind::SuggestedArg) {
                Some(ContextValue::String(known)) => {
                    Self::new(format!("there is no {flag}. Did you mean {known}?"))
                }
                _ => Self::new(format!("there is no {flag}. See bsh --help")),
            },
            ErrorKind::ArgumentConflict => match error.get(ContextKind::PriorArg) {
                Some(ContextValue::String(other)) => {
                    let other = named(other);
                    Self::new(format!("{flag} and {other} cannot be used together"))
                }
                _ => Self::new(format!(
                    "{flag} stands alone: nothing else can be given with it"
                )),
            },
            ErrorKind::TooManyValues => Self::new(format!("{flag} takes no value")),
            ErrorKind::InvalidValue => Self::new(format!("{flag}: the value is missing")),
            // The parser does not say which, and others may be anything.
            ErrorKind::InvalidUtf8 => Self::new("a value that has to be UTF-8 is not"),
            _ => {
                let text = error.to_string();
                let first = text.lines().next().unwrap_or_default();
                Self::new(first.strip_prefix("error: ").unwrap_or(first))
            }
        }
    }

    /// What to type in place of the flags of a shell, such as `-c X` and `-lc X`, when they were typed.
    pub fn of_shell_flags(command: &Command, args: &[OsString]) -> Option<Self> {
        let (flags, after) = typed_flags(command, args)
            .into_iter()
            .map(|(flag, after)| (flag.to_string_lossy(), after))
            .find(|(flag, _)| are_shell_flags(flag))?;
        let after = after.iter().map(|arg| arg.to_string_lossy().into_owned());
        let mut line = vec!["bash".to_owned(), flags.clone().into_owned()];
        line.extend(after);
        let typed = match line.get(2) {
            Some(typed) => quote(typed),
            None => "COMMAND".to_owned(),
        };
        let sentence = format!("there is no {flags}, the command comes first: bsh {typed}");
        Some(Self::new(match (flags.as_ref(), line.len()) {
            ("-c", _) | (_, 2) => sentence,
            _ => format!(
                "{sentence}, or with the flags of a shell: bsh {}",
                command_line(&line)
            ),
        }))
    }
}

/// A flag without the name of its value.
fn named(flag: &str) -> &str {
    match flag.split(' ').next() {
        Some("[COMMAND]...") => "a command",
        Some(name) => name,
        None => flag,
    }
}

/// Whether these are flags that a shell has in front of a command line, none of which bsh has so.
fn are_shell_flags(flag: &str) -> bool {
    let letters = flag
        .strip_prefix('-')
        .and_then(|flags| flags.strip_suffix('c'));
    // No -h, which bsh has.
    letters.is_some_and(|letters| {
        letters
            .chars()
            .all(|letter| "abefilmnpuvx".contains(letter))
    })
}

/// What was typed, at a length that a sentence can hold.
pub fn shown(text: &OsStr) -> String {
    text.to_string_lossy().chars().take(40).collect()
}

/// How the sentence about a line that may be wrong is printed: what counts stands before the first word
/// of the command. A value of a flag that takes none changes nothing of what was meant.
pub fn wanted_print(command: &Command, args: &[OsString]) -> Print {
    let typed = typed_flags(command, args);
    let has = |name: &str| {
        typed.iter().any(|(flag, _)| {
            let rest = flag.as_bytes().strip_prefix(name.as_bytes());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"="))
        })
    };
    match () {
        () if has("--pretty") => Print::PrettyJson,
        () if has("--json") => Print::Json,
        () if has("--events") => Print::Events,
        () => Print::Text,
    }
}

/// The flags before the first word of the command, each with all that follows it.
fn typed_flags<'a>(command: &Command, args: &'a [OsString]) -> Vec<(&'a OsStr, &'a [OsString])> {
    let mut typed = Vec::new();
    let mut rest = args.get(1..).unwrap_or_default();
    while let Some((flag, after)) = rest.split_first() {
        let Some(takes_next) = reads_next(command, flag) else {
            break;
        };
        typed.push((flag.as_os_str(), after));
        rest = after.get(usize::from(takes_next)..).unwrap_or_default();
    }
    typed
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

    fn args_of(words: &[&str]) -> Vec<OsString> {
        ["bsh"].iter().chain(words).map(OsString::from).collect()
    }

    #[test]
    fn what_is_printed_is_asked_for_before_the_command() {
        let wanted = |words: &[&str]| wanted_print(&Flags::command(), &args_of(words));
        let cases: [(&[&str], Print); 9] = [
            (&["--json", "--wrong"], Print::Json),
            (&["--json=1", "x"], Print::Json),
            (&["--events=yes", "x"], Print::Events),
            (
                &["--wrong", "-t", "5s", "-k5s", "--pretty"],
                Print::PrettyJson,
            ),
            (&["--json", "--wrong", "--pretty"], Print::PrettyJson),
            (&["--jsonl", "x"], Print::Text),
            (&["echo", "--json"], Print::Text),
            (&["--", "--json"], Print::Text),
            (&["-C", "--json", "--wrong"], Print::Text),
        ];
        for (words, print) in cases {
            assert_eq!(wanted(words), print, "{words:?}");
        }
    }

    #[test]
    fn only_the_flags_of_a_shell_are_taken_for_them() {
        let said = |words: &[&str]| {
            let error = UsageError::of_shell_flags(&Flags::command(), &args_of(words));
            error.map(|error| error.to_string())
        };
        assert_eq!(
            said(&["-t", "5s", "-c"]).as_deref(),
            Some("there is no -c, the command comes first: bsh COMMAND")
        );
        for words in [
            &["-hc", "x"][..],
            &["bash", "-lc", "x"],
            &["-C", "-lc", "x"],
            &["-l", "x"],
            &["--", "-c", "x"],
        ] {
            assert_eq!(said(words), None, "{words:?}");
        }
    }
}
