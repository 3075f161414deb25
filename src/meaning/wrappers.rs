//! Programs that run another one and pass its code on.

use super::arguments::Arguments;
use super::blame::{Blame, Status};
use super::decide::{Decider, Shell};
use super::facts::Lookup;
use super::parser;
use super::simple::Reach;
use super::state::{Dialect, State};
use super::syntax::{End, Node, Word};
use super::wrapper_calls::{Before, Inner, WRAPPERS, Wrapper, has};

/// A wrapper as it was called.
struct Call<'a> {
    wrapper: &'static Wrapper,
    name: &'a str,
    /// The name as it was written, without its path.
    shown: &'a str,
    words: &'a [Word],
}

impl Call<'_> {
    /// Whether the command is looked for elsewhere than the shell would look.
    fn is_elsewhere(&self) -> bool {
        matches!(
            self.name,
            "sudo" | "doas" | "chroot" | "uv" | "poetry" | "pipenv" | "su" | "runuser"
        ) || self.name == "env"
            && self.words.iter().any(|word| {
                let text = word.text.as_str();
                text == "-"
                    || text.starts_with("-i")
                    || text.starts_with("-C")
                    || text.starts_with("--")
                    || text.starts_with("PATH=")
            })
    }

    /// Whether a start-up file is given to a shell in it.
    fn sets_startup(&self) -> bool {
        self.words.iter().any(|word| {
            ["BASH_ENV=", "SHELLOPTS=", "BASHOPTS=", "ENV="]
                .iter()
                .any(|name| word.text.starts_with(name))
        })
    }

    /// Whether `flock` may give up with 1.
    fn may_miss_lock(&self) -> bool {
        let arguments = Arguments::new(self.name, self.words);
        self.name == "flock"
            && ["-n", "-w", "--nonblock", "--nb", "--timeout", "--wait"]
                .iter()
                .any(|option| arguments.has(option))
    }
}

impl Decider<'_> {
    /// How a wrapper ends; [`None`] when the command is none.
    pub(super) fn wrapper(
        &mut self,
        name: &str,
        shown: &str,
        words: &[Word],
        shell: &mut Shell,
    ) -> Option<Status> {
        if name == "ssh" {
            return Some(self.ssh(words, shell));
        }
        let wrapper = WRAPPERS
            .binary_search_by(|wrapper| wrapper.name.cmp(name))
            .ok()
            .and_then(|at| WRAPPERS.get(at))?;
        let runs = match name {
            "uv" | "poetry" | "pipenv" => words.first().is_some_and(|word| word.text == "run"),
            _ => true,
        };
        let inner = if runs {
            wrapper.inner(words)
        } else {
            Inner::Nothing
        };
        let by_table = |decider: &mut Self| decider.by_table(name, shown, words, &|_| true);
        let text_only = wrapper.before == Before::Operands(usize::MAX);
        let arguments = Arguments::new(name, words);
        let inner = match inner {
            Inner::Words(_) if text_only => return Some(by_table(self)),
            Inner::Nothing => return Some(by_table(self)),
            inner => inner,
        };
        if name == "script" && !arguments.has("-e") && !words.iter().any(|w| w.text == "--return") {
            return Some(by_table(self));
        }

        let call = Call {
            wrapper,
            name,
            shown,
            words,
        };
        let own_row = wrapper.own.contains(&self.code) || name == "flock" && self.code == 1;
        let owned = std::mem::replace(&mut self.owned, own_row && matches!(self.code, 124 | 125));
        let status = self.wrapped(&call, &inner, shell);
        self.owned = owned;
        Some(self.own_failure(&call, &inner, status, shell))
    }

    fn wrapped(&mut self, call: &Call, inner: &Inner, shell: &mut Shell) -> Status {
        match inner {
            Inner::Words(inner) => {
                let tainted = shell.state.tainted;
                let path_changed = shell.state.path_changed;
                let moved = shell.state.moved;
                shell.state.path_changed |= call.is_elsewhere();
                shell.state.moved |= call.is_elsewhere();
                shell.state.tainted |= call.sets_startup();
                let status = self.resolve(inner, Reach::Wrapped, shell, true);
                shell.state.tainted = tainted;
                shell.state.moved = moved;
                shell.state.path_changed = path_changed;
                status
            }
            Inner::Text(word) => {
                let Some(text) = word.constant() else {
                    return Status::unclear();
                };
                if call.name == "env" {
                    return self.split_text(text, shell);
                }
                let state = State {
                    dialect: Dialect::Posix,
                    hidden: shell.state.hidden,
                    nested: true,
                    moved: true,
                    path_changed: true,
                    tainted: shell.state.tainted,
                    last: self.success(),
                    ..State::default()
                };
                self.text(text, state)
            }
            Inner::Nothing => Status::unclear(),
        }
    }

    /// `env -S 'command words'`.
    fn split_text(&mut self, text: &str, shell: &mut Shell) -> Status {
        let script = parser::parse(text);
        match (script.nodes.as_slice(), script.end) {
            ([Node::Simple(simple), Node::List(_)], End::Complete)
                if simple.redirects.is_empty() && simple.assignments.is_empty() =>
            {
                self.resolve(&simple.words, Reach::Wrapped, shell, true)
            }
            _ => Status::unclear(),
        }
    }

    /// Adds what the wrapper itself can give.
    fn own_failure(
        &mut self,
        call: &Call,
        inner: &Inner,
        mut status: Status,
        shell: &Shell,
    ) -> Status {
        let Call {
            wrapper,
            name,
            shown,
            words,
        } = *call;
        status.other |= !wrapper.own.is_empty();
        let preserves = words.iter().any(|word| word.text == "--preserve-status");
        if name == "timeout" && self.code == 124 && preserves {
            return status;
        }
        if name == "timeout" && self.code == 137 && may_kill(words) {
            status.hit = match status.hit {
                Blame::One(mut cause) => {
                    cause.command = None;
                    Blame::One(cause)
                }
                blame => blame,
            };
            return status;
        }
        let lock = self.code == 1 && call.may_miss_lock();
        if !wrapper.own.contains(&self.code) && !lock {
            return status;
        }
        let own = self.by_table(name, shown, words, &|_| true);
        if matches!(self.code, 126 | 127) {
            // Its own verdict on a command that it could not start.
            let found = match inner {
                Inner::Words([first, ..]) if !shell.state.path_changed && !call.is_elsewhere() => {
                    self.facts.lookup(&first.text, shell.state.moved)
                }
                _ => Lookup::Unknown,
            };
            let closed = match inner {
                Inner::Words([first, ..]) => {
                    let base = first.text.rsplit('/').next().unwrap_or_default();
                    super::programs::profile(super::table::canonical(base)).is_some()
                }
                _ => false,
            };
            let missing = matches!(found, Lookup::Missing | Lookup::NoInterpreter);
            if missing && self.code == 127 || found == Lookup::NotExecutable && self.code == 126 {
                status.hit = own.hit;
            } else if found != Lookup::Found || closed {
                status.hit = status.hit.join(own.hit);
            }
            return status;
        }
        if wrapper.speaks && self.code == 1 && !lock {
            let visible = !shell.state.hidden;
            if visible
                && !self.facts.may_say(&format!("{name}: "))
                && self.facts.stderr.is_some_and(<[u8]>::is_empty)
            {
                return status;
            }
        }
        status.hit = status.hit.join(own.hit);
        status
    }

    fn ssh(&mut self, words: &[Word], shell: &Shell) -> Status {
        const VALUES: &str = "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B";
        let own = self.named("ssh", words);
        if self.code == 255 || self.code == 0 {
            return own;
        }
        let mut rest = words;
        while let Some((word, behind)) = rest.split_first() {
            let option = word.text.as_str();
            if !option.starts_with('-') {
                rest = behind;
                break;
            }
            let letter = option.get(..2).unwrap_or_default();
            let taken = option.len() == 2 && has(VALUES, letter);
            rest = behind.get(usize::from(taken)..).unwrap_or_default();
        }
        let rest: Vec<&Word> = rest.iter().collect();
        let mut status = self.remote(&rest, shell);
        status.other = true;
        status
    }
}

/// Whether `timeout` may send SIGKILL.
fn may_kill(words: &[Word]) -> bool {
    words.iter().any(|word| {
        let text = word.text.as_str();
        text.starts_with("-k")
            || text.starts_with("--kill-after")
            || text.ends_with("KILL")
            || matches!(text, "-s9" | "9" | "--signal=9")
    })
}
