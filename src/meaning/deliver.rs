//! Where a finished word goes: keyword, argument, target, pattern, name.

use super::frames::{
    CaseFrame, CaseState, ForFrame, ForState, Frame, ListKind, Pending, SimpleFrame,
};
use super::parser::{Parser, Step};
use super::syntax::{End, Fd, Node, Redirect, RedirectKind, Word};

/// Whether it is a name a variable can have.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The name that a word assigns to, when it has the form of an assignment.
pub(super) fn assigned_name(text: &str) -> Option<&str> {
    let (left, _) = text.split_once('=')?;
    let left = left.strip_suffix('+').unwrap_or(left);
    let name = match left.split_once('[') {
        Some((name, index)) if index.ends_with(']') => name,
        Some(_) => return None,
        None => left,
    };
    is_name(name).then_some(name)
}

impl Parser<'_> {
    /// Hands a finished word to what was waiting for it.
    pub(super) fn deliver(&mut self, word: Word) -> Step<()> {
        match self.stack.pop() {
            Some(Frame::Simple(frame)) => self.simple_word(frame, word),
            Some(Frame::Redirects {
                node,
                mut redirects,
                pending: Some(pending),
            }) => {
                redirects.push(self.redirect(pending, word)?);
                self.stack.push(Frame::Redirects {
                    node,
                    redirects,
                    pending: None,
                });
                Ok(())
            }
            Some(Frame::For(frame)) => self.for_word(frame, word),
            Some(Frame::Case(frame)) => self.case_word(frame, word),
            Some(Frame::Function { name: None }) => {
                let Some(name) = word.constant() else {
                    return Err(End::Unknown);
                };
                let name = Some(name.to_owned());
                self.skip_blanks();
                if self.eat("(") {
                    self.skip_blanks();
                    if !self.eat(")") {
                        return Err(End::Broken);
                    }
                }
                self.stack.push(Frame::Function { name });
                Ok(())
            }
            Some(Frame::Condition { mut words }) => {
                if word.raw == "]]" {
                    if words.is_empty() {
                        return Err(End::Broken);
                    }
                    self.compound(Node::Condition(words));
                } else {
                    words.push(word);
                    self.stack.push(Frame::Condition { words });
                }
                Ok(())
            }
            Some(Frame::List(list)) => {
                self.stack.push(Frame::List(list));
                self.compound(Node::Arithmetic);
                Ok(())
            }
            _ => Err(End::Unknown),
        }
    }

    fn redirect(&mut self, pending: Pending, word: Word) -> Step<Redirect> {
        let number = word.raw.bytes().all(|b| b.is_ascii_digit());
        let number = number && pending.kind != RedirectKind::Duplicate;
        if number && (self.starts("<") || self.starts(">")) && !self.starts("<(") {
            // The digits belong to the next redirection, and this one lacks its word.
            return Err(End::Broken);
        }
        if let Some(strip_tabs) = pending.document {
            if word.text.contains(super::syntax::HOLE) {
                return Err(End::Unknown);
            }
            self.documents.push((word.text.clone(), strip_tabs));
        }
        Ok(Redirect {
            target: pending.target,
            kind: pending.kind,
            word,
        })
    }

    fn simple_word(&mut self, mut frame: SimpleFrame, word: Word) -> Step<()> {
        if let Some(pending) = frame.pending.take() {
            let redirect = self.redirect(pending, word)?;
            frame.simple.redirects.push(redirect);
            self.stack.push(Frame::Simple(frame));
            return Ok(());
        }
        if let Some(target) = self.descriptor_before_operator(&word) {
            let mut pending = self.redirect_operator(None)?;
            pending.target = target;
            self.wait_for_target()?;
            frame.pending = Some(pending);
            self.stack.push(Frame::Simple(frame));
            self.begin_word(false);
            return Ok(());
        }
        let simple = &frame.simple;
        let first = simple.words.is_empty();
        if first && simple.assignments.is_empty() && simple.redirects.is_empty() {
            let keyword = !word.quoted && !word.text.is_empty() && word.constant().is_some();
            if keyword && self.keyword(&word.text, frame.closers_only)? {
                return Ok(());
            }
            if frame.closers_only {
                return Err(End::Broken);
            }
        }
        if let Some(name) = assigned_name(&word.raw) {
            self.assigned.insert(name.to_owned());
            if first {
                frame.simple.assignments.push(word);
                self.stack.push(Frame::Simple(frame));
                return Ok(());
            }
        }
        if !first && is_name(&word.text) {
            let command = frame.simple.words.first().map(|word| word.text.as_str());
            if matches!(command, Some("read" | "mapfile" | "readarray" | "getopts")) {
                self.assigned.insert(word.text.clone());
            }
        }
        frame.simple.words.push(word);
        self.stack.push(Frame::Simple(frame));
        Ok(())
    }

    /// `2>` and `{name}>`: the word is no argument but says which descriptor is meant.
    fn descriptor_before_operator(&self, word: &Word) -> Option<Fd> {
        if !self.starts("<") && !self.starts(">") || word.quoted {
            return None;
        }
        if !word.raw.is_empty() && word.raw.bytes().all(|b| b.is_ascii_digit()) {
            return Some(Fd::Number(word.raw.parse().unwrap_or(u32::MAX)));
        }
        let name = word.raw.strip_prefix('{')?.strip_suffix('}')?;
        is_name(name).then_some(Fd::Variable)
    }

    fn case_word(&mut self, mut frame: CaseFrame, word: Word) -> Step<()> {
        match frame.state {
            CaseState::Subject => {
                frame.subject = Some(word);
                frame.state = CaseState::In;
            }
            CaseState::In if word.raw == "in" => frame.state = CaseState::FirstPattern,
            CaseState::FirstPattern if word.raw == "esac" => return self.finish_case(frame),
            CaseState::FirstPattern | CaseState::Pattern => {
                frame.patterns.push(word);
                frame.state = CaseState::AfterPattern;
            }
            _ => return Err(End::Broken),
        }
        self.stack.push(Frame::Case(frame));
        Ok(())
    }

    fn for_word(&mut self, mut frame: ForFrame, word: Word) -> Step<()> {
        match frame.state {
            ForState::Name if word.raw.starts_with("((") => {
                if word.raw.matches(';').count() != 2 {
                    return Err(End::Unknown);
                }
                frame.arithmetic = true;
                frame.state = ForState::Do;
                self.skip_blanks();
                self.eat(";");
            }
            ForState::Name if is_name(&word.raw) => {
                self.assigned.insert(word.text);
                frame.state = ForState::AfterName;
            }
            // The shell reads on, and complains when it runs.
            ForState::Name => return Err(End::Unknown),
            ForState::AfterName if word.raw == "in" => {
                frame.given = true;
                frame.state = ForState::Words;
            }
            ForState::Words => frame.words.push(word),
            ForState::AfterName | ForState::Do if word.raw == "do" => {
                self.stack.push(Frame::For(frame));
                self.push_list(ListKind::LoopBody);
                return Ok(());
            }
            // A body in braces is an old form.
            ForState::AfterName | ForState::Do if word.raw == "{" => return Err(End::Unknown),
            _ => return Err(End::Broken),
        }
        self.stack.push(Frame::For(frame));
        Ok(())
    }
}
