//! Hides secrets in a text that comes in pieces.
//!
//! Works on whole lines, so a secret is hidden however the text was cut. A line over [`WINDOW_BYTES`] is
//! read in windows that overlap. Lines are held back only while a value of several lines may have begun
//! in them.

use std::collections::VecDeque;
use std::ops::Range;

use crate::output::mask::{MASK, Masks};

/// How much of a line is matched at once, in bytes. A pattern never sees more of it, and hides at most
/// that much with one match.
pub const WINDOW_BYTES: usize = 64 * 1024;

/// How much two windows share, in bytes, unless a value is longer: a match up to this length is found
/// wherever it lies.
const OVERLAP_BYTES: usize = 4 * 1024;

/// Text held before it is given out, in bytes.
const STAGED_BYTES: usize = 32 * 1024;

/// Hides secrets in one text while it comes. A clone is a snapshot that can be finished by itself.
#[derive(Debug, Clone)]
pub struct Masker {
    masks: Masks,
    /// What has come of the current line and is not matched yet, without what windows before have given.
    line: String,
    /// What is to be hidden in `line`, as far as windows before have found it.
    hidden: Hidden,
    /// True once a window of the current line was given.
    windowed: bool,
    /// Whole lines that a value of several lines may have begun in.
    held: VecDeque<Held>,
    /// The number of the first held line, or of the next line when none is held.
    first_held: u64,
    /// Values of several lines that have matched so far.
    candidates: Vec<Candidate>,
    /// Masked text, not given out yet.
    staged: String,
}

/// A line, its newline included, with what is to be hidden in it.
#[derive(Debug, Clone)]
struct Held {
    text: String,
    hidden: Hidden,
}

/// What is to be hidden in a line, or in what is left of one.
#[derive(Debug, Clone, Default)]
struct Hidden {
    /// Ranges in bytes, in any order.
    found: Vec<Range<usize>>,
    /// So many bytes at the front belong to a match of which the `***` was given.
    given: usize,
}

/// A value of several lines of which the first lines have come.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    /// Its index among the blocks.
    block: usize,
    /// The number of the line in which it begins.
    start: u64,
    /// How many of its lines have come.
    lines: usize,
}

impl Masker {
    /// A masker at the beginning of a text.
    pub fn new(masks: Masks) -> Self {
        Self {
            masks,
            line: String::new(),
            hidden: Hidden::default(),
            windowed: false,
            held: VecDeque::new(),
            first_held: 0,
            candidates: Vec::new(),
            staged: String::new(),
        }
    }

    /// Takes the next piece, and gives masked text to `out`.
    ///
    /// The current line is held back, and the lines in which a value may have begun.
    pub fn push(&mut self, text: &str, out: &mut dyn FnMut(&str)) {
        if self.masks.is_empty() {
            return out(text);
        }
        for part in text.split_inclusive('\n') {
            let body = part.strip_suffix('\n');
            self.line.push_str(body.unwrap_or(part));
            while self.line.len() > WINDOW_BYTES {
                self.window(out);
            }
            if body.is_some() {
                self.end_line("\n", out);
            }
        }
        self.give_out(out);
    }

    /// Ends the text, and gives out what was held back.
    pub fn finish(&mut self, out: &mut dyn FnMut(&str)) {
        if !self.line.is_empty() {
            self.end_line("", out);
        }
        self.candidates.clear();
        self.release(out);
        self.give_out(out);
    }

    /// Matches the first window of a line that is longer, and gives what later windows do not need.
    fn window(&mut self, out: &mut dyn FnMut(&str)) {
        if !self.windowed {
            // No line of a value is as long, so one can only end here.
            self.advance_candidates(false);
            self.release(out);
        }
        self.windowed = true;
        let rules = &self.masks.0;
        let end = self.line.floor_char_boundary(WINDOW_BYTES);
        let window = self.line.get(..end).unwrap_or_default();
        rules.find(window, &mut self.hidden.found);
        let overlap = rules.longest().max(OVERLAP_BYTES);
        let mut next = window.floor_char_boundary(end.saturating_sub(overlap));
        // A match that the window has cut short is looked for again from its start, but not if that is
        // near the window's own: then it fills the window, and there has to be progress.
        let cut_short = self.hidden.found.iter().filter(|hit| hit.end == end);
        if let Some(start) = cut_short.map(|hit| hit.start).min()
            && start >= overlap
        {
            next = next.min(start);
        }
        self.hidden.render(window, next, &mut self.staged);
        self.hidden.shift(next);
        self.line.drain(..next);
        self.give_out_when_full(out);
    }

    /// Matches what is left of a line whose end has come.
    fn end_line(&mut self, newline: &str, out: &mut dyn FnMut(&str)) {
        let mut text = std::mem::take(&mut self.line);
        let mut hidden = std::mem::take(&mut self.hidden);
        self.masks.0.find(&text, &mut hidden.found);
        let windowed = std::mem::take(&mut self.windowed);
        if self.masks.0.blocks.is_empty() {
            hidden.render(&text, text.len(), &mut self.staged);
            self.staged.push_str(newline);
            // The buffers serve the next line.
            text.clear();
            hidden.clear();
            (self.line, self.hidden) = (text, hidden);
            return self.give_out_when_full(out);
        }
        self.held.push_back(Held { text, hidden });
        if !windowed {
            self.advance_candidates(true);
        }
        self.begin_candidates();
        if let Some(held) = self.held.back_mut() {
            held.text.push_str(newline);
        }
        self.release(out);
    }

    /// Goes on with the candidates in the line that follows the last one they matched: the last held line
    /// when it is `whole`, else the open one.
    fn advance_candidates(&mut self, whole: bool) {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.retain_mut(|candidate| {
            let Some(block) = self.masks.0.blocks.get(candidate.block) else {
                return false;
            };
            let Some(expected) = block.get(candidate.lines) else {
                return false;
            };
            let line = match self.held.back() {
                Some(held) if whole => &held.text,
                _ => &self.line,
            };
            if candidate.lines + 1 < block.len() {
                candidate.lines += 1;
                return whole && line == expected;
            }
            if line.starts_with(expected.as_str()) {
                let hidden = match self.held.back_mut() {
                    Some(held) if whole => &mut held.hidden,
                    _ => &mut self.hidden,
                };
                hidden.found.push(0..expected.len());
                let first =
                    usize::try_from(candidate.start - self.first_held).unwrap_or(usize::MAX);
                hide_block(&mut self.held, first, block);
            }
            false
        });
        self.candidates = candidates;
    }

    /// Begins a candidate for each value whose first line ends the last held line.
    fn begin_candidates(&mut self) {
        let Some(held) = self.held.back() else {
            return;
        };
        let start = self.first_held + (self.held.len() as u64 - 1);
        for (index, block) in self.masks.0.blocks.iter().enumerate() {
            if block
                .first()
                .is_some_and(|first| held.text.ends_with(first.as_str()))
            {
                self.candidates.push(Candidate {
                    block: index,
                    start,
                    lines: 1,
                });
            }
        }
    }

    /// Renders the held lines in which no candidate begins or goes on.
    fn release(&mut self, out: &mut dyn FnMut(&str)) {
        let oldest = self
            .candidates
            .iter()
            .map(|candidate| candidate.start)
            .min();
        while oldest.is_none_or(|start| start > self.first_held) {
            let Some(mut held) = self.held.pop_front() else {
                break;
            };
            self.first_held += 1;
            held.hidden
                .render(&held.text, held.text.len(), &mut self.staged);
            self.give_out_when_full(out);
        }
    }

    fn give_out_when_full(&mut self, out: &mut dyn FnMut(&str)) {
        if self.staged.len() > STAGED_BYTES {
            self.give_out(out);
        }
    }

    fn give_out(&mut self, out: &mut dyn FnMut(&str)) {
        if !self.staged.is_empty() {
            out(&self.staged);
            self.staged.clear();
        }
    }
}

/// Hides all lines of a block but the last one, in the lines from `first` on.
fn hide_block(held: &mut VecDeque<Held>, first: usize, block: &[String]) {
    for (index, (held, line)) in held.iter_mut().skip(first).zip(block).enumerate() {
        if index + 1 == block.len() {
            break;
        }
        let end = held.text.strip_suffix('\n').unwrap_or(&held.text).len();
        held.hidden.found.push(end.saturating_sub(line.len())..end);
    }
}

impl Hidden {
    /// Appends the first `len` bytes of a line to `staged`, with what is found in them hidden.
    fn render(&mut self, line: &str, len: usize, staged: &mut String) {
        self.found.sort_unstable_by_key(|hit| (hit.start, hit.end));
        let mut at = self.given;
        let mut hits = self.found.iter().peekable();
        while at < len {
            // A hit that begins inside what is hidden already makes it longer.
            match hits.peek() {
                Some(hit) if hit.end <= at => {
                    hits.next();
                }
                Some(hit) if hit.start < at => at = hit.end,
                Some(hit) if hit.start < len => {
                    staged.push_str(line.get(at..hit.start).unwrap_or_default());
                    if !hit.is_empty() {
                        staged.push_str(MASK);
                    }
                    at = hit.end;
                }
                _ => {
                    staged.push_str(line.get(at..len).unwrap_or_default());
                    break;
                }
            }
        }
    }

    /// Forgets the first `len` bytes of the line, which were rendered.
    fn shift(&mut self, len: usize) {
        let mut given = self.given;
        for hit in &self.found {
            if hit.start < len || hit.start < given {
                given = given.max(hit.end);
            }
        }
        self.given = given.saturating_sub(len);
        self.found.retain_mut(|hit| {
            *hit = hit.start.saturating_sub(len)..hit.end.saturating_sub(len);
            hit.start < hit.end && hit.end > self.given
        });
    }

    fn clear(&mut self) {
        self.found.clear();
        self.given = 0;
    }
}
