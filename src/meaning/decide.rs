//! Follows the status through a parsed text: who can have set the code that came out.
//!
//! For one code that is asked about, every node gives a [`Status`]: whether it can end with 0,
//! with another code, and who can have given that one. `&&`, `||`, pipelines, conditions and
//! loops combine those of their parts as the shell would; `exit`, `set -e` and traps add ways
//! out. Nothing is run, and where a part may do anything, anybody may be to blame.
//!
//! The walk is as deep as the text is nested, which the parser bounds; [`MAX_STEPS`] bounds
//! the work when functions and loops multiply.

use super::blame::{Blame, Cause, Kind, Status};
use super::facts::Facts;
use super::parser::{self, MAX_TEXT};
use super::state::{Function, State, Switch};
use super::syntax::{End, Node, NodeId, Rounds, Script};
use std::rc::Rc;

/// Nodes looked at before the answer is that nothing is known.
const MAX_STEPS: u32 = 5_000;

/// Levels of nested nodes, functions and inner shells that are followed.
const MAX_LEVELS: u32 = 64;

/// A shell at work: what it knows, and the ways out of it so far.
pub(super) struct Shell {
    pub state: State,
    pub exits: Status,
    /// Ways out of the function that is running.
    pub returns: Option<Status>,
    /// Loops that are open, and whether one may be left with status 0.
    pub loops: u32,
    pub left: bool,
}

impl Shell {
    pub fn new(state: State) -> Shell {
        Shell {
            state,
            exits: Status::never(),
            returns: None,
            loops: 0,
            left: false,
        }
    }
}

pub(super) struct Decider<'a> {
    pub code: u8,
    pub facts: &'a Facts<'a>,
    /// A wrapper explains this code itself, so a program in it is not expected to give it.
    pub owned: bool,
    steps: u32,
    levels: u32,
}

impl<'a> Decider<'a> {
    pub fn new(code: u8, facts: &'a Facts<'a>) -> Decider<'a> {
        Decider {
            code,
            facts,
            owned: false,
            steps: 0,
            levels: 0,
        }
    }

    /// Who gave the code that a whole text ended with.
    pub fn decide(&mut self, text: &str) -> Blame {
        let state = State {
            dialect: self.facts.dialect,
            pipefail: self.facts.pipefail.into(),
            errexit: self.facts.errexit.into(),
            nounset: self.facts.nounset.into(),
            tainted: self.facts.startup_file,
            last: self.success(),
            ..State::default()
        };
        let status = self.text(text, state);
        if self.exhausted() {
            return Blame::Unclear;
        }
        if status.hit == Blame::Nobody {
            status.weak
        } else {
            status.hit
        }
    }

    /// Work or depth went over its bound, so that nothing is known any more.
    pub fn exhausted(&self) -> bool {
        self.steps > MAX_STEPS
    }

    /// Ends with 0, for no reason that has a meaning.
    pub fn success(&self) -> Status {
        Status::constant(0, self.code)
    }

    /// May end with this code because the shell itself failed at something.
    pub fn trouble(&self, given: u8) -> Status {
        Status::constant(given, self.code)
    }

    /// A whole text run by a shell of its own.
    pub fn text(&mut self, text: &str, state: State) -> Status {
        let mut shell = Shell::new(state);
        let status = self.source(text, &mut shell, false);
        self.leave(status, shell)
    }

    /// A text run in the shell at hand (`eval`).
    pub fn source(&mut self, text: &str, shell: &mut Shell, soft: bool) -> Status {
        if text.len() > MAX_TEXT || !self.enter() {
            return Status::unclear();
        }
        // Reading is work too: a text in a text in a text is read again each time.
        self.charge(text.len() / 16);
        let script = Rc::new(parser::parse(text));
        let mut status = self.node(&script, script.root, shell, soft);
        if !status.is_never() {
            match script.end {
                End::Complete => {}
                End::Broken => status = self.syntax_error(shell),
                End::Unknown => status = Status::unclear(),
            }
        }
        self.back();
        status
    }

    fn syntax_error(&mut self, shell: &Shell) -> Status {
        let kind = Kind::Syntax;
        let cause = Cause {
            command: None,
            kind,
        };
        if !shell.state.hidden && !self.facts.shell_may_have_spoken(shell.state.nested) {
            // The shell would have said so: this parser is wrong.
            return Status::unclear();
        }
        Status::cause(2, self.code, cause)
    }

    /// How a shell ends: by itself or by one of the ways out, and then its exit trap.
    pub fn leave(&mut self, status: Status, mut shell: Shell) -> Status {
        let mut end = status.join(std::mem::take(&mut shell.exits));
        if shell.state.exit_trap_unclear {
            return Status::unclear();
        }
        if let Some(trap) = shell.state.exit_trap.take() {
            shell.state.last = end.clone();
            self.node(&trap, trap.root, &mut shell, false);
            end = end.join(std::mem::take(&mut shell.exits));
        }
        end
    }

    /// Goes one level deeper, unless that is too deep.
    pub fn enter(&mut self) -> bool {
        if self.levels >= MAX_LEVELS || self.steps > MAX_STEPS {
            self.steps = MAX_STEPS + 1;
            return false;
        }
        self.levels += 1;
        true
    }

    /// Counts work that is no node.
    pub fn charge(&mut self, work: usize) {
        let work = u32::try_from(work).unwrap_or(u32::MAX);
        self.steps = self.steps.saturating_add(work);
    }

    /// Comes back from [`Decider::enter`].
    pub fn back(&mut self) {
        self.levels = self.levels.saturating_sub(1);
    }

    /// How a node ends. `soft`: its failure does not end the shell under `set -e`.
    pub fn node(
        &mut self,
        script: &Rc<Script>,
        id: NodeId,
        shell: &mut Shell,
        soft: bool,
    ) -> Status {
        self.steps = self.steps.saturating_add(1);
        let Some(node) = script.nodes.get(id) else {
            return Status::unclear();
        };
        if !self.enter() {
            return Status::unclear();
        }
        let status = match node {
            Node::Simple(simple) => {
                let status = self.simple(script, simple, shell, soft);
                self.errexit(status, shell, soft)
            }
            Node::Pipeline(pipeline) => self.pipeline(script, pipeline, shell, soft),
            Node::Chain(links) => self.chain(script, links, shell, soft),
            Node::List(items) => {
                let mut status = self.success();
                for (index, item) in items.iter().enumerate() {
                    shell.state.line = item.line;
                    if item.background {
                        self.job(script, item.node, shell);
                        status = self.success();
                    } else {
                        status = self.node(script, item.node, shell, soft);
                    }
                    if status.is_never() || index + 1 == items.len() {
                        break;
                    }
                    shell.state.last = status.clone();
                }
                status
            }
            Node::Subshell(body) => {
                let status = self.subshell(script, *body, shell, soft);
                self.errexit(status, shell, soft)
            }
            Node::If(branches, otherwise) => {
                self.branches(script, branches, *otherwise, shell, soft)
            }
            Node::Loop {
                until,
                condition,
                body,
            } => self.condition_loop(script, *until, *condition, *body, shell, soft),
            Node::For { rounds, body } => match rounds {
                Rounds::None => self.success(),
                _ => {
                    let sure = *rounds == Rounds::Some;
                    let status = self.rounds(script, *body, shell, soft);
                    if sure {
                        status
                    } else {
                        status.join(self.success())
                    }
                }
            },
            Node::Select(body) => {
                let ended = self.named("select", &[]);
                self.rounds(script, *body, shell, soft).join(ended)
            }
            Node::Case { subject, arms } => self.case(script, subject, arms, shell, soft),
            Node::Function { name, body } => {
                let function = Function {
                    script: Rc::clone(script),
                    body: *body,
                };
                shell.state.define(name, Some(function));
                self.success()
            }
            Node::Condition(words) => {
                let mut status = self
                    .foreign(shell)
                    .unwrap_or_else(|| self.named("[[", words));
                status = status.join(self.expansions(words, shell));
                self.errexit(status, shell, soft)
            }
            Node::Arithmetic => {
                let status = self.foreign(shell).unwrap_or_else(|| self.named("((", &[]));
                self.errexit(status, shell, soft)
            }
            Node::Redirected(inner, redirects) => {
                let (failure, hides) = self.redirects(redirects, shell);
                let failure = self.errexit(failure, shell, soft);
                let hidden = shell.state.hidden;
                shell.state.hidden |= hides;
                let status = self.node(script, *inner, shell, soft);
                shell.state.hidden = hidden;
                status.join(failure)
            }
        };
        self.back();
        shell.state.last = status.clone();
        status
    }

    /// A form that only bash knows, met by a shell that may not be bash.
    fn foreign(&self, shell: &Shell) -> Option<Status> {
        (shell.state.dialect == super::state::Dialect::Posix).then(Status::unclear)
    }

    /// Under `set -e` a failure leaves the shell.
    pub(super) fn errexit(&mut self, status: Status, shell: &mut Shell, soft: bool) -> Status {
        if soft || !shell.state.errexit.maybe_on() {
            return status;
        }
        let failing = status.failing(self.code);
        let exits = std::mem::take(&mut shell.exits);
        shell.exits = exits.join(failing);
        if shell.state.errexit == Switch::On {
            status.succeeding(self.code)
        } else {
            status
        }
    }

    fn subshell(
        &mut self,
        script: &Rc<Script>,
        body: NodeId,
        shell: &mut Shell,
        soft: bool,
    ) -> Status {
        let mut inner = Shell::new(shell.state.subshell());
        inner.returns = shell.returns.as_ref().map(|_| Status::never());
        let status = self.node(script, body, &mut inner, soft);
        let returned = inner.returns.take().unwrap_or_default();
        self.leave(status.join(returned), inner)
    }

    /// The status of a command substitution.
    pub fn substitution(&mut self, script: &Rc<Script>, body: NodeId, shell: &Shell) -> Status {
        let mut state = shell.state.subshell();
        if state.dialect == super::state::Dialect::Bash {
            state.errexit = Switch::Off;
        }
        let mut inner = Shell::new(state);
        let status = self.node(script, body, &mut inner, false);
        self.leave(status, inner)
    }

    fn job(&mut self, script: &Rc<Script>, node: NodeId, shell: &mut Shell) {
        let status = self.subshell(script, node, shell, false);
        let jobs = shell.state.jobs.take();
        shell.state.jobs = Some(match jobs {
            Some(jobs) => jobs.join(status.clone()),
            None => status.clone(),
        });
        shell.state.last_job = Some(status);
    }
}
