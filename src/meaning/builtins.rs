//! Builtins that change what the shell does next.

use super::blame::{Blame, Cause, Kind, Status};
use super::decide::{Decider, Shell};
use super::simple::Reach;
use super::syntax::Word;

impl Decider<'_> {
    /// How a builtin ends; [`None`] when the name is no builtin.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        words: &[Word],
        shell: &mut Shell,
        soft: bool,
    ) -> Option<Status> {
        Some(match name {
            "exit" | "return" => self.jump(name, words, shell),
            "break" | "continue" => {
                if shell.loops == 0 {
                    self.success()
                } else {
                    shell.left = true;
                    Status::never()
                }
            }
            "set" => self.set(words, shell),
            "shopt" => self.shopt(words, shell),
            "trap" => self.trap(words, shell),
            "exec" => self.exec(words, shell),
            "eval" => self.eval(words, shell, soft),
            "source" | "." => self.source_file(words, shell),
            "command" => self.command_builtin(words, shell, soft),
            "builtin" => self.resolve(words, Reach::Builtin, shell, soft),
            "wait" => self.wait(words, shell),
            "cd" | "pushd" | "popd" => {
                shell.state.moved = true;
                self.spoken(name, words, shell)
            }
            "kill" => self.kill(words, shell),
            "alias" => self.define_aliases(words, shell),
            "unalias" => {
                for entry in &mut shell.state.aliases {
                    entry.1 = None;
                }
                self.named(name, words)
            }
            "unset" => self.unset(words, shell),
            "enable" | "hash" if !words.is_empty() => {
                shell.state.tainted = true;
                Status::unclear()
            }
            "local" | "declare" | "typeset" | "export" | "readonly" => {
                self.declare(name, words, shell)
            }
            ":" | "true" | "false" | "test" | "[" | "echo" | "let" | "type" | "jobs" | "fg"
            | "bg" | "umask" | "ulimit" | "help" | "caller" | "compgen" | "printf" | "pwd"
            | "times" | "hash" | "enable" => self.named(name, words),
            "read" | "mapfile" | "readarray" | "getopts" | "shift" => {
                shell.state.saved.clear();
                self.named(name, words)
            }
            "disown" | "suspend" | "bind" | "complete" | "compopt" | "dirs" | "fc" | "history"
            | "logout" => Status::unclear(),
            _ => return None,
        })
    }

    /// A builtin that says so when it fails.
    fn spoken(&mut self, name: &str, words: &[Word], shell: &Shell) -> Status {
        let visible = !shell.state.hidden;
        if self.code != 0 && visible && !self.facts.shell_may_have_spoken(shell.state.nested) {
            return self.success();
        }
        let mut status = self.named(name, words);
        // Its codes differ between shells.
        if self.code == 1 && status.hit == Blame::Nobody {
            status.hit = Blame::Unclear;
        }
        status.zero = self.code != 0;
        status
    }

    fn jump(&mut self, name: &str, words: &[Word], shell: &mut Shell) -> Status {
        let status = match words.first() {
            None => shell.state.last.clone(),
            Some(word) if word.is_parameter("?") => shell.state.last.clone(),
            Some(word) => match word.constant() {
                Some(text) => match text
                    .trim_start()
                    .trim_end_matches([' ', '\t'])
                    .parse::<i64>()
                {
                    Ok(number) => Status::constant(number.rem_euclid(256) as u8, self.code),
                    Err(_) if self.code == 2 => self.named(name, words),
                    Err(_) => Status::constant(2, self.code),
                },
                None => shell
                    .state
                    .saved
                    .iter()
                    .find(|(name, _)| word.is_parameter(name))
                    .map_or_else(Status::unclear, |(_, status)| status.clone()),
            },
        };
        if name == "exit" {
            let exits = std::mem::take(&mut shell.exits);
            shell.exits = exits.join(status);
            return Status::never();
        }
        match shell.returns.take() {
            Some(returned) => {
                shell.returns = Some(returned.join(status));
                Status::never()
            }
            // Outside a function it fails and goes on.
            None => Status::constant(2, self.code).join(self.trouble(1)),
        }
    }

    /// Surely this code of a command.
    pub(super) fn named_code(&mut self, name: &str, words: &[Word], code: u8) -> Status {
        if self.code == code {
            let found = self.named(name, words);
            return Status {
                zero: false,
                other: false,
                ..found
            };
        }
        Status::constant(code, self.code)
    }

    fn exec(&mut self, words: &[Word], shell: &mut Shell) -> Status {
        let mut rest = words;
        while let Some((word, behind)) = rest.split_first() {
            match word.text.as_str() {
                "-a" => rest = behind.get(1..).unwrap_or_default(),
                "-c" | "-l" | "-cl" | "-lc" | "--" => rest = behind,
                _ => break,
            }
        }
        if rest.is_empty() {
            return self.success();
        }
        let status = self.resolve(rest, Reach::Program, shell, true);
        let exits = std::mem::take(&mut shell.exits);
        shell.exits = exits.join(status);
        Status::never()
    }

    fn eval(&mut self, words: &[Word], shell: &mut Shell, soft: bool) -> Status {
        let mut text = String::new();
        for word in words {
            let Some(part) = word.constant() else {
                shell.state.tainted = true;
                shell.state.exit_trap_unclear = true;
                return Status::unclear();
            };
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(part);
        }
        if !shell.state.aliases.is_empty() {
            return Status::unclear();
        }
        self.source(&text, shell, soft)
    }

    fn source_file(&mut self, words: &[Word], shell: &mut Shell) -> Status {
        // Files that only set variables, and that are sourced everywhere.
        let known = words.first().is_some_and(|word| {
            word.text.ends_with("/bin/activate") || word.text.ends_with(".cargo/env")
        });
        if known {
            shell.state.path_changed = true;
            if !shell.state.hidden && !self.facts.shell_may_have_spoken(shell.state.nested) {
                return self.success();
            }
            return self.trouble(1).join(self.success());
        }
        shell.state.tainted = true;
        shell.state.exit_trap_unclear = true;
        Status::unclear()
    }

    fn command_builtin(&mut self, words: &[Word], shell: &mut Shell, soft: bool) -> Status {
        let mut rest = words;
        while let Some((word, behind)) = rest.split_first() {
            match word.text.as_str() {
                "-p" | "--" => rest = behind,
                text if text.starts_with('-') && text.contains(['v', 'V']) => {
                    let mut status = self.named("command", words);
                    if self.code != 0 {
                        status.zero = true;
                    }
                    if !matches!(self.code, 0 | 1 | 127) {
                        status.hit = Blame::Nobody;
                    }
                    if self.code == 127 && shell.state.dialect == super::state::Dialect::Bash {
                        status.hit = Blame::Nobody;
                    }
                    return status;
                }
                _ => break,
            }
        }
        self.resolve(rest, Reach::NoFunction, shell, soft)
    }

    fn wait(&mut self, words: &[Word], shell: &mut Shell) -> Status {
        if words.is_empty() {
            return self.named_code("wait", words, 0);
        }
        let last = matches!(words, [word] if word.is_parameter("!"));
        let jobs = if last {
            shell.state.last_job.clone()
        } else {
            shell.state.jobs.clone()
        };
        let Some(status) = jobs else {
            return Status::unclear();
        };
        if last {
            return status;
        }
        if self.code == 127 {
            return Status::unclear();
        }
        status
    }

    fn kill(&mut self, words: &[Word], shell: &mut Shell) -> Status {
        let own = words
            .iter()
            .any(|word| word.is_parameter("$") || word.is_parameter("BASHPID") || word.text == "0")
            && words.first().is_some_and(|word| word.text != "-0");
        if own && self.code > 128 {
            let exits = std::mem::take(&mut shell.exits);
            shell.exits = exits.join(Status {
                hit: Blame::One(Cause {
                    command: None,
                    kind: Kind::Signal(self.code - 128),
                }),
                ..Status::default()
            });
        }
        if words.iter().any(|word| word.text.starts_with("-l")) {
            return self.success();
        }
        self.named("kill", words)
    }
}
