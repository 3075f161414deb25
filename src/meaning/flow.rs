//! How operators and compound commands combine the status of their parts.

use super::blame::{Blame, Kind, Status};
use super::decide::{Decider, Shell};
use super::state::{State, Switch};
use super::syntax::{Arm, ArmEnd, Link, NodeId, Pipeline, Script, Word};
use std::rc::Rc;

impl Decider<'_> {
    pub(super) fn pipeline(
        &mut self,
        script: &Rc<Script>,
        pipeline: &Pipeline,
        shell: &mut Shell,
        soft: bool,
    ) -> Status {
        if let ([only], true) = (pipeline.stages.as_slice(), pipeline.negated) {
            let before = shell.state.errexit;
            let status = self.node(script, *only, shell, true);
            if shell.state.errexit != before {
                // `set -e` inside of it counts at once, in spite of the `!`.
                let exits = std::mem::take(&mut shell.exits);
                shell.exits = exits.join(Status::unclear());
            }
            return self.inverted(&status);
        }
        let soft_stage = soft || pipeline.negated;
        let count = pipeline.stages.len();
        let mut statuses = Vec::with_capacity(count);
        for (index, stage) in pipeline.stages.iter().enumerate() {
            let mut inner = Shell::new(shell.state.subshell());
            inner.state.hidden |= pipeline.both && index + 1 < count;
            inner.returns = shell.returns.as_ref().map(|_| Status::never());
            let status = self.node(script, *stage, &mut inner, soft_stage);
            let returned = inner.returns.take().unwrap_or_default();
            let mut status = self.leave(status.join(returned), inner);
            if index + 1 == count && count > 1 && self.code == 141 {
                // Nobody closes the pipe behind the last stage.
                if matches!(&status.hit, Blame::One(cause) if matches!(cause.kind, Kind::Signal(_)))
                {
                    status.hit = Blame::Nobody;
                }
            }
            statuses.push(status);
        }
        let last = statuses.last().cloned().unwrap_or_default();
        let status = match shell.state.pipefail {
            Switch::Off => last,
            Switch::On => self.rightmost_failure(&statuses),
            Switch::Maybe => self.rightmost_failure(&statuses).join(last),
        };
        if pipeline.negated {
            self.inverted(&status)
        } else {
            self.errexit(status, shell, soft)
        }
    }

    pub(super) fn rightmost_failure(&self, statuses: &[Status]) -> Status {
        let mut result = Status::never();
        let mut last = true;
        for status in statuses.iter().rev() {
            result = result.join(status.failing(self.code));
            if last && self.code == 0 {
                result = result.join(status.succeeding(self.code));
            }
            last = false;
            if !status.can_succeed(self.code) {
                return result;
            }
        }
        if self.code != 0 {
            result.zero = true;
        }
        result
    }

    pub(super) fn inverted(&self, status: &Status) -> Status {
        let mut result = Status::never();
        if status.can_succeed(self.code) {
            result = result.join(self.trouble(1));
        }
        if status.can_fail(self.code) {
            result = result.join(self.success());
        }
        result
    }

    pub(super) fn chain(
        &mut self,
        script: &Rc<Script>,
        links: &[(Link, NodeId)],
        shell: &mut Shell,
        soft: bool,
    ) -> Status {
        let mut status = Status::never();
        for (index, (link, node)) in links.iter().enumerate() {
            let soft = soft || index + 1 < links.len();
            if index == 0 {
                status = self.node(script, *node, shell, soft);
                continue;
            }
            let (runs, left, given) = match link {
                Link::And => (
                    status.can_succeed(self.code),
                    status.failing(self.code),
                    status.succeeding(self.code),
                ),
                Link::Or => (
                    status.can_fail(self.code),
                    status.succeeding(self.code),
                    status.failing(self.code),
                ),
            };
            if !runs {
                continue;
            }
            if left.is_never() {
                shell.state.last = given;
                status = self.node(script, *node, shell, soft);
                continue;
            }
            let before = shell.state.clone();
            shell.state.last = given;
            let right = self.node(script, *node, shell, soft);
            self.merge(shell, before, &right);
            status = left.join(right);
        }
        status
    }

    /// The state after a way that may not have been taken, or never came back.
    pub(super) fn merge(&mut self, shell: &mut Shell, other: State, taken: &Status) {
        let after = std::mem::take(&mut shell.state);
        shell.state = if taken.is_never() {
            other
        } else {
            after.join(other)
        };
    }

    pub(super) fn branches(
        &mut self,
        script: &Rc<Script>,
        branches: &[(NodeId, NodeId)],
        otherwise: Option<NodeId>,
        shell: &mut Shell,
        soft: bool,
    ) -> Status {
        let mut result = Status::never();
        let mut ends: Option<State> = None;
        let mut open = true;
        for (condition, body) in branches {
            let asked = self.node(script, *condition, shell, true);
            let failed = asked.failing(self.code);
            if asked.can_succeed(self.code) {
                let before = shell.state.clone();
                shell.state.last = asked.succeeding(self.code);
                let status = self.node(script, *body, shell, soft);
                let after = std::mem::replace(&mut shell.state, before);
                if !status.is_never() {
                    ends = Some(match ends {
                        Some(other) => other.join(after),
                        None => after,
                    });
                }
                result = result.join(status);
            }
            open = asked.can_fail(self.code);
            if !open {
                break;
            }
            shell.state.last = failed;
        }
        if open {
            let status = match otherwise {
                Some(body) => self.node(script, body, shell, soft),
                None => self.success(),
            };
            if !status.is_never() {
                let after = std::mem::take(&mut shell.state);
                ends = Some(match ends {
                    Some(other) => other.join(after),
                    None => after,
                });
            }
            result = result.join(status);
        }
        if let Some(state) = ends {
            shell.state = state;
        }
        result
    }

    pub(super) fn condition_loop(
        &mut self,
        script: &Rc<Script>,
        until: bool,
        condition: NodeId,
        body: NodeId,
        shell: &mut Shell,
        soft: bool,
    ) -> Status {
        let goes_on = |asked: &Status, code: u8| {
            if until {
                (asked.can_fail(code), asked.can_succeed(code))
            } else {
                (asked.can_succeed(code), asked.can_fail(code))
            }
        };
        let left = std::mem::replace(&mut shell.left, false);
        shell.loops += 1;
        let mut result = Status::never();
        for _ in 0..2 {
            let before = shell.state.clone();
            let asked = self.node(script, condition, shell, true);
            let (runs, stops) = goes_on(&asked, self.code);
            if stops {
                result = result.join(self.success());
            }
            if !runs {
                break;
            }
            let status = self.node(script, body, shell, soft);
            if stops {
                result = result.join(status.clone());
            }
            self.merge(shell, before.clone(), &status);
            if shell.state.same_rules(&before) {
                break;
            }
        }
        shell.loops -= 1;
        if std::mem::replace(&mut shell.left, left) {
            result = result.join(self.success());
        }
        result
    }

    /// A body that runs at least once.
    pub(super) fn rounds(
        &mut self,
        script: &Rc<Script>,
        body: NodeId,
        shell: &mut Shell,
        soft: bool,
    ) -> Status {
        let left = std::mem::replace(&mut shell.left, false);
        shell.loops += 1;
        let mut result = Status::never();
        for _ in 0..2 {
            let before = shell.state.clone();
            let status = self.node(script, body, shell, soft);
            result = result.join(status.clone());
            self.merge(shell, before.clone(), &status);
            if shell.state.same_rules(&before) {
                break;
            }
        }
        shell.loops -= 1;
        if std::mem::replace(&mut shell.left, left) {
            result = result.join(self.success());
        }
        result
    }

    pub(super) fn case(
        &mut self,
        script: &Rc<Script>,
        subject: &Word,
        arms: &[Arm],
        shell: &mut Shell,
        soft: bool,
    ) -> Status {
        if arms.iter().any(|arm| arm.end != ArmEnd::Break) {
            return Status::unclear();
        }
        let mut result = self.expansions(std::slice::from_ref(subject), shell);
        let mut ends: Option<State> = None;
        let before = shell.state.clone();
        let mut open = true;
        for arm in arms {
            let fits = fits(subject, &arm.patterns);
            if fits == Some(false) {
                continue;
            }
            shell.state = before.clone();
            let status = self.node(script, arm.body, shell, soft);
            if !status.is_never() {
                let after = std::mem::take(&mut shell.state);
                ends = Some(match ends {
                    Some(other) => other.join(after),
                    None => after,
                });
            }
            result = result.join(status);
            if fits == Some(true) {
                open = false;
                break;
            }
        }
        if open {
            result = result.join(self.success());
            ends = Some(match ends {
                Some(other) => other.join(before.clone()),
                None => before.clone(),
            });
        }
        shell.state = ends.unwrap_or(before);
        result
    }
}

/// Whether one of the patterns fits; [`None`] when that is known only in the run.
fn fits(subject: &Word, patterns: &[Word]) -> Option<bool> {
    let mut sure = true;
    for pattern in patterns {
        if pattern.raw == "*" {
            return Some(true);
        }
        match (subject.constant(), pattern.constant()) {
            (Some(subject), Some(pattern)) if subject == pattern => return Some(true),
            (Some(_), Some(_)) => {}
            _ => sure = false,
        }
    }
    sure.then_some(false)
}
