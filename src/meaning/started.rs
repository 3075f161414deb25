//! Programs: what the table says of them, and what the shell says when it cannot start them.

use super::arguments::Arguments;
use super::blame::{Blame, Cause, Kind, Status};
use super::decide::{Decider, Shell};
use super::facts::Lookup;
use super::programs;
use super::simple::{Reach, is_keyword};
use super::syntax::{HOLE, Word};
use super::table::{self, Found};
use std::rc::Rc;

impl Decider<'_> {
    /// What the table and the profile say of a command, whoever started it.
    pub(super) fn named(&mut self, name: &str, words: &[Word]) -> Status {
        self.by_table(name, name, words, &|_| true)
    }

    /// `spoke`: whether the command may have named itself on standard error.
    pub(super) fn by_table(
        &mut self,
        name: &str,
        shown: &str,
        words: &[Word],
        spoke: &dyn Fn(&str) -> bool,
    ) -> Status {
        let arguments = Arguments::new(name, words);
        let codes = programs::codes(name, words, &arguments);
        let can_fail = codes.is_none_or(|codes| codes.iter().any(|&code| code != 0));
        if self.code != 0
            && can_fail
            && programs::profile(name).is_some_and(|profile| profile.speaks)
            && !spoke(shown)
        {
            // It would have said so.
            return self.success();
        }
        let mut status = Status {
            zero: self.code != 0 && codes.is_none_or(|codes| codes.contains(&0)),
            other: codes
                .is_none_or(|codes| codes.iter().any(|&code| code != 0 && code != self.code)),
            ..Status::default()
        };
        let found = table::find(name, &arguments, self.code);
        let blame = match found {
            Found::Row(row) => Blame::One(Cause {
                command: Some(Rc::from(shown)),
                kind: Kind::Row(row),
            }),
            Found::None | Found::Unsure => Blame::Unclear,
        };
        match codes {
            // A filter that reads its input does not fail.
            Some([0]) if self.code != 0 && name != "echo" => {}
            Some(codes) if codes.contains(&self.code) => status.hit = blame,
            Some(_) => match found {
                Found::Row(row) if row.is_general() || matches!(name, "echo" | "ls") => {
                    status.weak = blame;
                }
                Found::Row(_) => status.hit = blame,
                Found::Unsure => status.hit = Blame::Unclear,
                Found::None => {}
            },
            None => match found {
                Found::Row(row) if row.is_general() && row.low() != self.code => {
                    status.weak = blame;
                }
                Found::None if self.owned && self.code != 0 => status.weak = blame,
                _ => status.hit = blame,
            },
        }
        status
    }

    /// A program, and what the shell itself says when it cannot start it.
    pub(super) fn program(
        &mut self,
        base: &str,
        first: &Word,
        arguments: &[Word],
        reach: Reach,
        shell: &mut Shell,
    ) -> Status {
        let name = table::canonical(base);
        if reach == Reach::Wrapped && self.only_in_shell(first, shell) {
            return Status::constant(127, self.code);
        }
        if let Some(status) = self.shell_program(name, arguments, shell) {
            return status;
        }
        if let Some(status) = self.wrapper(name, base, arguments, shell) {
            if self.code > 127 {
                return status;
            }
            return self.started(name, first, status, reach, shell);
        }
        let hidden = shell.state.hidden;
        let facts = self.facts;
        if facts.run
            && reach != Reach::Wrapped
            && programs::profile(name).is_none()
            && !first.text.contains(['/', HOLE, '~'])
            && !shell.state.path_changed
            && facts.lookup(&first.text, shell.state.moved) == Lookup::Missing
        {
            return Status::cause(
                127,
                self.code,
                Cause {
                    command: Some(Rc::from(base)),
                    kind: Kind::NotFound,
                },
            );
        }
        let status = self.by_table(name, base, arguments, &|shown| {
            hidden || facts.may_say(&format!("{shown}: "))
        });
        self.started(name, first, status, reach, shell)
    }

    /// A name that no program has, so that nothing but a shell can run it.
    pub(super) fn only_in_shell(&self, first: &Word, shell: &Shell) -> bool {
        let text = first.text.as_str();
        !text.contains('/')
            && (shell.state.function(text).is_some()
                || is_keyword(text)
                || matches!(
                    text,
                    "cd" | "exit"
                        | "return"
                        | "export"
                        | "source"
                        | "."
                        | "eval"
                        | "exec"
                        | "set"
                        | "shift"
                        | "unset"
                        | "local"
                        | "declare"
                        | "typeset"
                        | "readonly"
                        | "trap"
                        | "break"
                        | "continue"
                        | ":"
                        | "let"
                        | "shopt"
                        | "alias"
                        | "type"
                        | "read"
                ))
    }

    /// Adds the codes that mean that a program was not started, or was killed.
    pub(super) fn started(
        &mut self,
        name: &str,
        first: &Word,
        mut status: Status,
        reach: Reach,
        shell: &Shell,
    ) -> Status {
        let shown: Rc<str> = Rc::from(first.text.rsplit('/').next().unwrap_or_default());
        let closed = programs::profile(name).is_some();
        let by_shell = reach != Reach::Wrapped;
        match self.code {
            126 | 127 if by_shell => {
                let found = if shell.state.path_changed && !first.text.contains('/')
                    || first.text.contains([HOLE, '~'])
                {
                    Lookup::Unknown
                } else {
                    self.facts.lookup(&first.text, shell.state.moved)
                };
                let own = matches!(&status.hit, Blame::One(_));
                let hit = std::mem::take(&mut status.hit);
                if found == Lookup::Found && closed && !own {
                    // It is there; when nobody else gave the code, it was not there then.
                    status.weak = self.verdict(first, Lookup::Unknown, closed, own, hit);
                } else {
                    status.hit = self.verdict(first, found, closed, own, hit);
                }
            }
            126 | 127 => {}
            129..=192 => {
                let row = matches!(
                    &status.hit,
                    Blame::One(Cause { kind: Kind::Row(row), .. }) if !row.is_range()
                );
                let number = self.code - 128;
                let real = !matches!(number, 32 | 33);
                if !row && real && !programs::chooses(name) && status.hit_is_own(closed) {
                    status.hit = Blame::One(Cause {
                        command: Some(shown),
                        kind: Kind::Signal(number),
                    });
                } else if !row {
                    status.hit = Blame::Unclear;
                }
                status.weak = Blame::Nobody;
            }
            _ => {}
        }
        status
    }

    /// Whose 126 or 127 it is: the shell's, or the program's own.
    pub(super) fn verdict(
        &self,
        first: &Word,
        found: Lookup,
        closed: bool,
        own: bool,
        program: Blame,
    ) -> Blame {
        let cause = |kind| {
            Blame::One(Cause {
                // The word as it was written, since that is what was not found.
                command: first.constant().map(Rc::from),
                kind,
            })
        };
        let (missing, not_run) = (Kind::NotFound, Kind::NotExecutable);
        match (self.code, found) {
            (127, Lookup::Missing) => cause(missing),
            (127, Lookup::NoInterpreter) => cause(Kind::NoInterpreter),
            (127, Lookup::Unknown) if closed && !own => cause(missing),
            (126, Lookup::NotExecutable) => cause(not_run),
            // A message without the name is true whether it or something in it was not run.
            (126, Lookup::Missing | Lookup::Unknown) if !own => Blame::One(Cause {
                command: None,
                kind: not_run,
            }),
            (127, Lookup::NotExecutable) | (126, Lookup::Missing | Lookup::NoInterpreter) => {
                Blame::Unclear
            }
            (_, Lookup::Found) => program,
            _ => Blame::Unclear,
        }
    }
}

impl Status {
    /// Whether the code is nobody's own choice, as far as is known.
    fn hit_is_own(&self, closed: bool) -> bool {
        closed || !matches!(&self.hit, Blame::One(_))
    }
}
