//! Whether a line looks like an error: a fixed set of whole words, in any case.
//!
//! - Words: `error`, `errors`, `fatal`, `panic`, `panics`, `panicked`, `exception`, `exceptions`,
//!   `traceback`, `fail`, `fails`, `failed`, `failure`, `failures`, `segfault`, and `err!` (npm).
//! - Phrases: `segmentation fault`, `undefined reference`, `permission denied`, `command not found`.
//! - Names of types that end so, as written: `ValueError`, `NullPointerException`, `LinkFailure`.
//!
//! A word is a run of letters, digits and `_`. A word is passed over where it counts nothing
//! (`0 errors`, `no errors`, `errors: 0`) and where it begins the name of a file (`error.rs`).

/// Of a longer line only so much of its beginning and of its end is read, in bytes.
pub const LINE_EDGE_BYTES: usize = 4 * 1024;

use std::ops::Range;

use wide::i8x16;

use crate::output::bits::BLOCK;

const WORDS: [&str; 15] = [
    "error",
    "errors",
    "fatal",
    "panic",
    "panics",
    "panicked",
    "exception",
    "exceptions",
    "traceback",
    "fail",
    "fails",
    "failed",
    "failure",
    "failures",
    "segfault",
];

/// A word and what has to follow it, spaces and all.
const PHRASES: [(&str, &str); 5] = [
    ("err", "!"),
    ("segmentation", " fault"),
    ("undefined", " reference"),
    ("permission", " denied"),
    ("command", " not found"),
];

/// The most words that a phrase has.
const PHRASE_WORDS: usize = 3;

/// Ends of type names, in this case only.
const ENDINGS: [&str; 3] = ["Error", "Exception", "Failure"];

/// Whether a line, without its newline, looks like an error.
///
/// Of a line longer than twice [`LINE_EDGE_BYTES`] the first and the last of them are read, each as if it
/// were a line.
pub fn looks_like_error(line: &[u8]) -> bool {
    match edges(line) {
        Some((first, last)) => is_named_in(first, 0) || is_named_in(last, 0),
        None => is_named_in(line, 0),
    }
}

/// The same of a line in which this is the first hint.
pub(super) fn hinted_line_looks_like_error(line: &[u8], hint: usize) -> bool {
    match edges(line) {
        Some(_) => looks_like_error(line),
        None => is_named_at(line, hint) || is_named_in(line, hint + 1),
    }
}

/// The two ends of a long line.
fn edges(line: &[u8]) -> Option<(&[u8], &[u8])> {
    if line.len() <= 2 * LINE_EDGE_BYTES {
        return None;
    }
    Some((
        line.first_chunk::<LINE_EDGE_BYTES>()?,
        line.last_chunk::<LINE_EDGE_BYTES>()?,
    ))
}

fn is_named_in(text: &[u8], mut from: usize) -> bool {
    let mut hints = Hints::of(text);
    while let Some(at) = hints.next_from(from) {
        if is_named_at(text, at) {
            return true;
        }
        from = at + 1;
    }
    false
}

/// Whether a hint is one to an error.
fn is_named_at(text: &[u8], hint: usize) -> bool {
    // The words of a phrase are the hint's and at most two before it.
    let mut end = word_end(text, hint);
    for _ in 0..PHRASE_WORDS {
        let Some(word) = word_before(text, end) else {
            break;
        };
        if is_error(text, &word) {
            return true;
        }
        end = word.start;
    }
    false
}

/// Whether the word at this place of a text names an error.
fn is_error(text: &[u8], place: &Range<usize>) -> bool {
    let word = text.get(place.clone()).unwrap_or_default();
    let after = text.get(place.end..).unwrap_or_default();
    names_error(word, after) && !is_file(after) && !counts_nothing(text, place.start, after)
}

/// Where the word that has a byte here ends.
fn word_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|&&byte| is_word(byte)).count()
}

/// The last word before this place.
fn word_before(text: &[u8], at: usize) -> Option<Range<usize>> {
    let front = text.get(..at)?;
    let end = front.iter().rposition(|&byte| is_word(byte))? + 1;
    let length = front
        .get(..end)?
        .iter()
        .rev()
        .take_while(|&&byte| is_word(byte))
        .count();
    Some(end - length..end)
}

/// Bytes past ASCII count as letters, so that a word is not found inside a word of another script.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn names_error(word: &[u8], after: &[u8]) -> bool {
    let is = |text: &str| word.eq_ignore_ascii_case(text.as_bytes());
    let follows = |text: &str| {
        after
            .get(..text.len())
            .is_some_and(|front| front.eq_ignore_ascii_case(text.as_bytes()))
            && (text.ends_with('!') || !after.get(text.len()).is_some_and(|&byte| is_word(byte)))
    };
    WORDS.into_iter().any(is)
        || PHRASES
            .into_iter()
            .any(|(first, rest)| is(first) && follows(rest))
        || ENDINGS
            .into_iter()
            .any(|ending| word.len() > ending.len() && word.ends_with(ending.as_bytes()))
}

/// `0 errors`, `no error`, `errors: 0`, `failures=0`.
fn counts_nothing(text: &[u8], start: usize, after: &[u8]) -> bool {
    if text.get(..start).is_some_and(|front| front.ends_with(b" ")) {
        let word = word_before(text, start).unwrap_or(0..0);
        let gap = text.get(word.end..start).unwrap_or_default();
        let word = text.get(word).unwrap_or_default();
        let is_none = word == b"0" || word.eq_ignore_ascii_case(b"no");
        if is_none && gap.iter().all(|&byte| byte == b' ') {
            return true;
        }
    }
    let Some((b':' | b'=', value)) = after.split_first() else {
        return false;
    };
    match value.trim_ascii_start().split_first() {
        Some((b'0', next)) => !next
            .first()
            .is_some_and(|&byte| is_word(byte) || byte == b'.'),
        _ => false,
    }
}

/// `error.rs`, `error.log`: the word is followed by a period and a letter or digit.
fn is_file(after: &[u8]) -> bool {
    matches!(after, [b'.', next, ..] if is_word(*next))
}

/// Finds the places where an error may be named, at memory speed: a line without such a place does not look
/// like one. A place is the index of one byte of the name.
pub(super) struct Hints<'a> {
    bytes: &'a [u8],
    /// Where the block begins that is looked at.
    block: usize,
    /// Its anchors that were not looked at yet.
    anchors: u64,
}

impl<'a> Hints<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            block: 0,
            anchors: anchors_at(bytes, 0),
        }
    }

    /// The next place that is not before `from`.
    pub(super) fn next_from(&mut self, from: usize) -> Option<usize> {
        loop {
            while self.anchors != 0 {
                let place = self.block + self.anchors.trailing_zeros() as usize;
                self.anchors &= self.anchors - 1;
                if place >= from && is_hint(self.bytes, place) {
                    return Some(place);
                }
            }
            self.block = from.max(self.block + BLOCK);
            if self.block >= self.bytes.len() {
                return None;
            }
            self.anchors = anchors_at(self.bytes, self.block);
        }
    }
}

/// The anchors of the block that begins here.
fn anchors_at(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    if let Some(window) = rest.first_chunk() {
        return anchors(window);
    }
    let mut window = [0; WINDOW];
    if let Some(front) = window.get_mut(..rest.len()) {
        front.copy_from_slice(rest);
    }
    anchors(&window)
}

/// Bytes looked at in one step, and those after them that an anchor at the end reaches into.
const WINDOW: usize = BLOCK + 2;

/// Where an anchor begins, in any case: `err`, `fa`, `pan`, `xce`, `ceb`, `und`, `den`. Bit N tells of byte N.
///
/// It may mark a place too many, since it folds case with one bit, and never one too few.
fn anchors(window: &[u8; WINDOW]) -> u64 {
    const LANE: usize = 16;
    let lane = |at: usize| {
        let bytes = window.get(at..).and_then(|rest| rest.first_chunk::<LANE>());
        let bytes = bytes.unwrap_or(&[0; LANE]).map(u8::cast_signed);
        i8x16::new(bytes) | i8x16::splat(0x20)
    };
    let is = |lane: i8x16, byte: u8| lane.simd_eq(i8x16::splat(byte.cast_signed()));
    let mut bits = 0;
    for at in (0..BLOCK).step_by(LANE) {
        let (a, b, c) = (lane(at), lane(at + 1), lane(at + 2));
        let [sa, sr, sc, se, sn] = [b'a', b'r', b'c', b'e', b'n'].map(|byte| is(b, byte));
        // Numbers and fillers mostly have none of these letters.
        if (sa | sr | sc | se | sn).to_bitmask() == 0 {
            continue;
        }
        let found = sa & (is(a, b'f') | is(a, b'p') & is(c, b'n'))
            | sr & is(a, b'e') & is(c, b'r')
            | sc & is(a, b'x') & is(c, b'e')
            | se & (is(a, b'c') & is(c, b'b') | is(a, b'd') & is(c, b'n'))
            | sn & is(a, b'u') & is(c, b'd');
        bits |= u64::from(found.to_bitmask()) << at;
    }
    bits
}

/// Every way to name an error whose anchor begins with this letter, split there. The second part ends its
/// word, in any case of its letters; what comes before the first does not matter here.
fn names_from(letter: u8) -> &'static [(&'static [u8], &'static [u8])] {
    match letter.to_ascii_lowercase() {
        b'e' => &[(b"", b"err"), (b"", b"error"), (b"", b"errors")],
        b'f' => &[
            (b"", b"fatal"),
            (b"", b"fail"),
            (b"", b"fails"),
            (b"", b"failed"),
            (b"", b"failure"),
            (b"", b"failures"),
            (b"seg", b"fault"),
            (b"segmentation ", b"fault"),
        ],
        b'p' => &[(b"", b"panic"), (b"", b"panics"), (b"", b"panicked")],
        b'x' => &[(b"e", b"xception"), (b"e", b"xceptions")],
        b'c' => &[(b"tra", b"ceback")],
        b'u' => &[(b"", b"undefined"), (b"not fo", b"und")],
        b'd' => &[(b"permission ", b"denied")],
        _ => &[],
    }
}

/// Whether the second part of a name is here.
fn is_hint(bytes: &[u8], at: usize) -> bool {
    let rest = bytes.get(at..).unwrap_or_default();
    let len = rest
        .iter()
        .take(LONGEST_HINT + 1)
        .take_while(|&&byte| is_word(byte))
        .count();
    let text = rest.get(..len).unwrap_or_default();
    let is = |(before, from): &(&[u8], &[u8])| {
        text.eq_ignore_ascii_case(from)
            && at
                .checked_sub(before.len())
                .and_then(|start| bytes.get(start..at))
                .is_some_and(|text| text.eq_ignore_ascii_case(before))
    };
    let letter = text.first().copied().unwrap_or_default();
    names_from(letter).iter().any(is)
}

/// The length of the longest second part.
const LONGEST_HINT: usize = 9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_look_like_errors() {
        for line in [
            "error: boom",
            "ERROR boom",
            "error[E0308]: mismatched types",
            "E   AssertionError",
            "ValueError: invalid literal",
            "java.lang.NullPointerException",
            "npm ERR! code 1",
            "main.c:(.text+0x5): undefined reference to `f'",
            "Segmentation fault (core dumped)",
            "thread 'main' panicked at src/main.rs:1",
            "Traceback (most recent call last):",
            "--- FAIL: TestX (0.00s)",
            "10 errors",
            "0 warnings, 1 error",
            "errors: 01",
            "it ended in an error.",
            "ls: /root: Permission denied",
            "bash: nosuch: command not found",
            "0 errors, 3 failed",
            "test result: FAILED. 1 passed; 1 failed",
        ] {
            assert!(looks_like_error(line.as_bytes()), "{line}");
            assert!(Hints::of(line.as_bytes()).next_from(0).is_some(), "{line}");
        }
    }

    #[test]
    fn lines_that_do_not() {
        for line in [
            "",
            "0 errors",
            "no errors, 0 failures",
            "Tests run: 3, Failures: 0, Errors: 0, Skipped: 0",
            "terror and errorless",
            "error_log = x",
            "src/error.rs",
            "gcc -Werror",
            "default panicle failsafe",
            "undefined",
            "not an erröerror",
        ] {
            assert!(!looks_like_error(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn every_word_has_an_anchor_at_every_place() {
        let phrases = PHRASES.map(|(first, rest)| format!("{first}{rest}"));
        let texts = WORDS
            .into_iter()
            .chain(ENDINGS)
            .chain(phrases.iter().map(String::as_str));
        for text in texts {
            for place in 0..150 {
                let upper = format!("{}{}", "-".repeat(place), text.to_uppercase());
                for tail in [0, 1, 70] {
                    let line = format!("{upper}{}", ".".repeat(tail));
                    let hint = Hints::of(line.as_bytes()).next_from(0).expect(text);
                    assert!(hint >= place && hint < place + text.len());
                }
            }
        }
    }

    #[test]
    fn a_long_line_is_read_at_its_ends() {
        let filler = "x ".repeat(LINE_EDGE_BYTES);
        assert!(looks_like_error(format!("error {filler}").as_bytes()));
        assert!(looks_like_error(format!("{filler} error").as_bytes()));
        assert!(!looks_like_error(
            format!("{filler} error {filler}").as_bytes()
        ));
    }
}
