//! Finds the lines that look like errors in the text that the view leaves out.
//!
//! Text comes here when it has left the tail for good, in order and cut anywhere. Memory is a few KiB.

use std::collections::VecDeque;

use serde::Serialize;

use crate::output::error_words::{
    Hints, LINE_EDGE_BYTES, hinted_line_looks_like_error, looks_like_error,
};

/// How many of the first and of the last such lines are kept.
pub const KEPT_LINES: usize = 5;

/// To how many characters a kept line is cut.
pub const KEPT_CHARS: usize = 200;

/// The lines in the omitted middle that look like errors: data of the note `omitted-errors`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OmittedErrors {
    /// How many there are.
    pub count: u64,
    /// The first five and the last five of them; all when there are at most ten.
    pub lines: Vec<OmittedLine>,
}

/// One omitted line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OmittedLine {
    /// Its number in the whole text, from 1.
    pub line: u64,
    /// Its omitted part, cut to 200 characters.
    pub text: String,
}

/// Reads omitted text and keeps what [`OmittedErrors`] says.
#[derive(Debug, Clone)]
pub(super) struct ErrorScan {
    /// The number of the line that comes next or is open.
    line: u64,
    /// The front of a line of which the end has not come.
    open: OpenLine,
    count: u64,
    first: Vec<OmittedLine>,
    last: VecDeque<OmittedLine>,
}

/// What is kept of an open line: enough to judge it however long it becomes.
#[derive(Debug, Clone, Default)]
struct OpenLine {
    /// Its first bytes: all of it while it is at most two edges long.
    front: Vec<u8>,
    /// Its last bytes, at least one edge of them if it has as many.
    back: Vec<u8>,
    len: u64,
}

impl ErrorScan {
    /// Begins in the line with this number.
    pub(super) fn new(line: u64) -> Self {
        Self {
            line,
            open: OpenLine::default(),
            count: 0,
            first: Vec::new(),
            last: VecDeque::new(),
        }
    }

    /// Takes the next omitted bytes.
    pub(super) fn push(&mut self, mut bytes: &[u8]) {
        if self.open.len > 0 {
            let Some(at) = memchr::memchr(b'\n', bytes) else {
                return self.open.push(bytes);
            };
            let (end, rest) = bytes.split_at_checked(at).unwrap_or((bytes, &[]));
            self.open.push(end);
            self.close();
            bytes = rest.get(1..).unwrap_or_default();
            self.line += 1;
        }
        let whole = memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1);
        let (lines, open) = bytes.split_at_checked(whole).unwrap_or((bytes, &[]));
        self.whole_lines(lines);
        self.open.push(open);
    }

    /// Ends the omitted text.
    pub(super) fn finish(mut self) -> OmittedErrors {
        if self.open.len > 0 {
            self.close();
        }
        self.first.extend(self.last);
        OmittedErrors {
            count: self.count,
            lines: self.first,
        }
    }

    /// Reads lines that all have their newline.
    fn whole_lines(&mut self, lines: &[u8]) {
        let mut counted = 0;
        // Where the last lines are that are to be kept, and their numbers.
        let mut found = VecDeque::with_capacity(KEPT_LINES);
        let mut hints = Hints::of(lines);
        while let Some(hint) = hints.next_from(counted) {
            let before = lines.get(counted..hint).unwrap_or_default();
            let start = memchr::memrchr(b'\n', before).map_or(counted, |at| counted + at + 1);
            let rest = lines.get(start..).unwrap_or_default();
            let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = rest.get(..len).unwrap_or_default();
            self.line += newlines(lines.get(counted..start).unwrap_or_default());
            if hinted_line_looks_like_error(line, hint - start) {
                self.count += 1;
                if self.first.len() < KEPT_LINES {
                    self.keep([(self.line, line)]);
                } else {
                    if found.len() == KEPT_LINES {
                        found.pop_front();
                    }
                    found.push_back((self.line, line));
                }
            }
            self.line += 1;
            counted = start + len + 1;
        }
        self.line += newlines(lines.get(counted..).unwrap_or_default());
        self.keep(found);
    }

    /// Keeps lines, among the first or among the last.
    fn keep<'a>(&mut self, lines: impl IntoIterator<Item = (u64, &'a [u8])>) {
        for (line, text) in lines {
            // Four bytes hold any character; what is cut in half behind them is not kept.
            let front = text.get(..KEPT_CHARS * 4).unwrap_or(text);
            let text = String::from_utf8_lossy(front)
                .chars()
                .take(KEPT_CHARS)
                .collect();
            let kept = OmittedLine { line, text };
            if self.first.len() < KEPT_LINES {
                self.first.push(kept);
                continue;
            }
            if self.last.len() == KEPT_LINES {
                self.last.pop_front();
            }
            self.last.push_back(kept);
        }
    }

    /// Judges the open line, which is whole now.
    fn close(&mut self) {
        let open = std::mem::take(&mut self.open);
        if open.looks_like_error() {
            self.count += 1;
            self.keep([(self.line, open.front.as_slice())]);
        }
        // Its buffers serve the next one.
        self.open = open;
        self.open.clear();
    }
}

/// How many newlines there are.
pub(super) fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

impl OpenLine {
    fn push(&mut self, bytes: &[u8]) {
        self.len = self.len.saturating_add(bytes.len() as u64);
        let room = (2 * LINE_EDGE_BYTES).saturating_sub(self.front.len());
        self.front
            .extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        if let Some(end) = bytes.last_chunk::<LINE_EDGE_BYTES>() {
            self.back.clear();
            self.back.extend_from_slice(end);
            return;
        }
        self.back.extend_from_slice(bytes);
        if self.back.len() > 2 * LINE_EDGE_BYTES {
            self.back.drain(..self.back.len() - LINE_EDGE_BYTES);
        }
    }

    /// The same answer as for the whole line, of which only the ends are at hand.
    fn looks_like_error(&self) -> bool {
        if self.len <= 2 * LINE_EDGE_BYTES as u64 {
            return looks_like_error(&self.front);
        }
        let ends = [
            self.front.first_chunk::<LINE_EDGE_BYTES>(),
            self.back.last_chunk::<LINE_EDGE_BYTES>(),
        ];
        ends.into_iter().flatten().any(|end| looks_like_error(end))
    }

    fn clear(&mut self) {
        self.front.clear();
        self.back.clear();
        self.len = 0;
    }
}
