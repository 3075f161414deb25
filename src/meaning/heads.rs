//! The parser's steps inside a simple command, a redirection, and the head of a compound command.

use super::frames::{
    CaseFrame, CaseState, ForFrame, ForState, Frame, ListKind, Pending, SimpleFrame, WordFrame,
    WordMode,
};
use super::parser::{Parser, Step};
use super::syntax::{End, Fd, Node, NodeId, Redirect, RedirectKind, Word};

impl Parser<'_> {
    // Simple commands and redirections

    pub(super) fn simple(&mut self, mut frame: SimpleFrame) -> Step<()> {
        self.skip_blanks();
        match self.peek() {
            Some('<' | '>') if !self.starts("<(") && !self.starts(">(") => {
                let pending = self.redirect_operator(None)?;
                self.wait_for_target()?;
                frame.pending = Some(pending);
                self.stack.push(Frame::Simple(frame));
                self.begin_word(false);
            }
            Some('&') if self.starts("&>") => {
                let pending = self.redirect_operator(None)?;
                self.wait_for_target()?;
                frame.pending = Some(pending);
                self.stack.push(Frame::Simple(frame));
                self.begin_word(false);
            }
            Some('(') => self.function_or_error(frame)?,
            None | Some('\n' | ';' | '&' | '|' | ')') => {
                let empty = frame.simple.words.is_empty()
                    && frame.simple.assignments.is_empty()
                    && frame.simple.redirects.is_empty();
                if empty || frame.closers_only {
                    return Err(End::Broken);
                }
                if let Some(Frame::List(list)) = self.stack.last()
                    && list.kind == ListKind::FunctionBody
                {
                    return Err(End::Broken);
                }
                frame.simple.line = self.line;
                let node = self.add(Node::Simple(frame.simple));
                self.attach(node)?;
            }
            Some(_) => {
                let arrays = frame.simple.words.first().is_none_or(|word| {
                    matches!(
                        word.text.as_str(),
                        "declare" | "typeset" | "local" | "export" | "readonly"
                    )
                });
                self.stack.push(Frame::Simple(frame));
                self.begin_word(arrays);
            }
        }
        Ok(())
    }

    pub(super) fn function_or_error(&mut self, frame: SimpleFrame) -> Step<()> {
        let name = match frame.simple.words.as_slice() {
            [only] if frame.simple.assignments.is_empty() && !only.quoted => {
                only.constant().map(str::to_owned)
            }
            _ => None,
        };
        let glued = self.text.get(..self.at).unwrap_or_default();
        self.at += 1;
        self.skip_blanks();
        match name {
            Some(name) if self.eat(")") && frame.simple.redirects.is_empty() => {
                self.stack.push(Frame::Function { name: Some(name) });
                Ok(())
            }
            // A quoted name is one to some versions.
            _ if frame.simple.words.iter().any(|word| word.quoted) => Err(End::Unknown),
            // With extended patterns switched on this is one word.
            _ if glued.ends_with(['?', '*', '+', '@', '!']) => Err(End::Unknown),
            _ => Err(End::Broken),
        }
    }

    pub(super) fn begin_word(&mut self, arrays: bool) {
        self.stack.push(Frame::Word(WordFrame::new(
            self.at,
            WordMode::Plain,
            arrays,
        )));
    }

    pub(super) fn wait_for_target(&mut self) -> Step<()> {
        self.skip_blanks();
        match self.peek() {
            None | Some('\n' | ';' | '&' | '|' | '(' | ')') => Err(End::Broken),
            Some('<' | '>') if !self.starts("<(") && !self.starts(">(") => Err(End::Broken),
            _ => Ok(()),
        }
    }

    pub(super) fn redirects(
        &mut self,
        node: NodeId,
        redirects: Vec<Redirect>,
        pending: Option<Pending>,
    ) -> Step<()> {
        if pending.is_some() {
            return Err(End::Unknown);
        }
        self.skip_blanks();
        let number = self.leading_number();
        let operator = match self.peek() {
            Some('<' | '>') => !self.starts("<(") && !self.starts(">("),
            Some('&') => self.starts("&>"),
            _ => false,
        };
        if !operator {
            if number.is_some() {
                return Err(End::Unknown);
            }
            let node = if redirects.is_empty() {
                node
            } else {
                self.add(Node::Redirected(node, redirects))
            };
            return self.attach(node);
        }
        let pending = self.redirect_operator(number)?;
        self.wait_for_target()?;
        self.stack.push(Frame::Redirects {
            node,
            redirects,
            pending: Some(pending),
        });
        self.begin_word(false);
        Ok(())
    }

    /// Digits that stand directly before a redirection.
    pub(super) fn leading_number(&mut self) -> Option<u32> {
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let next = rest.as_bytes().get(digits);
        if digits == 0 || !matches!(next, Some(b'<' | b'>')) {
            return None;
        }
        let number = rest.get(..digits).and_then(|text| text.parse().ok());
        self.at += digits;
        number.or(Some(u32::MAX))
    }

    // Heads of compound commands

    pub(super) fn function_head(&mut self, name: Option<String>) -> Step<()> {
        self.skip_blanks();
        match name {
            None => {
                if matches!(self.peek(), None | Some('\n' | ';' | '&' | '|' | '(' | ')')) {
                    return Err(End::Broken);
                }
                self.stack.push(Frame::Function { name: None });
                self.begin_word(false);
            }
            Some(name) => {
                self.skip_lines()?;
                self.stack.push(Frame::Function { name: Some(name) });
                self.push_list(ListKind::FunctionBody);
            }
        }
        Ok(())
    }

    pub(super) fn for_head(&mut self, mut frame: ForFrame) -> Step<()> {
        self.skip_blanks();
        let separator = matches!(self.peek(), Some(';' | '\n'));
        match frame.state {
            ForState::Name if self.starts("((") && !frame.select => {
                self.stack.push(Frame::For(frame));
                self.begin_arithmetic();
                return Ok(());
            }
            ForState::Words if separator => {
                frame.state = ForState::Do;
                if self.peek() == Some(';') {
                    self.at += 1;
                }
                self.skip_lines()?;
                self.stack.push(Frame::For(frame));
                return Ok(());
            }
            ForState::AfterName if self.peek() == Some(';') => {
                self.at += 1;
                self.skip_lines()?;
                frame.state = ForState::Do;
                self.stack.push(Frame::For(frame));
                return Ok(());
            }
            ForState::AfterName | ForState::Do => self.skip_lines()?,
            _ => {}
        }
        if matches!(
            self.peek(),
            None | Some('\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>')
        ) && !self.starts("<(")
        {
            return Err(End::Broken);
        }
        self.stack.push(Frame::For(frame));
        self.begin_word(false);
        Ok(())
    }

    pub(super) fn case_head(&mut self, mut frame: CaseFrame) -> Step<()> {
        if matches!(frame.state, CaseState::In | CaseState::FirstPattern) {
            self.skip_lines()?;
        } else {
            self.skip_blanks();
        }
        match (frame.state, self.peek()) {
            (CaseState::FirstPattern, Some('(')) => {
                self.at += 1;
                frame.state = CaseState::Pattern;
                self.stack.push(Frame::Case(frame));
            }
            (CaseState::AfterPattern, Some('|')) => {
                self.at += 1;
                frame.state = CaseState::Pattern;
                self.stack.push(Frame::Case(frame));
            }
            (CaseState::AfterPattern, Some(')')) => {
                self.at += 1;
                self.stack.push(Frame::Case(frame));
                self.push_list(ListKind::CaseArm);
            }
            (CaseState::AfterPattern, _)
            | (_, None | Some('\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>')) => {
                return Err(if self.starts("(") || self.starts("<(") {
                    End::Unknown
                } else {
                    End::Broken
                });
            }
            _ => {
                self.stack.push(Frame::Case(frame));
                self.begin_word(false);
            }
        }
        Ok(())
    }

    pub(super) fn condition(&mut self, words: Vec<Word>) -> Step<()> {
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('\n') => self.newline()?,
                Some('\\') if self.starts("\\\n") => self.at += 2,
                Some('<' | '>') if !self.starts("<(") && !self.starts(">(") => self.at += 1,
                Some('(' | ')' | '&' | '|') => self.at += 1,
                None | Some(';' | '#') => return Err(End::Unknown),
                Some(_) => break,
            }
        }
        let pattern = words.last().is_some_and(|word| {
            !word.quoted && matches!(word.text.as_str(), "=~" | "==" | "=" | "!=")
        });
        let mode = if pattern {
            WordMode::ConditionPattern
        } else {
            WordMode::Condition
        };
        self.stack.push(Frame::Condition { words });
        self.stack
            .push(Frame::Word(WordFrame::new(self.at, mode, false)));
        Ok(())
    }

    /// Reads a redirection operator; `number` is the descriptor written before it.
    pub(super) fn redirect_operator(&mut self, number: Option<u32>) -> Step<Pending> {
        const OPERATORS: [(&str, RedirectKind, u32); 11] = [
            ("&>>", RedirectKind::File, 1),
            ("&>", RedirectKind::File, 1),
            ("<<<", RedirectKind::Here, 0),
            ("<<", RedirectKind::Here, 0),
            ("<>", RedirectKind::File, 0),
            ("<&", RedirectKind::Duplicate, 0),
            (">&", RedirectKind::Duplicate, 1),
            (">>", RedirectKind::File, 1),
            (">|", RedirectKind::File, 1),
            ("<", RedirectKind::File, 0),
            (">", RedirectKind::File, 1),
        ];
        for (text, kind, usual) in OPERATORS {
            if !self.eat(text) {
                continue;
            }
            let document = (text == "<<").then(|| self.eat("-"));
            let target = if text.starts_with('&') {
                Fd::Both
            } else {
                Fd::Number(number.unwrap_or(usual))
            };
            return Ok(Pending {
                target,
                kind,
                document,
            });
        }
        Err(End::Unknown)
    }
}
