//! Shells within the text: `bash -c` of a constant, and commands sent to another machine.

use super::arguments::Arguments;
use super::blame::{Blame, Status};
use super::decide::{Decider, Shell};
use super::state::{Dialect, State, Switch};
use super::syntax::Word;

/// What the options of a shell say.
struct Options<'a> {
    text: Option<&'a str>,
    state: State,
}

impl Decider<'_> {
    /// How a shell ends that runs a constant text; [`None`] when the name is no shell.
    pub(super) fn shell_program(
        &mut self,
        name: &str,
        words: &[Word],
        shell: &Shell,
    ) -> Option<Status> {
        let dialect = match name {
            "bash" => Dialect::Bash,
            "sh" | "dash" => Dialect::Posix,
            "zsh" | "ksh" | "ash" | "fish" => return Some(Status::unclear()),
            _ => return None,
        };
        let fresh = State {
            dialect,
            tainted: shell.state.tainted
                || shell.state.exported_functions
                || self.facts.startup_file,
            hidden: shell.state.hidden,
            nested: true,
            moved: shell.state.moved,
            path_changed: shell.state.path_changed,
            last: self.success(),
            ..State::default()
        };
        let Some(options) = options(words, fresh) else {
            return Some(Status::unclear());
        };
        match options.text {
            Some(text) => Some(self.text(text, options.state)),
            // A script file, or a script on standard input.
            None => {
                let arguments = Arguments::new(name, words);
                if self.code == 2 && arguments.has("-n") {
                    return Some(self.named(name, words));
                }
                let mut status = Status::unclear();
                if self.code > 128 && self.code <= 192 {
                    status.hit = Blame::Nobody;
                }
                Some(status)
            }
        }
    }

    /// A command that another machine's shell runs.
    pub(super) fn remote(&mut self, words: &[&Word], shell: &Shell) -> Status {
        let texts: Option<Vec<&str>> = words.iter().map(|word| word.constant()).collect();
        let Some(texts) = texts.filter(|texts| !texts.is_empty() && self.code < 126) else {
            return Status::unclear();
        };
        let state = State {
            dialect: Dialect::Posix,
            hidden: true,
            nested: true,
            moved: true,
            path_changed: true,
            last: self.success(),
            tainted: shell.state.tainted,
            ..State::default()
        };
        self.text(&texts.join(" "), state)
    }
}

/// Reads the options of a shell; [`None`] when they cannot be followed.
fn options(words: &[Word], mut state: State) -> Option<Options<'_>> {
    let mut command = false;
    let mut words = words.iter();
    let mut next = words.next();
    while let Some(word) = next {
        let text = word.constant()?;
        match text {
            "--" => {
                next = words.next();
                break;
            }
            "--norc" | "--noprofile" | "--login" | "--posix" | "--verbose" => {}
            "--rcfile" | "--init-file" => {
                words.next();
            }
            _ if text.starts_with("--") => return None,
            _ if text.len() > 1 && text.starts_with(['-', '+']) => {
                let on = Switch::from(text.starts_with('-'));
                for letter in text.chars().skip(1) {
                    match letter {
                        'c' => command = true,
                        'e' => state.errexit = on,
                        'u' => state.nounset = on,
                        'o' => match words.next()?.constant()? {
                            "pipefail" => state.pipefail = on,
                            "errexit" => state.errexit = on,
                            "nounset" => state.nounset = on,
                            "xtrace" | "verbose" | "noglob" | "noclobber" => {}
                            _ => return None,
                        },
                        'l' | 'x' | 'v' | 'f' | 'h' | 'm' | 'p' | 'B' | 'H' | 'E' | 'C' | 'a' => {}
                        _ => return None,
                    }
                }
            }
            _ => break,
        }
        next = words.next();
    }
    let text = match next {
        Some(word) if command => Some(word.constant()?),
        None if command => return None,
        _ => None,
    };
    Some(Options { text, state })
}
