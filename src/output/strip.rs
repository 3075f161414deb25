//! Takes what does nothing out of ASCII text, many pieces at once: colours, CR before a newline, NULs.
//!
//! A shortcut for text at the end of a plain line, where none of these has an effect. What has one, or is not
//! whole, is left to the state machine.

use crate::output::bits::{BLOCK, Bits};
use crate::output::escape::{Action, Erase, whole_csi};
use crate::output::scan::is_dropped;

/// Bytes of text that are made at once, about.
const TEXT: usize = 4096;
/// Bytes that are copied at once, whether they are wanted or not: the next ones are written over them.
const PIECE: usize = 16;
/// Room for the text, and for what is written behind it.
pub(super) const ROOM: usize = TEXT + BLOCK + PIECE;

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stripped {
    /// Bytes that were read.
    pub(super) taken: usize,
    /// Bytes of text that came out: ASCII without controls but newline and tab.
    pub(super) len: usize,
}

/// Reads from the front of `bytes` until there is enough text, or something else comes.
pub(super) fn strip(bytes: &[u8], room: &mut [u8; ROOM]) -> Stripped {
    let mut done = Stripped { taken: 0, len: 0 };
    while done.len < TEXT
        && let Some(window) = bytes
            .get(done.taken..)
            .and_then(|rest| rest.first_chunk::<{ BLOCK + PIECE }>())
        && let Some(block) = window.first_chunk()
    {
        match strip_block(window, Bits::of(block), room, &mut done) {
            BLOCK => {}
            // The front of this block is done; the next one begins with what it could not see whole.
            _ => match idle(bytes.get(done.taken..).unwrap_or_default()) {
                0 => break,
                count => done.taken += count,
            },
        }
    }
    done
}

/// Reads a block up to the first thing that is not a whole escape without effect; returns how far that is.
fn strip_block(
    window: &[u8; BLOCK + PIECE],
    bits: Bits,
    room: &mut [u8; ROOM],
    done: &mut Stripped,
) -> usize {
    let mut stops = bits.odd & !bits.kept;
    let mut from = 0;
    loop {
        let to = stops.trailing_zeros() as usize;
        let mut copied = from;
        while copied < to {
            let source = window
                .get(copied..)
                .and_then(|rest| rest.first_chunk::<PIECE>());
            let place = room
                .get_mut(done.len + (copied - from)..)
                .and_then(|rest| rest.first_chunk_mut());
            let (Some(source), Some(place)) = (source, place) else {
                break;
            };
            *place = *source;
            copied += PIECE;
        }
        done.len += to - from;
        let end = if to < BLOCK {
            idle_in_block(window, bits, to)
        } else {
            0
        };
        if end == 0 {
            done.taken += to;
            return to;
        }
        from = end;
        stops &= u64::MAX.checked_shl(end as u32).unwrap_or(0);
    }
}

/// Where what stands at `at` and does nothing ends; 0 when it does something, or cannot be told here.
fn idle_in_block(window: &[u8; BLOCK + PIECE], bits: Bits, at: usize) -> usize {
    match window.get(at..) {
        Some([0x1b, b'[', parameters @ ..]) => {
            let after = u64::MAX.checked_shl(at as u32 + 2).unwrap_or(0);
            let end = (bits.finals & after).trailing_zeros() as usize;
            if end >= BLOCK || (bits.odd & after).trailing_zeros() < end as u32 {
                return 0;
            }
            match window.get(end) {
                Some(b'C' | b'D' | b'G') => 0,
                Some(b'K') if end != at + 2 && parameters.first_chunk() != Some(b"0K") => 0,
                _ => end + 1,
            }
        }
        Some([b'\r', b'\n', ..]) => at + 1,
        _ => 0,
    }
}

/// How many bytes at the front do nothing at the end of a plain line.
fn idle(bytes: &[u8]) -> usize {
    match bytes {
        [0x1b, ..] => match whole_csi(bytes) {
            Some((Action::None | Action::Erase(Erase::Right), len)) => len,
            _ => 0,
        },
        [b'\r', b'\n', ..] => 1,
        [0, ..] => zeros(bytes),
        [first, ..] if is_dropped(*first) => 1,
        _ => 0,
    }
}

/// How many zero bytes are at the front.
fn zeros(bytes: &[u8]) -> usize {
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    let whole = blocks
        .iter()
        .take_while(|block| **block == [0; BLOCK])
        .count()
        * BLOCK;
    let rest = bytes.get(whole..).unwrap_or_default();
    whole + rest.iter().take_while(|byte| **byte == 0).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripped(text: &[u8]) -> (String, usize) {
        let mut room = [0; ROOM];
        let done = strip(text, &mut room);
        (
            String::from_utf8_lossy(&room[..done.len]).into_owned(),
            done.taken,
        )
    }

    #[test]
    fn what_does_nothing_is_taken_out() {
        let text = "\x1b[1;31mred\x1b[0m, \x1b[K\x1b[0Kplain\r\n\0\0\x07\x0c\tx\x1b[?25l; ";
        let all = format!("{}{}", text.repeat(400), "-".repeat(2 * BLOCK));
        let (plain, taken) = stripped(all.as_bytes());
        assert!(
            "red, plain\n\tx; ".repeat(300).starts_with(&plain),
            "{plain}"
        );
        assert!(plain.len() >= TEXT && taken > 200 * text.len() / 2);
        let (plain, taken) = stripped(format!("{text}{}", "-".repeat(2 * BLOCK)).as_bytes());
        assert_eq!(plain.trim_end_matches('-'), "red, plain\n\tx; ");
        assert!(taken > text.len());
    }

    #[test]
    fn what_acts_or_is_not_whole_or_not_ascii_is_left() {
        for rest in [
            "\x1b[2K",
            "\x1b[1K",
            "\x1b[3D",
            "\x1b[5G",
            "\x1b[C",
            "\x1b[31\x1b[0m",
            "\x1b[3\n1m",
            "\x1b7",
            "\r",
            "\r\r\n",
            "\u{8}",
            "\x1b]8;;x\x07",
            "é",
            "\u{9b}31m",
        ] {
            for before in 0..BLOCK {
                let before = format!("\x1b[1m{}", "x".repeat(before));
                let text = format!("{before}{rest}{}", "-".repeat(2 * BLOCK));
                let (plain, taken) = stripped(text.as_bytes());
                assert_eq!(
                    (plain.as_str(), taken),
                    (&before[4..], before.len()),
                    "{rest:?}"
                );
            }
        }
    }

    #[test]
    fn room_is_never_passed() {
        let text = b"\x1b[31mx".repeat(3 * ROOM);
        let (plain, taken) = stripped(&text);
        assert!((TEXT..ROOM).contains(&plain.len()) && plain.bytes().all(|byte| byte == b'x'));
        // One more escape may have been taken.
        assert_eq!(taken / 6, plain.len());
        let zeros = vec![0; 1_000_003];
        assert!(stripped(&zeros).1 > zeros.len() - BLOCK - PIECE);
    }
}
