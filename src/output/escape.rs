//! Reads terminal escapes character by character and says which of them act on the line.
//!
//! The grammar is that of ECMA-48 (sections 5.3 to 5.6) in its 7-bit form and as the characters
//! U+0080 to U+009F; where the standard leaves an error open, xterm and console_codes(4) are followed.
//! The one rule of our own: a newline ends every sequence and counts, so that a sequence which is
//! never finished takes at most the rest of its line.

use crate::output::scan::parameters_len;

/// Where in a sequence a stream stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum State {
    /// In text.
    #[default]
    Ground,
    /// After ESC.
    Escape,
    /// After ESC and intermediates (U+0020 to U+002F), as in `ESC ( B`.
    Intermediate,
    /// In a control sequence.
    Csi(Csi),
    /// In the string of OSC, DCS, APC, PM or SOS.
    Text {
        /// OSC alone may be ended by BEL.
        osc: bool,
    },
}

/// What has been read of a control sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Csi {
    /// The first parameter; `None` while it has no digit.
    first: Option<u32>,
    /// True once a separator ended the first parameter.
    past_first: bool,
    /// True for private parameters (`<`, `=`, `>`, `?`) and intermediates: another function altogether.
    other: bool,
}

/// What one character does to the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Nothing: it is dropped, or part of a sequence.
    None,
    /// It is text (a tab too).
    Print(char),
    /// The line ends.
    Newline,
    /// CR, or `CSI G`: to a column counted from 0.
    Column(u32),
    /// `CSI C`: so many columns to the right.
    Forward(u32),
    /// BS or `CSI D`: so many columns to the left.
    Back(u32),
    /// `CSI K`: erases a part of the line; the cursor stays.
    Erase(Erase),
}

/// The three forms of `CSI K` (EL, ECMA-48 8.3.41).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Erase {
    /// 0: from the cursor on.
    Right,
    /// 1: up to the cursor, its own column included.
    Left,
    /// 2: all.
    All,
}

const BEL: char = '\u{7}';
const BS: char = '\u{8}';
const CAN: char = '\u{18}';
const SUB: char = '\u{1a}';
const ESC: char = '\u{1b}';

impl State {
    /// Takes one character and says what it does.
    pub(super) fn advance(&mut self, c: char) -> Action {
        match c {
            '\n' => {
                *self = Self::Ground;
                return Action::Newline;
            }
            // Cancel whatever was under way; in text they are plain controls and dropped.
            CAN | SUB => {
                *self = Self::Ground;
                return Action::None;
            }
            // Both begin anew wherever they come. In a string ESC is the first half of its end, ST, or
            // the sign that it was never finished.
            ESC => {
                *self = Self::Escape;
                return Action::None;
            }
            '\u{80}'..='\u{9f}' => {
                // A C1 character is ESC and the character 0x40 lower (ECMA-48 5.3).
                let seven_bit = char::from_u32(u32::from(c) - 0x40).unwrap_or('@');
                *self = Self::introduce(seven_bit);
                return Action::None;
            }
            _ => {}
        }
        if let Self::Text { osc } = *self {
            if osc && c == BEL {
                *self = Self::Ground;
            }
            return Action::None;
        }
        match c {
            // C0 controls inside a sequence act at once, and the sequence goes on (xterm, and
            // console_codes(4)).
            '\r' => return Action::Column(0),
            BS => return Action::Back(1),
            '\t' => return Action::Print('\t'),
            '\0'..='\u{1f}' | '\u{7f}' => return Action::None,
            _ => {}
        }
        match *self {
            Self::Escape | Self::Intermediate if matches!(c, ' '..='/') => {
                *self = Self::Intermediate;
                Action::None
            }
            Self::Escape if c.is_ascii() => {
                *self = Self::introduce(c);
                Action::None
            }
            Self::Intermediate if c.is_ascii() => {
                *self = Self::Ground;
                Action::None
            }
            Self::Csi(mut csi) if c.is_ascii() => match csi.advance(c) {
                None => {
                    *self = Self::Csi(csi);
                    Action::None
                }
                Some(action) => {
                    *self = Self::Ground;
                    action
                }
            },
            // Text, also where a sequence was expected: no sequence holds a character past ASCII, so
            // this one was broken off.
            _ => {
                *self = Self::Ground;
                Action::Print(c)
            }
        }
    }

    /// The state after ESC and `c`. A two-byte sequence is over with it.
    fn introduce(c: char) -> Self {
        match c {
            '[' => Self::Csi(Csi::new()),
            ']' => Self::Text { osc: true },
            'P' | 'X' | '^' | '_' => Self::Text { osc: false },
            _ => Self::Ground,
        }
    }
}

/// The control sequence at the front of `bytes`, if all of it is there and nothing else is in it: what it
/// does, and how many bytes it has. A shortcut for coloured text; [`State::advance`] reads the rest.
pub(super) fn whole_csi(bytes: &[u8]) -> Option<(Action, usize)> {
    let body = bytes.strip_prefix(b"\x1b[")?;
    let len = parameters_len(body);
    let last = *body.get(len)?;
    match last {
        b'C' | b'D' | b'G' | b'K' => {
            let mut csi = Csi::new();
            let action = body
                .get(..=len)?
                .iter()
                .find_map(|&byte| csi.advance(char::from(byte)))?;
            Some((action, len + 3))
        }
        b'@'..=b'~' => Some((Action::None, len + 3)),
        _ => None,
    }
}

impl Csi {
    fn new() -> Self {
        Self {
            first: None,
            past_first: false,
            other: false,
        }
    }

    /// Takes one printable ASCII character; gives the action when it was the final one.
    fn advance(&mut self, c: char) -> Option<Action> {
        match c {
            '0'..='9' if !self.past_first => {
                let digit = u32::from(c) - u32::from('0');
                let value = self.first.unwrap_or(0);
                self.first = Some(value.saturating_mul(10).saturating_add(digit));
            }
            '0'..='9' => {}
            ':' | ';' => self.past_first = true,
            ' '..='?' => self.other = true,
            _ => return Some(self.dispatch(c)),
        }
        None
    }

    /// What the sequence does, given its final character.
    ///
    /// Moves to another line (`A`, `B`, `E`, `F`, `H`, `f`, `J` and the like) cannot be followed where
    /// there is only one, so they are removed like every other function.
    fn dispatch(self, last: char) -> Action {
        if self.other {
            return Action::None;
        }
        // Of moves 0 means 1, like an absent parameter (console_codes(4)).
        let count = self.first.unwrap_or(1).max(1);
        match (last, self.first.unwrap_or(0)) {
            ('C', _) => Action::Forward(count),
            ('D', _) => Action::Back(count),
            ('G', _) => Action::Column(count.saturating_sub(1)),
            ('K', 0) => Action::Erase(Erase::Right),
            ('K', 1) => Action::Erase(Erase::Left),
            ('K', 2) => Action::Erase(Erase::All),
            _ => Action::None,
        }
    }
}
