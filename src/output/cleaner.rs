//! Bytes of two streams become one clean text: the terminal that a command's output is read on.
//!
//! What comes out holds no control character (Unicode's category Cc) but newline and tab. Nothing
//! that was given out is taken back, and how the bytes were cut into chunks makes no difference.
//!
//! - **Characters.** Each stream is decoded by itself. What is not UTF-8 becomes U+FFFD, one for each
//!   maximal part of a character (The Unicode Standard, section 3.9), a character cut short by the end
//!   too. UTF-16 text loses its NULs like every control, and its byte order mark is not UTF-8.
//! - **Escapes** are removed: see the state machine. A newline ends one that was never finished.
//! - **The line.** CR, BS and `CSI K`, `G`, `C`, `D` act on the line that both streams share, as a
//!   terminal does: text overwrites, a move past the end is filled with blanks once something is written
//!   there, at most [`MAX_COLUMNS`] columns wide, and blanks that an erasure leaves at the end are no
//!   text. A line is editable in its last [`EDITABLE_BYTES`]; a move to the first column goes to the
//!   oldest of them, and columns count from there. Moves to another line (`CSI A`, `B`, `H`, `J`, …)
//!   are removed.
//! - **Cells.** One character is one column: a tab, a wide and a combining character too. Programs that
//!   redraw a line write the same kinds of characters again, so widths cancel out.
//! - **What is kept.** Format characters (category Cf: bidirectional marks, zero-width joiners, U+FEFF)
//!   and the separators U+2028 and U+2029 are text that a person may have written, no controls: they
//!   stay, and end no line.

use std::borrow::Cow;

use crate::output::escape::{Action, State, whole_csi};
use crate::output::line::{Line, Sink};
use crate::output::scan::{is_dropped, plain_run};
use crate::output::strip::{ROOM, strip};
use crate::runner::Stream;

pub use crate::output::line::{EDITABLE_BYTES, MAX_COLUMNS};

/// A run of plain text that is shorter ends with one of many controls, as in coloured text.
const SHORT_RUN: usize = 256;

/// Cleans the output of one command while it arrives.
///
/// A clone is a snapshot: finish it to see the text so far, and go on with the original.
#[derive(Debug, Clone)]
pub struct Cleaner {
    stdout: Decoder,
    stderr: Decoder,
    line: Line,
}

/// What one stream left unfinished.
#[derive(Debug, Clone, Default)]
struct Decoder {
    /// The front of a character of which the rest has not come yet: 0 to 3 bytes.
    partial: Vec<u8>,
    state: State,
}

impl Default for Cleaner {
    fn default() -> Self {
        Self::new()
    }
}

impl Cleaner {
    /// A cleaner at the beginning of both streams and of an empty line.
    pub fn new() -> Self {
        Self {
            stdout: Decoder::default(),
            stderr: Decoder::default(),
            line: Line::new(),
        }
    }

    /// Takes the next bytes of one stream, and gives finished text to `out` in pieces of any size.
    ///
    /// The current line is held back (its last [`EDITABLE_BYTES`] to twice that), because what comes may
    /// still change it.
    pub fn push(&mut self, stream: Stream, bytes: &[u8], out: &mut dyn FnMut(&str)) {
        let (decoder, line) = match stream {
            Stream::Stdout => (&mut self.stdout, &mut self.line),
            Stream::Stderr => (&mut self.stderr, &mut self.line),
        };
        let mut rest = decoder.complete(bytes, line, out);
        while let Some(&first) = rest.first() {
            rest = match decoder.state {
                State::Ground => {
                    let run = plain_run(rest);
                    if run.len < SHORT_RUN && run.len < rest.len() && line.is_at_end() {
                        let mut room = [0; ROOM];
                        let stripped = strip(rest, &mut room);
                        let text = room.get(..stripped.len).unwrap_or_default();
                        if stripped.taken > run.len
                            && let Ok(text) = std::str::from_utf8(text)
                        {
                            line.print(text, out);
                            rest = rest.get(stripped.taken..).unwrap_or_default();
                            continue;
                        }
                    }
                    if run.len > 0 {
                        let (text, after) = rest.split_at_checked(run.len).unwrap_or((rest, &[]));
                        if run.ascii
                            && let Ok(text) = std::str::from_utf8(text)
                        {
                            line.print(text, out);
                        } else {
                            decoder.text(text, after.is_empty(), line, out);
                        }
                        after
                    } else {
                        decoder.control(rest, line, out)
                    }
                }
                _ if first.is_ascii() => {
                    decoder.take(char::from(first), line, out);
                    rest.get(1..).unwrap_or_default()
                }
                _ => decoder.character(rest, line, out),
            };
        }
        line.flush(out);
    }

    /// Ends both streams: what is incomplete becomes U+FFFD, and the last line is given out as it is.
    pub fn finish(&mut self, out: &mut dyn FnMut(&str)) {
        for decoder in [&mut self.stdout, &mut self.stderr] {
            if !decoder.partial.is_empty() {
                decoder.partial.clear();
                decoder.take(char::REPLACEMENT_CHARACTER, &mut self.line, out);
            }
            decoder.state = State::Ground;
        }
        self.line.finish(out);
    }
}

/// Cleans a whole text that comes from elsewhere, such as a hook's message.
pub fn clean_str(text: &str) -> Cow<'_, str> {
    if plain_run(text.as_bytes()).len == text.len() && before_c1(text) == text.len() {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut cleaner = Cleaner::new();
    cleaner.push(Stream::Stdout, text.as_bytes(), &mut |piece| {
        clean.push_str(piece);
    });
    cleaner.finish(&mut |piece| clean.push_str(piece));
    Cow::Owned(clean)
}

impl Decoder {
    /// Completes the character that an earlier chunk began; gives the bytes after it.
    fn complete<'a>(&mut self, mut bytes: &'a [u8], line: &mut Line, out: &mut Sink) -> &'a [u8] {
        while !self.partial.is_empty() {
            let Some((&next, rest)) = bytes.split_first() else {
                break;
            };
            self.partial.push(next);
            let decoded = match std::str::from_utf8(&self.partial) {
                Ok(text) => text.chars().next(),
                Err(error) if error.error_len().is_none() => {
                    bytes = rest;
                    continue;
                }
                Err(_) => None,
            };
            self.partial.clear();
            match decoded {
                Some(c) => {
                    bytes = rest;
                    self.take(c, line, out);
                }
                // The new byte does not belong to it, and begins something of its own.
                None => self.take(char::REPLACEMENT_CHARACTER, line, out),
            }
        }
        bytes
    }

    /// Takes text without ASCII controls but newline and tab, outside of any sequence.
    ///
    /// `last` is true when the chunk ends with it.
    fn text(&mut self, mut bytes: &[u8], last: bool, line: &mut Line, out: &mut Sink) {
        loop {
            let error = match std::str::from_utf8(bytes) {
                Ok(text) => return self.valid(text, line, out),
                Err(error) => error,
            };
            let (valid, rest) = bytes
                .split_at_checked(error.valid_up_to())
                .unwrap_or((bytes, &[]));
            self.valid(std::str::from_utf8(valid).unwrap_or_default(), line, out);
            match error.error_len() {
                None if last => return self.partial.extend_from_slice(rest),
                None => return self.take(char::REPLACEMENT_CHARACTER, line, out),
                Some(len) => {
                    self.take(char::REPLACEMENT_CHARACTER, line, out);
                    bytes = rest.get(len..).unwrap_or_default();
                }
            }
        }
    }

    /// Takes valid text, which may hold C1 controls and what they begin.
    fn valid(&mut self, mut text: &str, line: &mut Line, out: &mut Sink) {
        while !text.is_empty() {
            if self.state != State::Ground {
                let mut chars = text.chars();
                if let Some(c) = chars.next() {
                    self.take(c, line, out);
                }
                text = chars.as_str();
                continue;
            }
            let (plain, rest) = text.split_at_checked(before_c1(text)).unwrap_or((text, ""));
            line.print(plain, out);
            let mut chars = rest.chars();
            if let Some(c) = chars.next() {
                self.take(c, line, out);
            }
            text = chars.as_str();
        }
    }

    /// Takes the controls at the front; gives the bytes after them.
    fn control<'a>(&mut self, bytes: &'a [u8], line: &mut Line, out: &mut Sink) -> &'a [u8] {
        if let Some((action, len)) = whole_csi(bytes) {
            Self::act(action, line, out);
            return bytes.get(len..).unwrap_or_default();
        }
        let count = bytes.iter().take_while(|byte| is_dropped(**byte)).count();
        match bytes.get(count..).and_then(<[u8]>::split_first) {
            Some((&first, rest)) if first < 0x20 => {
                self.take(char::from(first), line, out);
                rest
            }
            _ => bytes.get(count..).unwrap_or_default(),
        }
    }

    /// Takes the first character, which is not ASCII; gives the bytes after it.
    fn character<'a>(&mut self, bytes: &'a [u8], line: &mut Line, out: &mut Sink) -> &'a [u8] {
        // Four bytes hold any character.
        let front = bytes.get(..4).unwrap_or(bytes);
        let (valid, error) = match std::str::from_utf8(front) {
            Ok(text) => (text, None),
            Err(error) => {
                let valid = front.get(..error.valid_up_to()).unwrap_or_default();
                (std::str::from_utf8(valid).unwrap_or_default(), Some(error))
            }
        };
        let len = match (valid.chars().next(), error.and_then(|e| e.error_len())) {
            (Some(c), _) => {
                self.take(c, line, out);
                c.len_utf8()
            }
            (None, Some(len)) => {
                self.take(char::REPLACEMENT_CHARACTER, line, out);
                len
            }
            (None, None) => {
                self.partial.extend_from_slice(bytes);
                return &[];
            }
        };
        bytes.get(len..).unwrap_or_default()
    }

    /// Takes one character.
    fn take(&mut self, c: char, line: &mut Line, out: &mut Sink) {
        let action = self.state.advance(c);
        Self::act(action, line, out);
    }

    /// Does to the line what was said.
    fn act(action: Action, line: &mut Line, out: &mut Sink) {
        match action {
            Action::None => {}
            Action::Print(c) => line.print_char(c, out),
            Action::Newline => line.newline(out),
            Action::Column(column) => line.column(column),
            Action::Forward(count) => line.forward(count),
            Action::Back(count) => line.back(count),
            Action::Erase(what) => line.erase(what),
        }
    }
}

/// Where the first C1 control (U+0080 to U+009F: 0xC2 and a byte below 0xA0) begins, in bytes.
fn before_c1(text: &str) -> usize {
    let bytes = text.as_bytes();
    memchr::memchr_iter(0xc2, bytes)
        .find(|&at| bytes.get(at + 1).is_some_and(|&next| next < 0xa0))
        .unwrap_or(bytes.len())
}
