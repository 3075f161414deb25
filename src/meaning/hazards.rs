//! What can go wrong before a command runs: redirections and expansions.

use super::blame::{Cause, Kind, Status};
use super::decide::{Decider, Shell};
use super::state::Dialect;
use super::syntax::{Fd, Redirect, RedirectKind, Word};

impl Decider<'_> {
    /// What may go wrong in redirections, and whether they hide standard error.
    pub(super) fn redirects(&mut self, redirects: &[Redirect], shell: &Shell) -> (Status, bool) {
        let mut hides = false;
        let mut risky = false;
        for redirect in redirects {
            match redirect.kind {
                RedirectKind::Here => {}
                RedirectKind::File => {
                    let safe = matches!(
                        redirect.word.constant(),
                        Some("/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/stdin")
                    ) || redirect.word.raw.starts_with(['<', '>']);
                    risky |= !safe;
                    hides |= matches!(redirect.target, Fd::Both | Fd::Number(2));
                }
                RedirectKind::Duplicate => {
                    let usual = matches!(redirect.word.constant(), Some("0" | "1" | "2" | "-"));
                    let to_file = !usual
                        && redirect.target == Fd::Number(1)
                        && redirect
                            .word
                            .constant()
                            .is_some_and(|text| !text.bytes().all(|b| b.is_ascii_digit()));
                    risky |= !usual && redirect.word.constant() != Some("/dev/null");
                    hides |= to_file || matches!(redirect.target, Fd::Number(2));
                }
            }
        }
        let visible = !hides && !shell.state.hidden;
        if !risky || visible && !self.facts.shell_may_have_spoken(shell.state.nested) {
            return (Status::never(), hides);
        }
        let mut failure = self.trouble(1);
        if shell.state.dialect != Dialect::Bash {
            failure = failure.join(self.trouble(2));
        }
        (failure, hides)
    }

    /// What expansions alone may do: end the shell. Adds it to the ways out.
    pub(super) fn expansions(&mut self, words: &[Word], shell: &mut Shell) -> Status {
        let fragile = words.iter().any(|word| word.fragile);
        let unset = shell.state.nounset.maybe_on() && words.iter().any(|word| word.unset);
        if !fragile && !unset {
            return Status::never();
        }
        if !shell.state.hidden && !self.facts.shell_may_have_spoken(shell.state.nested) {
            return Status::never();
        }
        let mut end = Status::never();
        if fragile {
            end = end.join(self.trouble(1)).join(self.trouble(127));
        }
        if unset {
            let cause = Cause {
                command: None,
                kind: Kind::Unset,
            };
            end = end.join(Status::cause(127, self.code, cause));
            if shell.state.subshell {
                end = end.join(self.trouble(1));
            }
        }
        let exits = std::mem::take(&mut shell.exits);
        shell.exits = exits.join(end);
        Status::never()
    }
}
