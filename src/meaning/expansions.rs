//! The parser inside a word, where an expansion begins.

use super::deliver::is_name;
use super::frames::{Context, WordFrame, WordMode};
use super::parser::{Parser, Step};
use super::syntax::{End, HOLE, Substitution};
use super::words::mark_element;

/// Parameters that are never unset, or that the shell sets.
const ALWAYS_SET: [&str; 14] = [
    "HOME", "PATH", "PWD", "USER", "SHELL", "IFS", "RANDOM", "SECONDS", "LINENO", "HOSTNAME",
    "UID", "EUID", "PPID", "OPTIND",
];

impl Parser<'_> {
    pub(super) fn backquote(&mut self, frame: &mut WordFrame) -> Step<()> {
        self.at += 1;
        let in_double = frame.contexts.contains(&Context::Double);
        let mut text = String::new();
        let mut chars = self.rest().char_indices();
        let length = loop {
            let Some((at, c)) = chars.next() else {
                return Err(End::Broken);
            };
            match c {
                '`' => break at,
                '\\' => match chars.next() {
                    Some((_, c @ ('`' | '\\' | '$'))) => text.push(c),
                    Some((_, '"')) if in_double => text.push('"'),
                    Some((_, c)) => {
                        text.push('\\');
                        text.push(c);
                    }
                    None => return Err(End::Broken),
                },
                _ => text.push(c),
            }
        };
        self.at += length + 1;
        if !frame.substitutes_surely() {
            frame.word.conditional = true;
        }
        frame
            .word
            .substitutions
            .push(Substitution::Backquoted(text));
        frame.push(HOLE);
        mark_element(frame);
        Ok(())
    }

    /// An expansion; `true` when it begins a `$(…)` that is to be read now.
    pub(super) fn dollar(&mut self, frame: &mut WordFrame, context: Option<Context>) -> Step<bool> {
        mark_element(frame);
        if matches!(context, Some(Context::Arithmetic { .. })) {
            let before = self.text.get(..self.at).unwrap_or_default();
            frame.word.fragile |= may_break_arithmetic(before, '$');
        }
        if self.eat("$((") {
            frame.push(HOLE);
            frame.open(Context::Arithmetic { depth: 0 });
            return Ok(false);
        }
        if self.eat("$(") {
            frame.push(HOLE);
            self.outer_documents.push(self.documents.len());
            return Ok(true);
        }
        if self.eat("${") {
            frame.push(HOLE);
            let single_quotes = self.parameter(frame)?;
            let single_quotes = single_quotes || !frame.contexts.contains(&Context::Double);
            frame.open(Context::Brace { single_quotes });
            return Ok(false);
        }
        let in_double = matches!(
            context,
            Some(Context::Double | Context::Brace { .. } | Context::Arithmetic { .. })
        );
        if self.starts("$'") && !in_double {
            self.at += 2;
            return self.ansi_quoted(frame).map(|()| false);
        }
        if self.starts("$\"") && !in_double {
            self.at += 1;
            return Ok(false);
        }
        self.at += 1;
        let rest = self.rest();
        let length = rest
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
            .count();
        let name = rest.get(..length).unwrap_or_default();
        if is_name(name) {
            if !ALWAYS_SET.contains(&name) && !self.assigned.contains(name) {
                frame.word.unset = true;
            }
            self.at += length;
            frame.push(HOLE);
        } else if let Some(c) = rest
            .chars()
            .next()
            .filter(|c| c.is_ascii_digit() || "@*#?-$!".contains(*c))
        {
            if c.is_ascii_digit() && c != '0' || c == '!' {
                frame.word.unset = true;
            }
            self.at += 1;
            frame.push(HOLE);
        } else {
            frame.push('$');
        }
        Ok(false)
    }

    /// The name and operator behind `${`; says whether single quotes quote in what follows.
    pub(super) fn parameter(&mut self, frame: &mut WordFrame) -> Step<bool> {
        let rest = self.rest();
        if rest.starts_with([' ', '\t', '\n', '|']) {
            return Err(End::Unknown);
        }
        let length_of = rest.starts_with('#') && !rest.starts_with("#}");
        let indirect = rest.starts_with('!') && !rest.starts_with("!}");
        let body = if length_of || indirect {
            rest.get(1..).unwrap_or_default()
        } else {
            rest
        };
        let length = body
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
            .count();
        let name = body.get(..length).unwrap_or_default();
        let after = body.get(length..).unwrap_or_default();
        let guarded = ["-", "+", "=", ":-", ":+", ":="]
            .iter()
            .any(|operator| after.starts_with(operator));
        let set = ALWAYS_SET.contains(&name) || self.assigned.contains(name) || name == "0";
        let demands = after.starts_with('?') || after.starts_with(":?");
        frame.word.fragile |= indirect || demands && !set;
        if !guarded && !name.is_empty() {
            frame.word.unset |= !set;
        }
        let skip = rest.len() - body.len() + length;
        // A special parameter is taken whole, so that `$#` and `${?}` are no operators.
        let special = length == 0 && after.starts_with(['@', '*', '#', '?', '-', '$', '!']);
        self.at += skip + usize::from(special);
        let operator = if special {
            after.get(1..).unwrap_or_default()
        } else {
            after
        };
        Ok(operator.starts_with(['#', '%', '/', '^', ',']))
    }

    pub(super) fn ansi_quoted(&mut self, frame: &mut WordFrame) -> Step<()> {
        frame.word.quoted = true;
        loop {
            let Some(c) = self.peek() else {
                return Err(End::Broken);
            };
            self.at += c.len_utf8();
            match c {
                '\'' => return Ok(()),
                '\\' => {
                    let Some(escaped) = self.peek() else {
                        return Err(End::Broken);
                    };
                    self.at += escaped.len_utf8();
                    match escaped {
                        'n' => frame.push('\n'),
                        't' => frame.push('\t'),
                        '\\' | '\'' | '"' | '?' => frame.push(escaped),
                        // A code; which character it gives does not matter here.
                        _ => frame.push(HOLE),
                    }
                }
                _ => frame.push(c),
            }
        }
    }

    /// A bracket in arithmetic; `true` when it ends a whole `((…))` command.
    pub(super) fn arithmetic_bracket(&mut self, frame: &mut WordFrame, c: char) -> Step<bool> {
        let Some(Context::Arithmetic { depth }) = frame.contexts.last_mut() else {
            return Err(End::Unknown);
        };
        if c == '(' {
            *depth += 1;
        } else if *depth > 0 {
            *depth -= 1;
        } else if self.starts("))") {
            frame.close();
            self.at += 2;
            return Ok(frame.mode == WordMode::Arithmetic && frame.contexts.is_empty());
        } else {
            // Two opening brackets that were no arithmetic after all.
            return Err(End::Unknown);
        }
        self.at += 1;
        Ok(false)
    }
}

/// Whether an expression may be no valid one, or divides by zero: `c` behind this text.
pub(super) fn may_break_arithmetic(before: &str, c: char) -> bool {
    let is_operand = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    let two_operands = is_operand(c)
        && before.ends_with([' ', '\t', '\n'])
        && before.trim_ascii_end().ends_with(is_operand);
    two_operands || !is_operand(c) && !" \t\n+-*<>=&|!?:~^,[]{".contains(c)
}
