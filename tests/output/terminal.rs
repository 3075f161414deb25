//! A slow, obvious terminal line: one character at a time, every escape matched as a whole.

use std::collections::VecDeque;
use std::sync::LazyLock;

use bsh::output::{EDITABLE_BYTES, MAX_COLUMNS};
use bsh::runner::Stream;
use regex::Regex;

/// What the cleaner should make of these chunks.
pub fn clean(chunks: &[(Stream, Vec<u8>)]) -> String {
    let mut terminal = Terminal::default();
    for (stream, bytes) in chunks {
        for &byte in bytes {
            terminal.byte(*stream as usize, byte);
        }
    }
    for stream in 0..2 {
        if !terminal.partial[stream].is_empty() {
            terminal.character(stream, '\u{fffd}');
        }
    }
    terminal.end_line();
    terminal.text
}

#[derive(Default)]
struct Terminal {
    partial: [Vec<u8>; 2],
    sequence: [String; 2],
    text: String,
    /// `None` is a cell that nothing was written to.
    cells: VecDeque<Option<char>>,
    /// Of the cells as text.
    bytes: usize,
    cursor: usize,
}

impl Terminal {
    fn byte(&mut self, stream: usize, byte: u8) {
        let partial = &mut self.partial[stream];
        partial.push(byte);
        match std::str::from_utf8(partial) {
            Ok(text) => {
                let c = text.chars().next().unwrap();
                partial.clear();
                self.character(stream, c);
            }
            Err(error) if error.error_len().is_none() => {}
            Err(_) => {
                let alone = partial.len() == 1;
                partial.clear();
                self.character(stream, '\u{fffd}');
                if !alone {
                    self.byte(stream, byte);
                }
            }
        }
    }

    fn character(&mut self, stream: usize, c: char) {
        static TWO_BYTES: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"^\x1b([0-OQ-WYZ\\`-~]|[ -/]+[0-~])$").unwrap());
        static CSI: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"^\x1b\[([ -?]*)([@-~])$").unwrap());
        static STRING: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\x1b[\]PX^_]").unwrap());
        let sequence = &mut self.sequence[stream];
        match c {
            '\n' => {
                sequence.clear();
                self.end_line();
                self.text.push('\n');
                return;
            }
            '\x18' | '\x1a' => return sequence.clear(),
            '\x1b' => {
                *sequence = c.to_string();
                return;
            }
            '\u{80}'..='\u{9f}' => {
                *sequence = format!("\x1b{}", (c as u8 - 0x40) as char);
            }
            _ if STRING.is_match(sequence) => {
                if c == '\x07' && sequence.starts_with("\x1b]") {
                    sequence.clear();
                }
                return;
            }
            '\r' => return self.cursor = 0,
            '\x08' => return self.cursor = self.cursor.saturating_sub(1),
            '\t' => return self.print(c),
            _ if c.is_control() => return,
            _ if sequence.is_empty() || !c.is_ascii() => {
                sequence.clear();
                return self.print(c);
            }
            _ => sequence.push(c),
        }
        if TWO_BYTES.is_match(sequence) {
            sequence.clear();
        } else if let Some(csi) = CSI.captures(&sequence.clone()) {
            sequence.clear();
            self.control_sequence(&csi[1], &csi[2]);
        }
    }

    fn control_sequence(&mut self, parameters: &str, last: &str) {
        if parameters
            .chars()
            .any(|c| !matches!(c, '0'..='9' | ':' | ';'))
        {
            return;
        }
        if !matches!(last, "C" | "D" | "G" | "K") {
            return;
        }
        let first = parameters.split([':', ';']).next().unwrap();
        let number: u128 = match first.trim_start_matches('0') {
            "" => 0,
            digits => digits.parse().unwrap_or(u128::MAX),
        };
        let count = usize::try_from(number.max(1)).unwrap_or(usize::MAX);
        let right = self.cells.len().max(MAX_COLUMNS);
        match (last, number) {
            ("C", _) => self.cursor = self.cursor.saturating_add(count).min(right),
            ("D", _) => self.cursor = self.cursor.saturating_sub(count),
            ("G", _) => self.cursor = (count - 1).min(right),
            ("K", 0) => self.cells.truncate(self.cursor),
            ("K", 1) => {
                let end = self.cells.len().min(self.cursor + 1);
                self.cells.range_mut(..end).for_each(|cell| *cell = None);
            }
            ("K", 2) => self.cells.clear(),
            _ => {}
        }
        while self.cells.back() == Some(&None) {
            self.cells.pop_back();
        }
        self.bytes = self.cells.iter().map(|&cell| width(cell)).sum();
    }

    fn print(&mut self, c: char) {
        while self.cells.len() <= self.cursor {
            self.cells.push_back(None);
            self.bytes += 1;
        }
        self.bytes = self.bytes - width(self.cells[self.cursor]) + c.len_utf8();
        self.cells[self.cursor] = Some(c);
        self.cursor += 1;
        while self.bytes > EDITABLE_BYTES {
            let oldest = self.cells.pop_front().unwrap();
            self.bytes -= width(oldest);
            self.text.push(oldest.unwrap_or(' '));
            self.cursor = self.cursor.saturating_sub(1);
        }
    }

    fn end_line(&mut self) {
        self.text
            .extend(self.cells.drain(..).map(|cell| cell.unwrap_or(' ')));
        self.cursor = 0;
        self.bytes = 0;
    }
}

/// The bytes of a cell as text.
fn width(cell: Option<char>) -> usize {
    cell.unwrap_or(' ').len_utf8()
}
