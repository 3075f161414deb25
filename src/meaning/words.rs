//! The parser's step inside a word: quotes, expansions, and where the word ends.

use super::deliver::{assigned_name, is_name};
use super::expansions::may_break_arithmetic;
use super::frames::{Context, Frame, ListKind, WordFrame, WordMode};
use super::parser::{MAX_DEPTH, Parser, Step};
use super::syntax::{End, HOLE};

impl Parser<'_> {
    /// Reads on in a word until it ends or a substitution begins in it.
    pub(super) fn word(&mut self, mut frame: WordFrame) -> Step<()> {
        loop {
            if frame.contexts.len() > MAX_DEPTH {
                return Err(End::Unknown);
            }
            let context = frame.contexts.last().copied();
            let Some(c) = self.peek() else {
                if context.is_some() || frame.brackets > 0 {
                    return Err(End::Broken);
                }
                return self.end_word(frame);
            };
            if context.is_none() && self.ends_word(&frame, c) {
                return self.end_word(frame);
            }
            match c {
                '\\' => self.backslash(&mut frame, context)?,
                '"' => self.double_quote(&mut frame, context),
                '\'' => self.single_quote(&mut frame, context)?,
                '`' => self.backquote(&mut frame)?,
                '$' => {
                    if self.dollar(&mut frame, context)? {
                        self.stack.push(Frame::Word(frame));
                        self.push_list(ListKind::Substitution);
                        return Ok(());
                    }
                }
                '<' | '>'
                    if !matches!(
                        context,
                        Some(Context::Double | Context::Brace { .. } | Context::Arithmetic { .. })
                    ) && (self.starts("<(") || self.starts(">(")) =>
                {
                    self.at += 2;
                    frame.push(HOLE);
                    self.outer_documents.push(self.documents.len());
                    self.stack.push(Frame::Word(frame));
                    self.push_list(ListKind::Process);
                    return Ok(());
                }
                '<' | '>'
                    if matches!(context, Some(Context::Brace { .. }))
                        && (self.starts("<(") || self.starts(">(")) =>
                {
                    return Err(End::Unknown);
                }
                '}' if matches!(context, Some(Context::Brace { .. })) => {
                    self.at += 1;
                    frame.close();
                }
                '(' | ')' if matches!(context, Some(Context::Arithmetic { .. })) => {
                    if self.arithmetic_bracket(&mut frame, c)? {
                        return self.end_word(frame);
                    }
                }
                _ if matches!(context, Some(Context::Array { .. })) => {
                    self.array_text(&mut frame, c)?;
                }
                _ => self.plain(&mut frame, context, c)?,
            }
        }
    }

    fn ends_word(&self, frame: &WordFrame, c: char) -> bool {
        if frame.brackets > 0 {
            return false;
        }
        match c {
            ' ' | '\t' | '\n' | ';' | '&' | ')' => true,
            '|' | '(' => frame.mode != WordMode::ConditionPattern,
            '<' | '>' => !self.starts("<(") && !self.starts(">("),
            _ => false,
        }
    }

    fn end_word(&mut self, mut frame: WordFrame) -> Step<()> {
        if self.at == frame.start {
            return Err(End::Unknown);
        }
        let raw = self.text.get(frame.start..self.at).unwrap_or_default();
        frame.word.raw = raw.to_owned();
        if raw.contains("\\\n") && !frame.word.quoted {
            frame.word.raw = raw.replace("\\\n", "");
        }
        if matches!(raw, "[" | "[[") {
            // Commands, and no patterns.
            frame.word.pattern = false;
        }
        if frame.mode == WordMode::Plain && !frame.word.pattern {
            frame.word.pattern = has_brace_expansion(&frame.word.raw, frame.word.quoted);
        }
        self.deliver(frame.word)
    }

    fn plain(&mut self, frame: &mut WordFrame, context: Option<Context>, c: char) -> Step<()> {
        self.at += c.len_utf8();
        match (context, c) {
            (None, '(') if frame.mode == WordMode::ConditionPattern => frame.brackets += 1,
            (None, '(') => {
                // Inside brackets of a pattern only.
                frame.brackets += 1;
            }
            (None, ')') => frame.brackets = frame.brackets.saturating_sub(1),
            (None, '[') if frame.arrays && is_name(&frame.word.text) => {
                // The shell reads an index here, across blanks too.
                let rest = self.rest();
                let length = rest.find(']').unwrap_or(rest.len());
                let index = rest.get(..length).unwrap_or_default();
                if length == rest.len() || index.contains(char::is_whitespace) {
                    return Err(End::Unknown);
                }
                frame.word.pattern = true;
            }
            (None, '*' | '?' | '[') if frame.mode == WordMode::Plain => frame.word.pattern = true,
            (None, '=') if frame.arrays && self.starts("(") => {
                let text = self.text.get(frame.start..self.at).unwrap_or_default();
                if assigned_name(text).is_some() && text.find('=') == Some(text.len() - 1) {
                    self.at += 1;
                    frame.push('=');
                    frame.push(HOLE);
                    frame.open(Context::Array { boundary: true });
                    return Ok(());
                }
            }
            (None, '~') if frame.word.text.is_empty() => {
                frame.push(HOLE);
                return Ok(());
            }
            (Some(Context::Arithmetic { .. }), _) => {
                let before = self.text.get(..self.at - c.len_utf8()).unwrap_or_default();
                frame.word.fragile |= may_break_arithmetic(before, c);
            }
            _ => {}
        }
        frame.push(c);
        Ok(())
    }

    fn array_text(&mut self, frame: &mut WordFrame, c: char) -> Step<()> {
        let boundary = matches!(
            frame.contexts.last(),
            Some(Context::Array { boundary: true })
        );
        let mut next = false;
        match c {
            ')' => {
                self.at += 1;
                frame.close();
                return Ok(());
            }
            '#' if boundary => {
                let rest = self.rest();
                self.at += rest.find('\n').unwrap_or(rest.len());
                next = true;
            }
            '\n' => {
                self.newline()?;
                next = true;
            }
            ' ' | '\t' => {
                self.at += 1;
                next = true;
            }
            '(' | ';' | '&' | '|' | '<' | '>' => return Err(End::Unknown),
            _ => self.at += c.len_utf8(),
        }
        if let Some(Context::Array { boundary }) = frame.contexts.last_mut() {
            *boundary = next;
        }
        Ok(())
    }

    fn backslash(&mut self, frame: &mut WordFrame, context: Option<Context>) -> Step<()> {
        self.at += 1;
        let Some(c) = self.peek() else {
            // A lone backslash at the very end stays.
            frame.push('\\');
            return if context.is_some() {
                Err(End::Broken)
            } else {
                Ok(())
            };
        };
        self.at += c.len_utf8();
        if c == '\n' {
            return Ok(());
        }
        frame.word.quoted = true;
        let special = matches!(c, '$' | '`' | '"' | '\\');
        if matches!(context, Some(Context::Double)) && !special {
            frame.push('\\');
        }
        frame.push(c);
        Ok(())
    }

    fn double_quote(&mut self, frame: &mut WordFrame, context: Option<Context>) {
        self.at += 1;
        frame.word.quoted = true;
        if matches!(context, Some(Context::Double)) {
            frame.close();
        } else {
            mark_element(frame);
            frame.open(Context::Double);
        }
    }

    fn single_quote(&mut self, frame: &mut WordFrame, context: Option<Context>) -> Step<()> {
        let quotes = match context {
            // What it does there depends on the version of the shell.
            Some(Context::Arithmetic { .. }) => return Err(End::Unknown),
            Some(Context::Double) => false,
            Some(Context::Brace { single_quotes }) => single_quotes,
            Some(Context::Array { .. }) | None => true,
        };
        self.at += 1;
        if !quotes {
            frame.push('\'');
            return Ok(());
        }
        let rest = self.rest();
        let Some(length) = rest.find('\'') else {
            return Err(End::Broken);
        };
        let inner = rest.get(..length).unwrap_or_default();
        if frame.hidden == 0 {
            frame.word.text.push_str(inner);
        }
        frame.word.quoted = true;
        mark_element(frame);
        self.at += length + 1;
        Ok(())
    }
}

/// Inside an array the current element has begun.
pub(super) fn mark_element(frame: &mut WordFrame) {
    if let Some(Context::Array { boundary }) = frame.contexts.last_mut() {
        *boundary = false;
    }
}

fn has_brace_expansion(raw: &str, quoted: bool) -> bool {
    if quoted || !raw.contains('{') {
        return false;
    }
    let Some((_, rest)) = raw.split_once('{') else {
        return false;
    };
    !raw.contains("${") && rest.contains('}') && (rest.contains(',') || rest.contains(".."))
}
