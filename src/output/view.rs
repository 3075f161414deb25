//! The part of the text that is shown: a head, a tail, and the exact size of what lies between.
//!
//! Reads text once, in pieces, and holds no more than both byte budgets and a little slack.

use std::collections::VecDeque;

use crate::output::omitted::{ErrorScan, OmittedErrors, newlines};

/// How much may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewLimits {
    /// Bytes of UTF-8 in head and tail together.
    pub max_bytes: usize,
    /// Lines in head and tail together; a part of a line counts as one.
    pub max_lines: u64,
    /// The share of both that goes to the head, 0 to 100, rounded down. The tail has the rest.
    pub head_percent: u8,
}

/// Bytes past the tail's budget that are kept before the oldest are let go, so that many small pieces
/// cost little.
const SLACK_BYTES: usize = 64 * 1024;

/// What one part may hold.
#[derive(Debug, Clone, Copy)]
struct Budget {
    bytes: usize,
    lines: u64,
}

impl Budget {
    /// Whether so many bytes are at least half of the budget.
    fn is_half(self, bytes: usize) -> bool {
        bytes >= self.bytes.div_ceil(2)
    }
}

/// Spends the budgets on text as it comes. A clone is a snapshot that can be finished by itself.
#[derive(Debug, Clone)]
pub struct View {
    all: Budget,
    head_budget: Budget,
    tail_budget: Budget,
    head: String,
    head_newlines: u64,
    /// True once nothing can be added to the head.
    head_closed: bool,
    /// What follows the head, as far as it may still be shown. Bytes, because its front can be cut
    /// inside a character.
    rest: VecDeque<u8>,
    total_bytes: u64,
    total_newlines: u64,
    ends_with_newline: bool,
    /// Reads what has left `rest`; `None` until something has.
    scan: Option<ErrorScan>,
}

/// The view of a whole text: head + omitted + tail is the text, to the byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Viewed {
    /// All of the text when it is within both budgets, its final newline included; else its front.
    pub head: String,
    /// The end of the text; `None` when nothing is omitted.
    pub tail: Option<String>,
    /// Bytes of the text.
    pub text_bytes: u64,
    /// Lines of the text; a last line without newline counts.
    pub total_lines: u64,
    /// Bytes between head and tail.
    pub omitted_bytes: u64,
    /// Newline characters between head and tail.
    pub omitted_lines: u64,
    /// The lines between head and tail that look like errors. Of a line that is cut, the omitted part
    /// is what is read.
    pub errors: OmittedErrors,
}

impl View {
    /// A view with these limits of a text that is still empty.
    pub fn new(limits: ViewLimits) -> Self {
        let percent = limits.head_percent.min(100);
        // The products need more room than the limits have.
        let share = |whole: u128| whole * u128::from(percent) / 100;
        let head_budget = Budget {
            bytes: usize::try_from(share(limits.max_bytes as u128)).unwrap_or(limits.max_bytes),
            lines: u64::try_from(share(u128::from(limits.max_lines))).unwrap_or(limits.max_lines),
        };
        Self {
            all: Budget {
                bytes: limits.max_bytes,
                lines: limits.max_lines,
            },
            head_budget,
            tail_budget: Budget {
                bytes: limits.max_bytes - head_budget.bytes,
                lines: limits.max_lines - head_budget.lines,
            },
            head: String::new(),
            head_newlines: 0,
            head_closed: head_budget.bytes == 0 || head_budget.lines == 0,
            rest: VecDeque::new(),
            total_bytes: 0,
            total_newlines: 0,
            ends_with_newline: false,
            scan: None,
        }
    }

    /// Takes the next piece of the text.
    pub fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.total_bytes = self.total_bytes.saturating_add(text.len() as u64);
        self.total_newlines += newlines(text.as_bytes());
        self.ends_with_newline = text.ends_with('\n');
        let taken = self.fill_head(text);
        self.push_rest(text.as_bytes().get(taken..).unwrap_or_default());
    }

    /// Newlines of the text so far.
    pub(super) fn newlines(&self) -> u64 {
        self.total_newlines
    }

    /// The last few thousand bytes of the text so far, as far as they are held.
    pub(super) fn end(&self) -> String {
        const END_BYTES: usize = 4096;
        if self.rest.is_empty() {
            let start = self.head.len().saturating_sub(END_BYTES);
            let start = self.head.ceil_char_boundary(start);
            return self.head.get(start..).unwrap_or_default().to_owned();
        }
        let skipped = self.rest.len().saturating_sub(END_BYTES);
        let end: Vec<u8> = self.rest.iter().skip(skipped).copied().collect();
        // A character that the cut went through is not worth an error.
        String::from_utf8_lossy(&end).into_owned()
    }

    /// Ends the text.
    pub fn finish(mut self) -> Viewed {
        let total_lines =
            self.total_newlines + u64::from(self.total_bytes > 0 && !self.ends_with_newline);
        let rest = std::mem::take(&mut self.rest);
        if self.total_bytes <= self.all.bytes as u64 && total_lines <= self.all.lines {
            self.head.push_str(&text_of(rest));
            return Viewed {
                head: self.head,
                tail: None,
                text_bytes: self.total_bytes,
                total_lines,
                omitted_bytes: 0,
                omitted_lines: 0,
                errors: OmittedErrors::default(),
            };
        }
        let rest = Vec::from(rest);
        let (omitted, tail) = rest
            .split_at_checked(tail_start(&rest, self.tail_budget))
            .unwrap_or((&rest, &[]));
        self.omit(omitted);
        let tail_newlines = newlines(tail);
        let shown_bytes = (self.head.len() + tail.len()) as u64;
        Viewed {
            tail: Some(String::from_utf8_lossy(tail).into_owned()),
            text_bytes: self.total_bytes,
            total_lines,
            omitted_bytes: self.total_bytes - shown_bytes,
            omitted_lines: self.total_newlines - self.head_newlines - tail_newlines,
            errors: self.scan.map(ErrorScan::finish).unwrap_or_default(),
            head: self.head,
        }
    }

    /// Adds to the head what it has room for; gives how many bytes that were.
    fn fill_head(&mut self, text: &str) -> usize {
        if self.head_closed {
            return 0;
        }
        let room = self.head_budget.bytes.saturating_sub(self.head.len());
        let mut len = text.floor_char_boundary(room);
        let missing = self.head_budget.lines - self.head_newlines;
        let last_line = usize::try_from(missing - 1)
            .ok()
            .and_then(|nth| memchr::memchr_iter(b'\n', text.as_bytes().get(..len)?).nth(nth));
        if let Some(at) = last_line {
            len = at + 1;
        }
        let piece = text.get(..len).unwrap_or_default();
        self.head.push_str(piece);
        self.head_newlines += newlines(piece.as_bytes());
        if last_line.is_some() {
            self.head_closed = true;
        } else if len < text.len() {
            self.head_closed = true;
            self.cut_head();
        }
        len
    }

    /// Moves the cut of a head that is out of bytes to a newline, if enough of it is left.
    fn cut_head(&mut self) {
        let Some(at) = self.head.rfind('\n') else {
            return;
        };
        if self.head_budget.is_half(at + 1) {
            let line = self.head.split_off(at + 1);
            self.push_rest(line.as_bytes());
        }
    }

    /// Adds what follows the head, and lets go what can no longer be shown.
    fn push_rest(&mut self, bytes: &[u8]) {
        if self.total_bytes <= self.all.bytes as u64 {
            // All of it may still end up in the head.
            self.rest.extend(bytes);
            return;
        }
        // One byte more than the tail may have tells whether the tail begins a line.
        let keep = self.tail_budget.bytes.saturating_add(1);
        if let Some(leaving) = bytes.len().checked_sub(keep) {
            let old = std::mem::take(&mut self.rest);
            let (front, back) = old.as_slices();
            self.omit(front);
            self.omit(back);
            self.rest = old;
            self.rest.clear();
            let (leaving, kept) = bytes.split_at_checked(leaving).unwrap_or((bytes, &[]));
            self.omit(leaving);
            self.rest.extend(kept);
            return;
        }
        self.rest.extend(bytes);
        if self.rest.len() > keep.saturating_add(SLACK_BYTES) {
            let leaving = self.rest.len() - keep;
            let mut old = std::mem::take(&mut self.rest);
            let (front, back) = old.as_slices();
            let in_front = leaving.min(front.len());
            self.omit(front.get(..in_front).unwrap_or_default());
            self.omit(back.get(..leaving - in_front).unwrap_or_default());
            old.drain(..leaving);
            self.rest = old;
        }
    }

    /// Reads what will never be shown.
    fn omit(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let first_line = self.head_newlines + 1;
        self.scan
            .get_or_insert_with(|| ErrorScan::new(first_line))
            .push(bytes);
    }
}

/// Where the tail begins in what follows the head.
fn tail_start(rest: &[u8], budget: Budget) -> usize {
    if budget.bytes == 0 || budget.lines == 0 {
        return rest.len();
    }
    // By lines: after the newline before the last `lines` lines. A final newline ends the last of them.
    let body = rest.strip_suffix(b"\n").unwrap_or(rest);
    let by_lines = usize::try_from(budget.lines - 1)
        .ok()
        .and_then(|nth| memchr::memrchr_iter(b'\n', body).nth(nth))
        .map_or(0, |at| at + 1);
    let mut by_bytes = rest.len().saturating_sub(budget.bytes);
    if by_lines >= by_bytes && by_lines > 0 {
        return by_lines;
    }
    // What comes before `by_bytes` decides whether it is a line's beginning already.
    if by_bytes > 0 && rest.get(by_bytes - 1) == Some(&b'\n') {
        return by_bytes;
    }
    while rest.get(by_bytes).is_some_and(|byte| byte & 0xc0 == 0x80) {
        by_bytes += 1;
    }
    let newline = memchr::memchr(b'\n', rest.get(by_bytes..).unwrap_or_default());
    match newline.map(|at| by_bytes + at + 1) {
        Some(start) if budget.is_half(rest.len() - start) => start,
        _ => by_bytes,
    }
}

fn text_of(bytes: VecDeque<u8>) -> String {
    String::from_utf8(Vec::from(bytes))
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
