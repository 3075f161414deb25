//! Kinds of bytes in a block of 64, one bit a byte.

use wide::i8x16;

/// Bytes of a block.
pub(super) const BLOCK: usize = 64;

/// What a block holds: bit N tells of byte N.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bits {
    /// No printable ASCII: a control (C0 or DEL) or a byte past ASCII.
    pub(super) odd: u64,
    /// Newline or tab.
    pub(super) kept: u64,
    /// A byte that ends a control sequence (U+0040 to U+007E).
    pub(super) finals: u64,
}

impl Bits {
    /// Looks at a block.
    pub(super) fn of(block: &[u8; BLOCK]) -> Self {
        let mut bits = Self {
            odd: 0,
            kept: 0,
            finals: 0,
        };
        let (lanes, _) = block.as_chunks::<16>();
        for (index, lane) in lanes.iter().enumerate() {
            let lane = i8x16::new(lane.map(u8::cast_signed));
            let is = |byte: i8| lane.simd_eq(i8x16::splat(byte));
            let mask = |lane: i8x16| u64::from(lane.to_bitmask()) << (index * 16);
            // Bytes past ASCII are negative here, and so below all others.
            bits.odd |= mask(lane.simd_lt(i8x16::splat(0x20)) | is(0x7f));
            bits.kept |= mask(is(0x0a) | is(0x09));
            bits.finals |= mask(lane.simd_gt(i8x16::splat(0x3f)));
        }
        bits.finals &= !bits.odd;
        bits
    }

    /// The same, byte by byte.
    #[cfg(test)]
    fn one_by_one(block: &[u8; BLOCK]) -> Self {
        let bits = |is: fn(u8) -> bool| {
            let bit = |(index, &byte): (usize, &u8)| u64::from(is(byte)) << index;
            block
                .iter()
                .enumerate()
                .map(bit)
                .fold(0, |all, bit| all | bit)
        };
        Self {
            odd: bits(|byte| !matches!(byte, 0x20..0x7f)),
            kept: bits(|byte| matches!(byte, b'\n' | b'\t')),
            finals: bits(|byte| matches!(byte, 0x40..0x7f)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_at_every_place() {
        for byte in 0..=255 {
            for place in 0..BLOCK {
                for fill in [b'y', b'1', b'\n', 0xc3, 0] {
                    let mut block = [fill; BLOCK];
                    block[place] = byte;
                    assert_eq!(
                        Bits::of(&block),
                        Bits::one_by_one(&block),
                        "{byte} at {place}"
                    );
                }
            }
        }
    }
}
