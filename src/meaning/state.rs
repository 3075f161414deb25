//! What the shell knows at a point of the text: its options, functions, and jobs.

use super::blame::Status;
use super::syntax::{NodeId, Script, Word};
use std::rc::Rc;

/// A shell option that a branch may have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Switch {
    #[default]
    Off,
    On,
    Maybe,
}

impl Switch {
    pub fn join(self, other: Switch) -> Switch {
        if self == other { self } else { Switch::Maybe }
    }

    pub fn maybe_on(self) -> bool {
        self != Switch::Off
    }
}

impl From<bool> for Switch {
    fn from(on: bool) -> Switch {
        if on { Switch::On } else { Switch::Off }
    }
}

/// Which grammar and rules a shell follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Dialect {
    #[default]
    Bash,
    /// A shell called `sh` or `dash`: bash's own forms may be unknown to it.
    Posix,
}

/// A function that the text defines.
#[derive(Debug, Clone)]
pub(super) struct Function {
    pub script: Rc<Script>,
    pub body: NodeId,
}

/// What a name stands for; [`None`] when branches differ.
pub(super) type Meaning<T> = Option<T>;

#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub dialect: Dialect,
    pub pipefail: Switch,
    pub errexit: Switch,
    pub nounset: Switch,
    pub functions: Vec<(String, Meaning<Function>)>,
    /// Name, words, and the line after which it counts.
    pub aliases: Vec<(String, Meaning<Vec<Word>>, usize)>,
    /// The line that is running.
    pub line: usize,
    /// The line after which aliases are expanded.
    pub expand_aliases: Option<usize>,
    /// Variables that hold an earlier `$?`.
    pub saved: Vec<(String, Status)>,
    pub readonly: Vec<String>,
    /// Anything may have been redefined (`source`, `eval` of unknown text).
    pub tainted: bool,
    /// Functions go to the shells it starts (`export -f`).
    pub exported_functions: bool,
    /// Standard error does not reach the output of the run.
    pub hidden: bool,
    /// A shell within a shell, whose messages begin with another name.
    pub nested: bool,
    /// In `(…)`, `$(…)` or a pipeline.
    pub subshell: bool,
    pub moved: bool,
    pub path_changed: bool,
    /// How all jobs so far can end.
    pub jobs: Option<Status>,
    pub last_job: Option<Status>,
    /// `$?`
    pub last: Status,
    /// The text of `trap … EXIT`.
    pub exit_trap: Option<Rc<Script>>,
    pub exit_trap_unclear: bool,
}

impl State {
    /// A copy for a subshell.
    pub fn subshell(&self) -> State {
        State {
            subshell: true,
            exit_trap: None,
            jobs: None,
            last_job: None,
            ..self.clone()
        }
    }

    /// What is known after one of two ways was taken.
    pub fn join(self, other: State) -> State {
        let mut functions = self.functions;
        for (name, function) in &mut functions {
            let same = other.functions.iter().any(|(other_name, other_function)| {
                other_name == name && same_function(function, other_function)
            });
            if !same {
                *function = None;
            }
        }
        for (name, _) in other.functions {
            if !functions.iter().any(|(known, _)| *known == name) {
                functions.push((name, None));
            }
        }
        let mut aliases = self.aliases;
        for (name, _, line) in other.aliases {
            match aliases.iter_mut().find(|(known, ..)| *known == name) {
                Some(known) if known.2 == line => {}
                Some(known) => known.1 = None,
                None => aliases.push((name, None, line)),
            }
        }
        let mut saved = self.saved;
        saved.retain(|entry| other.saved.contains(entry));
        let mut readonly = self.readonly.clone();
        // Each name once: what doubles at every branch has no bound.
        let new = |name: &String| !self.readonly.contains(name);
        readonly.extend(other.readonly.into_iter().filter(new));
        let join_jobs = |a: Option<Status>, b: Option<Status>| match (a, b) {
            (Some(a), Some(b)) => Some(a.join(b)),
            (a, b) => a.or(b),
        };
        let same_trap = match (&self.exit_trap, &other.exit_trap) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        State {
            dialect: self.dialect,
            pipefail: self.pipefail.join(other.pipefail),
            errexit: self.errexit.join(other.errexit),
            nounset: self.nounset.join(other.nounset),
            functions,
            aliases,
            line: self.line.max(other.line),
            expand_aliases: self.expand_aliases.or(other.expand_aliases),
            saved,
            readonly,
            tainted: self.tainted || other.tainted,
            exported_functions: self.exported_functions || other.exported_functions,
            hidden: self.hidden || other.hidden,
            nested: self.nested || other.nested,
            subshell: self.subshell || other.subshell,
            moved: self.moved || other.moved,
            path_changed: self.path_changed || other.path_changed,
            jobs: join_jobs(self.jobs, other.jobs),
            last_job: join_jobs(self.last_job, other.last_job),
            last: self.last.join(other.last),
            exit_trap_unclear: self.exit_trap_unclear || other.exit_trap_unclear || !same_trap,
            exit_trap: self.exit_trap,
        }
    }

    /// Whether a second round of a loop would find what the first one found.
    pub fn same_rules(&self, other: &State) -> bool {
        self.pipefail == other.pipefail
            && self.errexit == other.errexit
            && self.nounset == other.nounset
            && self.tainted == other.tainted
            && self.hidden == other.hidden
            && self.moved == other.moved
            && self.path_changed == other.path_changed
            && self.saved == other.saved
            && self.functions.len() == other.functions.len()
            && self
                .functions
                .iter()
                .zip(&other.functions)
                .all(|(a, b)| a.0 == b.0 && same_function(&a.1, &b.1))
            && self.aliases.len() == other.aliases.len()
            && self.readonly.len() == other.readonly.len()
    }

    pub fn function(&self, name: &str) -> Option<&Meaning<Function>> {
        self.functions
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, function)| function)
    }

    pub fn define(&mut self, name: &str, function: Meaning<Function>) {
        // A bound on work; no text that people write comes near.
        if self.functions.len() > 200 {
            self.tainted = true;
            return;
        }
        self.functions.retain(|(known, _)| known != name);
        self.functions.push((name.to_owned(), function));
    }
}

fn same_function(a: &Meaning<Function>, b: &Meaning<Function>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Rc::ptr_eq(&a.script, &b.script) && a.body == b.body,
        (None, None) => true,
        _ => false,
    }
}
