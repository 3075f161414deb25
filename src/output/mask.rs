//! What is hidden in everything that is printed: patterns and literal values become `***`.
//!
//! This file holds the rules; the stream of a command's output is masked by [`Masker`].
//!
//! - A **pattern** is a regular expression of the crate `regex`, matched on each line by itself, without
//!   its newline: it never matches across lines. Matches of nothing hide nothing.
//! - A **value** is matched as it stands and as the cleaner would print it, wherever it is, across lines
//!   too. Newlines at its ends do not count. Of a value of several lines each line of at least
//!   [`MIN_LINE_CHARS`] characters is hidden also where it stands alone.
//! - Each match becomes one `***`; where matches overlap, all they cover does. The newlines within a match
//!   stay, so that hiding never changes the number of lines.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use memchr::memmem::Finder;
use regex::{Regex, RegexBuilder};

use crate::output::{Masker, clean_str};

/// What stands in the place of a secret.
pub const MASK: &str = "***";

/// The shortest line of a value of several lines that is hidden by itself, in characters. A shorter one,
/// such as a lone brace, would hide half of an innocent text.
pub const MIN_LINE_CHARS: usize = 8;

/// How large one pattern may become once it is compiled, in bytes.
const PATTERN_BYTES: usize = 1024 * 1024;

/// Longer values are matched in pieces of this length in bytes, so that what has to be held back stays
/// small.
const PIECE_BYTES: usize = 16 * 1024;

/// Values of more lines are matched in pieces of so many lines.
const PIECE_LINES: usize = 256;

/// A pattern that cannot be used. The pattern is not named: some put the secret itself there.
#[derive(Debug, thiserror::Error)]
#[error("mask pattern {number} cannot be used: {reason}")]
pub struct MaskError {
    /// Which pattern, from 1.
    pub number: usize,
    /// Why, in one line.
    pub reason: String,
    /// What the regex compiler says, in several lines.
    #[source]
    pub source: regex::Error,
}

/// The rules of what is hidden. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Masks(pub(super) Arc<Rules>);

/// The rules as they are matched.
#[derive(Debug, Default)]
pub(super) struct Rules {
    patterns: Vec<Regex>,
    /// Values without newlines.
    values: Vec<Value>,
    /// Values of several lines: at least two each, the first and the last not empty.
    pub(super) blocks: Vec<Vec<String>>,
    /// The longest value or line of one, in bytes.
    longest: usize,
}

/// A value without newlines.
#[derive(Debug)]
struct Value {
    finder: Finder<'static>,
    /// The least distance at which it can overlap itself, in bytes; its length when it cannot.
    period: usize,
}

impl Masks {
    /// Rules of these patterns and values. Empty values are passed over.
    ///
    /// # Errors
    /// The first pattern that is no regular expression or too large.
    pub fn new<P, V>(
        patterns: impl IntoIterator<Item = P>,
        values: impl IntoIterator<Item = V>,
    ) -> Result<Self, MaskError>
    where
        P: AsRef<str>,
        V: AsRef<str>,
    {
        let compile = |(index, pattern): (usize, P)| {
            RegexBuilder::new(pattern.as_ref())
                .size_limit(PATTERN_BYTES)
                .dfa_size_limit(PATTERN_BYTES)
                .build()
                .map_err(|source| MaskError {
                    number: index + 1,
                    reason: reason(&source),
                    source,
                })
        };
        let patterns = patterns
            .into_iter()
            .enumerate()
            .map(compile)
            .collect::<Result<_, _>>()?;
        let mut single = BTreeSet::new();
        let mut blocks = BTreeSet::new();
        for value in values {
            let value = value.as_ref();
            for form in [Cow::Borrowed(value), clean_str(value)] {
                add_value(&form, &mut single, &mut blocks);
            }
        }
        let lines = blocks.iter().flatten();
        let longest = single.iter().chain(lines).map(String::len).max();
        Ok(Self(Arc::new(Rules {
            patterns,
            values: single
                .iter()
                .map(|value| Value {
                    finder: Finder::new(value).into_owned(),
                    period: period(value.as_bytes()),
                })
                .collect(),
            blocks: blocks.into_iter().collect(),
            longest: longest.unwrap_or(0),
        })))
    }

    /// True when nothing is hidden.
    pub fn is_empty(&self) -> bool {
        self.0.patterns.is_empty() && self.0.values.is_empty() && self.0.blocks.is_empty()
    }

    /// Hides the secrets of a whole text.
    pub fn mask_str<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut masked = String::with_capacity(text.len());
        let mut masker = Masker::new(self.clone());
        masker.push(text, &mut |piece| masked.push_str(piece));
        masker.finish(&mut |piece| masked.push_str(piece));
        if masked == text {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(masked)
        }
    }
}

impl Rules {
    /// The longest value or line of one, in bytes.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Adds what the rules cover of one line, or of a part of one, as ranges in bytes.
    pub(super) fn find(&self, line: &str, found: &mut Vec<Range<usize>>) {
        for pattern in &self.patterns {
            found.extend(
                pattern
                    .find_iter(line)
                    .filter(|hit| !hit.is_empty())
                    .map(|hit| hit.range()),
            );
        }
        for value in &self.values {
            value.find(line.as_bytes(), found);
        }
    }
}

impl Value {
    /// Adds all places of the value, also where it overlaps itself.
    fn find(&self, line: &[u8], found: &mut Vec<Range<usize>>) {
        let len = self.finder.needle().len();
        let mut from = 0;
        while let Some(at) = line.get(from..).and_then(|rest| self.finder.find(rest)) {
            let start = from + at;
            let mut end = start + len;
            // A repetition is followed to its end in one go: found place by place, a value such as a
            // thousand blanks would make the search quadratic.
            while self.period < len
                && let Some(next) = line.get(end..end + self.period)
                && line.get(end - self.period..end) == Some(next)
            {
                end += self.period;
            }
            found.push(start..end);
            from = end - len + if self.period < len { 1 } else { len };
        }
    }
}

/// The least distance at which a text can overlap itself (its length less its longest border, by the
/// prefix function of Knuth, Morris and Pratt).
fn period(text: &[u8]) -> usize {
    let mut borders = vec![0usize; text.len()];
    let mut border = 0;
    for (at, byte) in text.iter().enumerate().skip(1) {
        while border > 0 && text.get(border) != Some(byte) {
            border = borders.get(border - 1).copied().unwrap_or(0);
        }
        if text.get(border) == Some(byte) {
            border += 1;
        }
        if let Some(slot) = borders.get_mut(at) {
            *slot = border;
        }
    }
    text.len() - border
}

/// Adds one form of a value to those of one line and those of several.
fn add_value(value: &str, single: &mut BTreeSet<String>, blocks: &mut BTreeSet<Vec<String>>) {
    let lines: Vec<&str> = value.trim_matches(['\n', '\r']).split('\n').collect();
    if let [line] = lines[..] {
        single.extend(pieces(line));
        return;
    }
    for &line in &lines {
        let line = line.trim();
        if line.chars().count() >= MIN_LINE_CHARS {
            single.extend(pieces(line));
        }
    }
    // A block begins and ends in the middle of a line, so its edges must say something.
    let mut block: Vec<String> = Vec::new();
    let mut close = |block: &mut Vec<String>| {
        while block.last().is_some_and(String::is_empty) {
            block.pop();
        }
        match &block[..] {
            // A single line is among those that are hidden alone, or too short for it.
            [] | [_] => {}
            _ => {
                blocks.insert(block.clone());
            }
        }
        block.clear();
    };
    for line in lines {
        let full = block.len() >= PIECE_LINES
            || block.iter().map(String::len).sum::<usize>() + line.len() > PIECE_BYTES;
        if full {
            close(&mut block);
        }
        if !(block.is_empty() && line.is_empty()) {
            // A line too long for a block is hidden by its pieces alone.
            block.push(pieces(line).next().unwrap_or_default());
        }
    }
    close(&mut block);
}

/// Cuts a line into pieces of at most [`PIECE_BYTES`], between two characters.
fn pieces(line: &str) -> impl Iterator<Item = String> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let at = rest.floor_char_boundary(PIECE_BYTES);
        let (piece, after) = rest.split_at_checked(at)?;
        rest = after;
        (!piece.is_empty()).then(|| piece.to_owned())
    })
}

/// The last line of what the regex compiler says, which is the reason.
fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().next_back().unwrap_or_default().trim();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}
