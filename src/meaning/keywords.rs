//! What keywords begin and end.

use super::frames::{CaseFrame, CaseState, ForFrame, ForState, Frame, ListFrame, ListKind};
use super::parser::{Parser, Step};
use super::syntax::{Arm, ArmEnd, End, HOLE, Node, Rounds, Substitution, Word};

impl Parser<'_> {
    /// Acts on a keyword in command position; `false` when the word is an ordinary one.
    pub(super) fn keyword(&mut self, text: &str, closers_only: bool) -> Step<bool> {
        match text {
            "then" | "elif" | "else" | "fi" | "do" | "done" | "esac" | "}" => {
                let Some(Frame::List(list)) = self.stack.pop() else {
                    return Err(End::Unknown);
                };
                self.closer(list, text)?;
                return Ok(true);
            }
            "in" | "]]" => return Err(End::Broken),
            _ if closers_only => return Err(End::Broken),
            _ => {}
        }
        let Some(Frame::List(list)) = self.stack.last_mut() else {
            return Err(End::Unknown);
        };
        if list.kind == ListKind::FunctionBody && matches!(text, "!" | "time" | "coproc") {
            return Err(End::Unknown);
        }
        match text {
            "!" if list.at_pipeline_start() => list.negated = !list.negated,
            "!" => return Err(End::Broken),
            "time" if list.at_pipeline_start() => {
                list.timed = true;
                self.skip_blanks();
                if self.starts("-p ") || self.starts("-p\t") {
                    self.at += 3;
                } else if self.starts("-") {
                    return Err(End::Unknown);
                }
            }
            "time" => return Ok(false),
            // Whether a name follows depends on what comes behind it.
            "coproc" => return Err(End::Unknown),
            "{" => self.push_list(ListKind::Brace),
            "if" => {
                self.stack.push(Frame::If {
                    branches: Vec::new(),
                    condition: None,
                    otherwise: None,
                });
                self.push_list(ListKind::IfCondition);
            }
            "while" | "until" => {
                self.stack.push(Frame::Loop {
                    until: text == "until",
                    condition: None,
                });
                self.push_list(ListKind::LoopCondition);
            }
            "for" | "select" => self.stack.push(Frame::For(ForFrame {
                select: text == "select",
                state: ForState::Name,
                words: Vec::new(),
                given: false,
                arithmetic: false,
            })),
            "case" => self.stack.push(Frame::Case(CaseFrame {
                subject: None,
                state: CaseState::Subject,
                patterns: Vec::new(),
                arms: Vec::new(),
            })),
            "function" => self.stack.push(Frame::Function { name: None }),
            "[[" => {
                // An error in a condition is no error to every version of the shell.
                self.doubtful = true;
                self.stack.push(Frame::Condition { words: Vec::new() });
            }
            _ if list.kind == ListKind::FunctionBody => return Err(End::Broken),
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(super) fn closer(&mut self, list: ListFrame, text: &str) -> Step<()> {
        let kind = list.kind;
        let body = self.close(list)?;
        if (kind, text) == (ListKind::Brace, "}") {
            // A group is its list.
            self.stack.push(Frame::Redirects {
                node: body,
                redirects: Vec::new(),
                pending: None,
            });
            return Ok(());
        }
        match (kind, text, self.stack.pop()) {
            (
                ListKind::IfCondition,
                "then",
                Some(Frame::If {
                    branches,
                    otherwise,
                    ..
                }),
            ) => {
                self.stack.push(Frame::If {
                    branches,
                    condition: Some(body),
                    otherwise,
                });
                self.push_list(ListKind::IfBody);
            }
            (
                ListKind::IfBody,
                "elif" | "else" | "fi",
                Some(Frame::If {
                    mut branches,
                    condition: Some(condition),
                    otherwise,
                }),
            ) => {
                branches.push((condition, body));
                if text == "fi" {
                    self.compound(Node::If(branches, None));
                    return Ok(());
                }
                self.stack.push(Frame::If {
                    branches,
                    condition: None,
                    otherwise,
                });
                self.push_list(if text == "elif" {
                    ListKind::IfCondition
                } else {
                    ListKind::ElseBody
                });
            }
            (ListKind::ElseBody, "fi", Some(Frame::If { branches, .. })) => {
                self.compound(Node::If(branches, Some(body)));
            }
            (ListKind::LoopCondition, "do", Some(Frame::Loop { until, .. })) => {
                self.stack.push(Frame::Loop {
                    until,
                    condition: Some(body),
                });
                self.push_list(ListKind::LoopBody);
            }
            (
                ListKind::LoopBody,
                "done",
                Some(Frame::Loop {
                    until,
                    condition: Some(condition),
                }),
            ) => self.compound(Node::Loop {
                until,
                condition,
                body,
            }),
            (ListKind::LoopBody, "done", Some(Frame::For(head))) => {
                self.compound(if head.select {
                    Node::Select(body)
                } else {
                    Node::For {
                        rounds: rounds(&head),
                        body,
                    }
                });
            }
            (ListKind::CaseArm, "esac", Some(Frame::Case(mut case))) => {
                let patterns = std::mem::take(&mut case.patterns);
                case.arms.push(Arm {
                    patterns,
                    body,
                    end: ArmEnd::Break,
                });
                self.finish_case(case)?;
            }
            _ => return Err(End::Broken),
        }
        Ok(())
    }

    pub(super) fn ends_arm(&self) -> bool {
        self.starts(";;") || self.starts(";&")
    }

    /// `;;`, `;&` or `;;&`; in front of it the arm's last command has ended already.
    pub(super) fn close_arm(&mut self, list: ListFrame) -> Step<()> {
        let end = if self.eat(";;&") {
            ArmEnd::Test
        } else if self.eat(";&") {
            ArmEnd::Fall
        } else if self.eat(";;") {
            ArmEnd::Break
        } else {
            return Err(End::Unknown);
        };
        let body = self.close(list)?;
        let Some(Frame::Case(mut case)) = self.stack.pop() else {
            return Err(End::Unknown);
        };
        let patterns = std::mem::take(&mut case.patterns);
        case.arms.push(Arm {
            patterns,
            body,
            end,
        });
        case.state = CaseState::FirstPattern;
        self.stack.push(Frame::Case(case));
        Ok(())
    }

    pub(super) fn finish_case(&mut self, case: CaseFrame) -> Step<()> {
        let Some(subject) = case.subject else {
            return Err(End::Unknown);
        };
        self.compound(Node::Case {
            subject,
            arms: case.arms,
        });
        Ok(())
    }

    /// `)`: ends a subshell or a substitution.
    pub(super) fn close_bracket(&mut self, list: ListFrame) -> Step<()> {
        let kind = list.kind;
        self.at += 1;
        match kind {
            ListKind::Subshell => {
                let body = self.close(list)?;
                self.compound(Node::Subshell(body));
                Ok(())
            }
            ListKind::Substitution | ListKind::Process => {
                let outer = self.outer_documents.pop().unwrap_or_default();
                if self.documents.len() > outer {
                    return Err(End::Unknown);
                }
                let body = self.close(list)?;
                let Some(Frame::Word(word)) = self.stack.last_mut() else {
                    return Err(End::Unknown);
                };
                if kind == ListKind::Substitution {
                    if !word.substitutes_surely() {
                        word.word.conditional = true;
                    }
                    word.word.substitutions.push(Substitution::Commands(body));
                }
                Ok(())
            }
            _ => Err(End::Broken),
        }
    }
}

fn rounds(head: &ForFrame) -> Rounds {
    if head.arithmetic || !head.given {
        return Rounds::Unknown;
    }
    if head.words.is_empty() {
        return Rounds::None;
    }
    let sure = |word: &Word| word.constant().is_some() || word.quoted && !word.text.contains(HOLE);
    if head.words.iter().any(sure) {
        Rounds::Some
    } else {
        Rounds::Unknown
    }
}
