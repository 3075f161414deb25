//! Finds the first byte that a terminal acts on, at memory speed.
//!
//! Knows bytes, not text: whether a run is valid UTF-8, and whether it hides a C1 control in two
//! bytes, is for the caller to find out.

/// Bytes looked at in one step of the bulk loop: four registers of SSE2, one cache line.
const BLOCK: usize = 64;

/// The front of a slice that holds no ASCII control but newline and tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    /// Its length in bytes.
    pub(super) len: usize,
    /// True when all of it is ASCII, so that it is text as it stands.
    pub(super) ascii: bool,
}

/// Whether a byte is an ASCII control (C0 or DEL) other than newline and tab.
fn is_control(byte: u8) -> bool {
    (byte < 0x20 && byte != b'\n' && byte != b'\t') || byte == 0x7f
}

/// Whether a byte is a control that text loses without any effect.
pub(super) fn is_dropped(byte: u8) -> bool {
    byte < 0x20 && !matches!(byte, 0x08..=0x0a | b'\r' | 0x1b) || byte == 0x7f
}

/// Measures the run at the front of `bytes`.
pub(super) fn plain_run(bytes: &[u8]) -> Run {
    // Coloured text has runs of a few bytes: words of eight find their end without a block's set-up.
    let (words, _) = bytes.as_chunks::<8>();
    let mut high = 0;
    let mut len = 0;
    for word in words.iter().take(BLOCK / 8) {
        let word = u64::from_le_bytes(*word);
        let controls = controls_in_word(word);
        if controls != 0 {
            let before = (controls.trailing_zeros() / 8) as usize;
            let mask = (1u64 << (before * 8)).wrapping_sub(1);
            high |= word & mask & HIGH;
            return Run {
                len: len + before,
                ascii: high == 0,
            };
        }
        high |= word & HIGH;
        len += 8;
    }
    let (blocks, _) = bytes.get(len..).unwrap_or_default().as_chunks::<BLOCK>();
    let mut ascii = high == 0;
    for block in blocks {
        // No early exit inside the block, so that the compiler makes it a handful of vector operations.
        let (mut control, mut top) = (false, 0);
        for &byte in block {
            control |= ((byte < 0x20) & (byte != b'\n') & (byte != b'\t')) | (byte == 0x7f);
            top |= byte;
        }
        if control {
            break;
        }
        ascii &= top < 0x80;
        len += BLOCK;
    }
    for &byte in bytes.get(len..).unwrap_or_default() {
        if is_control(byte) {
            break;
        }
        ascii &= byte < 0x80;
        len += 1;
    }
    Run { len, ascii }
}

/// How many bytes at the front are parameters or intermediates of a control sequence (U+0020 to U+003F).
pub(super) fn parameters_len(bytes: &[u8]) -> usize {
    if let Some(word) = bytes.first_chunk::<8>() {
        let word = u64::from_le_bytes(*word);
        let inside = zero_bytes((word & splat(0xe0)) ^ splat(0x20));
        let outside = inside ^ HIGH;
        if outside != 0 {
            return (outside.trailing_zeros() / 8) as usize;
        }
    }
    bytes
        .iter()
        .take_while(|byte| matches!(byte, b' '..=b'?'))
        .count()
}

/// The top bit of each byte.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The same byte eight times.
const fn splat(byte: u8) -> u64 {
    byte as u64 * 0x0101_0101_0101_0101
}

/// Sets the top bit of each byte that is zero, and nothing else (no carry runs from byte to byte).
const fn zero_bytes(word: u64) -> u64 {
    const LOW: u64 = !HIGH;
    !(((word & LOW) + LOW) | word | LOW)
}

/// Sets the top bit of each byte of which [`is_control`] is true.
fn controls_in_word(word: u64) -> u64 {
    let c0 = zero_bytes(word & splat(0xe0));
    let kept = zero_bytes(word ^ splat(b'\n')) | zero_bytes(word ^ splat(b'\t'));
    (c0 & !kept) | zero_bytes(word ^ splat(0x7f))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_end_at_the_first_other_byte() {
        for byte in 0..=255u8 {
            for place in 0..20 {
                let mut bytes = vec![b'1'; 20];
                bytes[place] = byte;
                let inside = (0x20..0x40).contains(&byte);
                let expected = if inside { 20 } else { place };
                assert_eq!(parameters_len(&bytes), expected, "{byte} at {place}");
            }
        }
    }

    #[test]
    fn every_byte_at_every_place() {
        for byte in 0..=255u8 {
            for place in 0..200 {
                for fill in [b'y', b'\n', 0xc3] {
                    let mut bytes = vec![fill; 201];
                    bytes[place] = byte;
                    let expected = if is_control(byte) { place } else { 201 };
                    let run = plain_run(&bytes);
                    assert_eq!(run.len, expected, "{byte} at {place}");
                    assert_eq!(run.ascii, bytes[..expected].is_ascii());
                }
            }
        }
    }
}
