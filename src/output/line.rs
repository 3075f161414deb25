//! The one line that both streams write on, and the finished text that waits before it.
//!
//! A line that is only appended to is plain text. The first edit turns it into cells, one a character,
//! and it stays so until its newline.

use std::collections::VecDeque;

use crate::output::escape::Erase;

/// How much of a line can be edited, in bytes: the last 64 KiB. What is older has flowed on.
pub const EDITABLE_BYTES: usize = 64 * 1024;

/// How far right of its text a cursor can be put, in columns.
///
/// Terminals stop at their last column, and programs rely on it (`CSI 999 C` asks for it). Without a
/// bound nine bytes would make a gigabyte of blanks.
pub const MAX_COLUMNS: usize = 512;

/// Text held before it is given out, in bytes: enough to make the cost of handing it on small.
const STAGED_BYTES: usize = 32 * 1024;

/// Pieces from this size on are given out as they are, not copied.
const DIRECT_BYTES: usize = 4 * 1024;

/// Up to this length a plain loop finds a newline before a vector search has begun.
const SHORT_BYTES: usize = 16;

/// A cell that was erased or never written. It shows as a space when something follows it on the line,
/// and as nothing at the end. NUL is free for it: it is never text.
const BLANK: char = '\0';

/// Takes finished text.
pub(super) type Sink<'a> = dyn FnMut(&str) + 'a;

/// The line, and the finished text before it.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// Finished text up to `start`, then the line itself while it is plain.
    text: String,
    /// Where the line begins in `text`, in bytes.
    start: usize,
    /// How the line stands.
    form: Form,
    /// The line while its form is [`Form::Cells`].
    cells: Cells,
}

/// The form of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Plain text with the cursor at its end.
    End,
    /// Plain text with the cursor in its first column: what CR leaves, mostly before a newline or an
    /// erasure that make cells needless.
    Home,
    /// Cells; the line has no part in `text`.
    Cells,
}

/// An edited line. The last cell is never blank.
#[derive(Debug, Clone, Default)]
struct Cells {
    cells: VecDeque<char>,
    /// The length as UTF-8, a blank being one byte.
    bytes: usize,
    /// The column that the next character goes to; may lie past the end.
    cursor: usize,
}

impl Line {
    pub(super) fn new() -> Self {
        Self {
            text: String::new(),
            start: 0,
            form: Form::End,
            cells: Cells::default(),
        }
    }

    /// What comes next goes to the end of plain text.
    pub(super) fn is_at_end(&self) -> bool {
        match self.form {
            Form::End => true,
            Form::Home => self.text.len() == self.start,
            Form::Cells => false,
        }
    }

    /// Prints text without controls but newline and tab.
    pub(super) fn print(&mut self, mut text: &str, out: &mut Sink) {
        while !text.is_empty() {
            if self.form == Form::Home && self.text.len() == self.start {
                self.form = Form::End;
            }
            if self.form == Form::End {
                return self.append(text, out);
            }
            let (part, rest, ends) = match text.split_once('\n') {
                Some((part, rest)) => (part, rest, true),
                None => (text, "", false),
            };
            for c in part.chars() {
                self.print_char(c, out);
            }
            if ends {
                self.newline(out);
            }
            text = rest;
        }
    }

    /// Prints text at the end of a plain line.
    fn append(&mut self, mut text: &str, out: &mut Sink) {
        let newline = if text.len() <= SHORT_BYTES {
            text.bytes().rposition(|byte| byte == b'\n')
        } else {
            memchr::memrchr(b'\n', text.as_bytes())
        };
        if text.len() < DIRECT_BYTES {
            self.text.push_str(text);
            if let Some(at) = newline {
                self.start = self.text.len() - (text.len() - at - 1);
            }
            return self.give_out_when_full(out);
        }
        if let Some((done, rest)) = newline.and_then(|at| text.split_at_checked(at + 1)) {
            self.give_out(self.text.len(), out);
            out(done);
            text = rest;
        }
        // Of a piece longer than the editable part only its end is kept, so an endless line is copied
        // no more than once.
        let keep = text.len().saturating_sub(EDITABLE_BYTES);
        let keep = text.ceil_char_boundary(keep);
        if let Some((done, rest)) = text
            .split_at_checked(keep)
            .filter(|(done, _)| !done.is_empty())
        {
            self.give_out(self.text.len(), out);
            out(done);
            text = rest;
        }
        self.text.push_str(text);
        self.give_out_when_full(out);
    }

    /// Prints one character that is no control, or a tab.
    pub(super) fn print_char(&mut self, c: char, out: &mut Sink) {
        if self.form == Form::Home && self.text.len() > self.start {
            self.edit();
        }
        if self.form == Form::Cells {
            self.cells.put(c);
            while self.cells.bytes > EDITABLE_BYTES {
                let Some(old) = self.cells.pop_front() else {
                    break;
                };
                self.text.push(old);
            }
            self.start = self.text.len();
        } else {
            self.form = Form::End;
            self.text.push(c);
        }
        self.give_out_when_full(out);
    }

    /// Ends the line.
    pub(super) fn newline(&mut self, out: &mut Sink) {
        self.render();
        self.text.push('\n');
        self.start = self.text.len();
        self.give_out_when_full(out);
    }

    /// Ends the text: gives out everything.
    pub(super) fn finish(&mut self, out: &mut Sink) {
        self.render();
        self.give_out(self.text.len(), out);
        self.start = 0;
    }

    /// Gives out what is finished. To be called when no more input is at hand.
    pub(super) fn flush(&mut self, out: &mut Sink) {
        self.give_out(self.start, out);
    }

    /// Puts the cursor into a column counted from 0.
    pub(super) fn column(&mut self, column: u32) {
        if column == 0 {
            match self.form {
                Form::Cells => self.cells.cursor = 0,
                _ => self.form = Form::Home,
            }
            return self.settle();
        }
        let cells = self.edit();
        cells.move_to(column as usize);
        self.settle();
    }

    /// Moves the cursor to the right.
    pub(super) fn forward(&mut self, count: u32) {
        let cells = self.edit();
        cells.move_to(cells.cursor.saturating_add(count as usize));
    }

    /// Moves the cursor to the left, at most to the first column that can be edited.
    pub(super) fn back(&mut self, count: u32) {
        let cells = self.edit();
        cells.cursor = cells.cursor.saturating_sub(count as usize);
        self.settle();
    }

    /// Erases a part of the line.
    pub(super) fn erase(&mut self, what: Erase) {
        if self.form == Form::End && what == Erase::Right {
            // Nothing stands there. Grep and gcc send it with every colour.
            return;
        }
        if self.form == Form::Home && what != Erase::Left {
            // All of the plain line goes, and needs no cells for that.
            self.trim();
            self.text.truncate(self.start);
            self.form = Form::End;
            return;
        }
        let cells = self.edit();
        match what {
            Erase::Right => cells.truncate(cells.cursor),
            Erase::Left => cells.blank_to_cursor(),
            Erase::All => cells.truncate(0),
        }
        self.settle();
    }

    /// Makes an empty line with its cursor at home plain again.
    fn settle(&mut self) {
        if self.form == Form::Cells && self.cells.cells.is_empty() && self.cells.cursor == 0 {
            self.form = Form::End;
        }
    }

    /// Turns the line into cells.
    fn edit(&mut self) -> &mut Cells {
        if self.form != Form::Cells {
            self.trim();
            let line = self.text.get(self.start..).unwrap_or_default();
            self.cells.cells.clear();
            self.cells.cells.extend(line.chars());
            self.cells.bytes = line.len();
            self.cells.cursor = match self.form {
                Form::Home => 0,
                _ => self.cells.cells.len(),
            };
            self.text.truncate(self.start);
            self.form = Form::Cells;
        }
        &mut self.cells
    }

    /// Counts what is older than the editable part as finished.
    fn trim(&mut self) {
        let oldest = self.text.len().saturating_sub(EDITABLE_BYTES);
        if oldest > self.start {
            self.start = self.text.ceil_char_boundary(oldest);
        }
    }

    /// Turns the line back into text at the end of the finished text.
    fn render(&mut self) {
        if self.form == Form::Cells {
            self.text.extend(self.cells.cells.iter().map(|&c| shown(c)));
        }
        self.form = Form::End;
    }

    /// Gives out what is finished once it is worth it, and of an endless line what is too old to edit.
    #[inline]
    fn give_out_when_full(&mut self, out: &mut Sink) {
        // Asked for each piece and answered with no nearly always.
        if self.text.len() > STAGED_BYTES {
            self.give_out_much(out);
        }
    }

    #[cold]
    fn give_out_much(&mut self, out: &mut Sink) {
        if self.text.len() - self.start > 2 * EDITABLE_BYTES {
            self.trim();
        }
        if self.start > STAGED_BYTES {
            self.give_out(self.start, out);
        }
    }

    /// Gives out the first `len` bytes of the held text.
    fn give_out(&mut self, len: usize, out: &mut Sink) {
        if let Some(done) = self.text.get(..len).filter(|done| !done.is_empty()) {
            out(done);
            self.text.drain(..len);
            self.start = self.start.saturating_sub(len);
        }
    }
}

/// What a cell shows as.
fn shown(cell: char) -> char {
    if cell == BLANK { ' ' } else { cell }
}

impl Cells {
    /// Writes one character at the cursor, over what is there.
    fn put(&mut self, c: char) {
        match self.cells.get_mut(self.cursor) {
            Some(cell) => {
                self.bytes = self.bytes + c.len_utf8() - cell.len_utf8();
                *cell = c;
            }
            None => {
                self.bytes += self.cursor - self.cells.len();
                self.cells.resize(self.cursor, BLANK);
                self.bytes += c.len_utf8();
                self.cells.push_back(c);
            }
        }
        self.cursor += 1;
    }

    /// Takes the oldest cell away.
    fn pop_front(&mut self) -> Option<char> {
        let cell = self.cells.pop_front()?;
        self.bytes -= cell.len_utf8();
        self.cursor = self.cursor.saturating_sub(1);
        Some(shown(cell))
    }

    /// Puts the cursor into a column, at most past the text and past [`MAX_COLUMNS`].
    fn move_to(&mut self, column: usize) {
        self.cursor = column.min(self.cells.len().max(MAX_COLUMNS));
    }

    /// Drops all cells from `len` on, and the blanks that are now last.
    fn truncate(&mut self, len: usize) {
        while self.cells.len() > len || self.cells.back() == Some(&BLANK) {
            let Some(cell) = self.cells.pop_back() else {
                break;
            };
            self.bytes -= cell.len_utf8();
        }
    }

    /// Blanks the cells up to the cursor and its own.
    fn blank_to_cursor(&mut self) {
        for cell in self.cells.iter_mut().take(self.cursor.saturating_add(1)) {
            self.bytes = self.bytes + 1 - cell.len_utf8();
            *cell = BLANK;
        }
        self.truncate(self.cells.len());
    }
}
