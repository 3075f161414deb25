//! Simple commands: assignments, and what the first word stands for.

use super::blame::{Cause, Kind, Status};
use super::decide::{Decider, Shell};
use super::deliver::{assigned_name, is_name};
use super::state::{Dialect, Function};
use super::syntax::{HOLE, Script, Simple, Substitution, Word};
use std::rc::Rc;

/// What a first word may stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Alias, function, builtin, program.
    All,
    /// Behind `command`: no function.
    NoFunction,
    /// Behind `builtin`.
    Builtin,
    /// Behind `exec`: a program, started by the shell.
    Program,
    /// Behind `env` and the like: a program, started by another one.
    Wrapped,
}

impl Decider<'_> {
    pub(super) fn simple(
        &mut self,
        script: &Rc<Script>,
        simple: &Simple,
        shell: &mut Shell,
        soft: bool,
    ) -> Status {
        self.expansions(&simple.words, shell);
        self.expansions(&simple.assignments, shell);
        for redirect in &simple.redirects {
            self.expansions(std::slice::from_ref(&redirect.word), shell);
        }
        let (failure, hides) = self.redirects(&simple.redirects, shell);
        if simple.words.is_empty() {
            let status = self.assign(script, &simple.assignments, shell);
            if simple.assignments.is_empty() && !failure.is_never() {
                let cause = Cause {
                    command: None,
                    kind: Kind::Redirection,
                };
                return status.join(Status::cause(1, self.code, cause));
            }
            return status.join(failure);
        }
        let path_changed = shell.state.path_changed;
        let startup = simple.assignments.iter().any(|word| {
            let name = assigned_name(&word.raw);
            shell.state.path_changed |= name == Some("PATH");
            matches!(name, Some("BASH_ENV" | "SHELLOPTS" | "BASHOPTS" | "ENV"))
        });
        let hidden = shell.state.hidden;
        let tainted = shell.state.tainted;
        shell.state.hidden |= hides;
        shell.state.tainted |= startup;
        let status = self.command(simple, shell, soft);
        // `exec 2>file` stays.
        let lasting =
            simple.words.len() == 1 && simple.words.first().is_some_and(|word| word.text == "exec");
        if !lasting {
            shell.state.hidden = hidden;
        }
        if startup {
            shell.state.tainted = tainted;
        }
        shell.state.path_changed =
            path_changed || shell.state.path_changed && simple.assignments.is_empty();
        status.join(failure)
    }

    /// Assignments alone: the status is that of the last substitution.
    fn assign(&mut self, script: &Rc<Script>, words: &[Word], shell: &mut Shell) -> Status {
        let mut status = self.success();
        for word in words {
            for substitution in &word.substitutions {
                let given = self.substituted(script, substitution, shell);
                status = if word.conditional {
                    status.join(given)
                } else {
                    given
                };
            }
            let Some(name) = assigned_name(&word.raw) else {
                continue;
            };
            if shell.state.readonly.iter().any(|known| known == name) {
                let cause = Cause {
                    command: None,
                    kind: Kind::Readonly,
                };
                let failure = Status::cause(1, self.code, cause);
                let exits = std::mem::take(&mut shell.exits);
                shell.exits = exits.join(failure);
            }
            shell.state.path_changed |= name == "PATH";
            shell.state.tainted |= matches!(name, "BASH_ENV" | "SHELLOPTS");
            shell.state.saved.retain(|(known, _)| known != name);
            let value = word.raw.split_once('=').map(|(_, value)| value);
            let status_of_last = matches!(value, Some("$?" | "\"$?\"" | "${?}"));
            if status_of_last && words.len() == 1 && shell.state.saved.len() < 50 {
                let last = shell.state.last.clone();
                shell.state.saved.push((name.to_owned(), last));
            }
        }
        status
    }

    fn substituted(
        &mut self,
        script: &Rc<Script>,
        substitution: &Substitution,
        shell: &Shell,
    ) -> Status {
        match substitution {
            Substitution::Commands(body) => self.substitution(script, *body, shell),
            Substitution::Backquoted(text) => {
                let mut state = shell.state.subshell();
                if state.dialect == Dialect::Bash {
                    state.errexit = super::state::Switch::Off;
                }
                self.text(text, state)
            }
        }
    }

    fn command(&mut self, simple: &Simple, shell: &mut Shell, soft: bool) -> Status {
        let Some(first) = simple.words.first() else {
            return self.success();
        };
        if !shell.state.aliases.is_empty() {
            match self.alias(first, simple.line, shell) {
                Some(None) => return Status::unclear(),
                Some(Some(mut words)) => {
                    words.extend(simple.words.iter().skip(1).cloned());
                    return self.resolve(&words, Reach::All, shell, soft);
                }
                None => {}
            }
        }
        self.resolve(&simple.words, Reach::All, shell, soft)
    }

    /// The words an alias stands for; `Some(None)` when it is one that cannot be followed.
    fn alias(&self, first: &Word, line: usize, shell: &Shell) -> Option<Option<Vec<Word>>> {
        if first.quoted {
            return None;
        }
        let on = shell.state.dialect == Dialect::Posix
            || shell.state.expand_aliases.is_some_and(|since| since < line);
        let may = on || shell.state.expand_aliases.is_some();
        let (_, words, since) = shell
            .state
            .aliases
            .iter()
            .find(|(name, ..)| *name == first.text)?;
        if !may {
            return None;
        }
        Some(if on && *since < line {
            words.clone()
        } else {
            None
        })
    }

    /// What a command with these words ends with.
    pub(super) fn resolve(
        &mut self,
        words: &[Word],
        reach: Reach,
        shell: &mut Shell,
        soft: bool,
    ) -> Status {
        if !self.enter() {
            return Status::unclear();
        }
        self.charge(words.len() / 8);
        let status = self.resolved(words, reach, shell, soft);
        self.back();
        status
    }

    fn resolved(&mut self, words: &[Word], reach: Reach, shell: &mut Shell, soft: bool) -> Status {
        let Some((first, arguments)) = words.split_first() else {
            return self.success();
        };
        let text = first.text.as_str();
        let base = text.rsplit('/').next().unwrap_or_default();
        if first.pattern || base.contains(HOLE) || !text.contains('/') && text.contains(HOLE) {
            return Status::unclear();
        }
        if text.contains('/') {
            if shell.state.function(text).is_some() {
                return Status::unclear();
            }
            return self.program(base, first, arguments, reach, shell);
        }
        if matches!(reach, Reach::All) {
            match shell.state.function(text).cloned() {
                Some(Some(function)) => return self.call(&function, shell, soft),
                Some(None) => return Status::unclear(),
                None => {}
            }
        }
        let redefined = self.facts.functions.iter().any(|name| name == text);
        if reach == Reach::All && (redefined || shell.state.tainted) {
            return Status::unclear();
        }
        if matches!(reach, Reach::All | Reach::NoFunction | Reach::Builtin) {
            if let Some(status) = self.builtin(text, arguments, shell, soft) {
                return status;
            }
            if reach == Reach::Builtin {
                return Status::unclear();
            }
        }
        if is_keyword(text) && reach == Reach::All {
            return Status::unclear();
        }
        self.program(text, first, arguments, reach, shell)
    }

    fn call(&mut self, function: &Function, shell: &mut Shell, soft: bool) -> Status {
        let outer = shell.returns.replace(Status::never());
        let loops = std::mem::take(&mut shell.loops);
        let script = Rc::clone(&function.script);
        let status = self.node(&script, function.body, shell, soft);
        shell.loops = loops;
        let returned = std::mem::replace(&mut shell.returns, outer);
        status.join(returned.unwrap_or_default())
    }
}

pub(super) fn is_keyword(text: &str) -> bool {
    matches!(
        text,
        "if" | "then"
            | "elif"
            | "else"
            | "fi"
            | "for"
            | "while"
            | "until"
            | "do"
            | "done"
            | "case"
            | "esac"
            | "select"
            | "function"
            | "{"
            | "}"
            | "!"
            | "[["
            | "time"
            | "coproc"
            | "in"
    )
}

/// Whether a word sets a variable to a value that cannot go wrong.
pub(super) fn sets_variable(word: &Word) -> bool {
    match word.raw.split_once('=') {
        Some((name, _)) => is_name(name.strip_suffix('+').unwrap_or(name)),
        None => is_name(&word.raw),
    }
}
