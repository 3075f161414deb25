//! Builtins that change settings: options, traps, aliases, variables.

use super::arguments::Arguments;
use super::blame::{Blame, Status};
use super::decide::{Decider, Shell};
use super::deliver::is_name;
use super::parser;
use super::simple::sets_variable;
use super::state::Switch;
use super::syntax::{End, HOLE, Node, Script, Word};
use std::rc::Rc;

impl Decider<'_> {
    pub(super) fn set(&mut self, words: &[Word], shell: &mut Shell) -> Status {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let Some(text) = word.constant() else {
                // It may hold options; what follows is only arguments when `--` came.
                for switch in [
                    &mut shell.state.errexit,
                    &mut shell.state.pipefail,
                    &mut shell.state.nounset,
                ] {
                    *switch = switch.join(Switch::Maybe);
                }
                break;
            };
            let on = match text.chars().next() {
                _ if text == "--" || text == "-" => break,
                Some('-') => Switch::On,
                Some('+') => Switch::Off,
                _ => break,
            };
            for letter in text.chars().skip(1) {
                match letter {
                    'e' => shell.state.errexit = on,
                    'u' => shell.state.nounset = on,
                    'n' | 't' if on == Switch::On => return self.stops_reading(shell),
                    'o' => match words.next().map(Word::constant) {
                        Some(Some("pipefail")) => shell.state.pipefail = on,
                        Some(Some("errexit")) => shell.state.errexit = on,
                        Some(Some("nounset")) => shell.state.nounset = on,
                        Some(Some("posix")) => {
                            shell.state.dialect = super::state::Dialect::Posix;
                        }
                        Some(Some(
                            "xtrace"
                            | "verbose"
                            | "noglob"
                            | "noclobber"
                            | "allexport"
                            | "errtrace"
                            | "functrace"
                            | "monitor"
                            | "notify"
                            | "hashall"
                            | "braceexpand"
                            | "histexpand"
                            | "physical"
                            | "privileged"
                            | "vi"
                            | "emacs"
                            | "ignoreeof"
                            | "history"
                            | "interactive-comments"
                            | "keyword"
                            | "nolog",
                        )) => {}
                        Some(Some("noexec" | "onecmd")) | Some(None) => {
                            return self.stops_reading(shell);
                        }
                        Some(Some(_)) => return self.named_code("set", words.as_slice(), 2),
                        None => {}
                    },
                    'a' | 'b' | 'f' | 'h' | 'm' | 'p' | 'v' | 'x' | 'B' | 'C' | 'E' | 'H' | 'P'
                    | 'T' | 'n' | 'k' | 't' => {}
                    _ => return self.named_code("set", words.as_slice(), 2),
                }
            }
        }
        self.success()
    }

    /// What comes next may not be run at all, and the status then is that of before.
    fn stops_reading(&self, shell: &mut Shell) -> Status {
        let exits = std::mem::take(&mut shell.exits);
        shell.exits = exits.join(Status::unclear());
        Status::unclear()
    }

    pub(super) fn shopt(&mut self, words: &[Word], shell: &mut Shell) -> Status {
        let arguments = Arguments::new("shopt", words);
        let on = arguments.has("-s");
        let off = arguments.has("-u");
        for word in arguments.operands() {
            match word.constant() {
                Some("expand_aliases") if on => {
                    let line = shell.state.line;
                    shell.state.expand_aliases.get_or_insert(line);
                }
                Some("lastpipe" | "extdebug" | "execfail" | "inherit_errexit") | None if on => {
                    shell.state.tainted = true;
                    return Status::unclear();
                }
                Some("pipefail") if arguments.has("-o") && on => shell.state.pipefail = Switch::On,
                Some("errexit") if arguments.has("-o") && on => shell.state.errexit = Switch::On,
                Some("pipefail") if off => shell.state.pipefail = Switch::Off,
                Some("errexit") if off => shell.state.errexit = Switch::Off,
                _ => {}
            }
        }
        if on || off {
            return self.success();
        }
        self.named("shopt", words)
    }

    pub(super) fn trap(&mut self, words: &[Word], shell: &mut Shell) -> Status {
        let words = match words.first() {
            Some(word) if word.text == "--" => words.get(1..).unwrap_or_default(),
            Some(word) if matches!(word.text.as_str(), "-p" | "-l") => return self.success(),
            _ => words,
        };
        let Some((action, signals)) = words.split_first() else {
            return self.success();
        };
        let exit = signals
            .iter()
            .any(|word| matches!(word.text.as_str(), "EXIT" | "0"));
        let unknown_signal = signals.iter().any(|word| word.constant().is_none());
        let text = action.text.replace(HOLE, "\u{1}");
        if text.is_empty() || text == "-" || signals.is_empty() {
            if exit {
                shell.state.exit_trap = None;
                shell.state.exit_trap_unclear = false;
            }
            return self.success();
        }
        let script = Rc::new(parser::parse(&text));
        if script.end != End::Complete || unknown_signal {
            shell.state.exit_trap_unclear = true;
            return self.success();
        }
        let others = signals.iter().any(|word| {
            !matches!(
                word.text.to_ascii_uppercase().as_str(),
                "EXIT"
                    | "0"
                    | "INT"
                    | "TERM"
                    | "HUP"
                    | "QUIT"
                    | "SIGINT"
                    | "SIGTERM"
                    | "SIGHUP"
                    | "SIGQUIT"
                    | "PIPE"
                    | "USR1"
                    | "USR2"
                    | "WINCH"
                    | "CHLD"
            )
        });
        let leaves = self.may_leave(&script, shell);
        if leaves && (others || !exit) || others && !harmless(&script) {
            let exits = std::mem::take(&mut shell.exits);
            shell.exits = exits.join(Status::unclear());
        }
        if exit {
            shell.state.exit_trap = Some(script);
            shell.state.exit_trap_unclear = false;
        }
        self.success()
    }

    /// Whether a trap may end the shell: it exits, or calls what may.
    pub(super) fn may_leave(&self, script: &Script, shell: &Shell) -> bool {
        script.nodes.iter().any(|node| match node {
            Node::Simple(simple) => simple.words.first().is_some_and(|word| {
                let text = word.text.as_str();
                matches!(
                    text,
                    "exit" | "exec" | "return" | "kill" | "eval" | "source" | "." | "set" | "break"
                ) || word.constant().is_none()
                    || shell.state.function(text).is_some()
                    || !is_common(text)
            }),
            _ => false,
        })
    }

    pub(super) fn define_aliases(&mut self, words: &[Word], shell: &mut Shell) -> Status {
        let mut defines = false;
        for word in words {
            let Some((name, value)) = word.text.split_once('=') else {
                continue;
            };
            defines = true;
            let script = parser::parse(value);
            let simple = match (script.nodes.as_slice(), script.end) {
                ([Node::Simple(simple), Node::List(_)], End::Complete)
                    if simple.assignments.is_empty()
                        && simple.redirects.is_empty()
                        && !value.ends_with(' ')
                        && word.constant().is_some() =>
                {
                    Some(simple.words.clone())
                }
                _ => None,
            };
            if shell.state.aliases.len() > 200 {
                shell.state.tainted = true;
                return Status::unclear();
            }
            shell.state.aliases.retain(|(known, ..)| known != name);
            // It counts from the next line; within a function or a loop that is not plain.
            let line = if shell.returns.is_none() && shell.loops == 0 {
                shell.state.line
            } else {
                usize::MAX
            };
            shell.state.aliases.push((name.to_owned(), simple, line));
        }
        if defines {
            return self.success();
        }
        self.named("alias", words)
    }

    pub(super) fn unset(&mut self, words: &[Word], shell: &mut Shell) -> Status {
        for word in words {
            match word.constant() {
                Some(name) => {
                    shell.state.path_changed |= name == "PATH";
                    shell.state.saved.retain(|(known, _)| known != name);
                    // Whether the function or the variable goes is told by an option.
                    if self.facts.functions.iter().any(|known| known == name) {
                        shell.state.define(name, None);
                    } else if shell.state.function(name).is_some() {
                        if words.first().is_some_and(|word| word.text == "-f") {
                            shell.state.functions.retain(|(known, _)| known != name);
                        } else {
                            shell.state.define(name, None);
                        }
                    }
                }
                None => shell.state.tainted = true,
            }
        }
        if words.iter().all(|word| {
            matches!(word.text.as_str(), "-f" | "-v") || word.constant().is_some_and(is_name)
        }) {
            return self.success();
        }
        self.named("unset", words)
    }

    pub(super) fn declare(&mut self, name: &str, words: &[Word], shell: &mut Shell) -> Status {
        let readonly = name == "readonly"
            || words
                .iter()
                .any(|word| word.text.starts_with('-') && word.text.contains('r'));
        let flags = |word: &&Word| word.text.starts_with('-');
        if name == "export"
            && words
                .iter()
                .any(|word| flags(&word) && word.text.contains('f'))
        {
            shell.state.exported_functions = true;
        }
        if words
            .iter()
            .any(|word| flags(&word) && word.text.contains(['p', 'f', 'F']))
        {
            return self.named(name, words);
        }
        for word in words {
            let variable = word.raw.split('=').next().unwrap_or_default();
            shell.state.saved.retain(|(known, _)| known != variable);
            shell.state.path_changed |= variable == "PATH";
            shell.state.tainted |= matches!(variable, "BASH_ENV" | "SHELLOPTS");
            if word.raw.ends_with("=$?") {
                let last = shell.state.last.clone();
                shell.state.saved.push((variable.to_owned(), last));
            }
            if readonly && !shell.state.readonly.iter().any(|known| known == variable) {
                shell.state.readonly.push(variable.to_owned());
            }
        }
        let sure = words.iter().all(|word| flags(&word) || sets_variable(word))
            && (name != "local" || shell.returns.is_some());
        if sure && self.code != 0 {
            return self.success();
        }
        let mut status = self.named(name, words);
        if self.code == 0 && status.hit == Blame::Nobody {
            status.hit = Blame::Unclear;
        }
        status.zero = self.code != 0;
        status
    }
}

/// Commands that are often in traps and leave the shell alone.
fn is_common(name: &str) -> bool {
    matches!(
        name,
        "rm" | "echo"
            | "printf"
            | "kill"
            | "true"
            | ":"
            | "wait"
            | "rmdir"
            | "cd"
            | "umount"
            | "docker"
            | "test"
            | "["
            | "cat"
            | "mv"
            | "cp"
            | "popd"
            | "date"
            | "git"
            | "stty"
    )
}

/// Whether a trap on errors or on every command does nothing but print.
fn harmless(script: &Script) -> bool {
    script.nodes.iter().all(|node| match node {
        Node::Simple(simple) => simple
            .words
            .first()
            .is_some_and(|word| matches!(word.text.as_str(), "echo" | "printf" | ":" | "true")),
        Node::List(_) | Node::Chain(_) => true,
        _ => false,
    })
}
