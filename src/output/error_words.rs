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

/// Ends of type names, in this case only.
const ENDINGS: [&str; 3] = ["Error", "Exception", "Failure"];

/// Whether a line, without its newline, looks like an error.
///
/// Of a line longer than twice [`LINE_EDGE_BYTES`] the first and the last of them are read, each as if it
/// were a line.
pub fn looks_like_error(line: &[u8]) -> bool {
    match edges(line) {
        Some((first, last)) => tokens_look_like_error(first) || tokens_look_like_error(last),
        None => tokens_look_like_error(line),
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

fn tokens_look_like_error(text: &[u8]) -> bool {
    let mut before: &[u8] = b"";
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&byte| is_word(byte)) {
        let (gap, from) = rest.split_at_checked(at).unwrap_or((rest, b""));
        let len = from.iter().take_while(|&&byte| is_word(byte)).count();
        let (word, after) = from.split_at_checked(len).unwrap_or((from, b""));
        if names_error(word, after) && !counts_nothing(before, gap, after) && !is_file(after) {
            return true;
        }
        (before, rest) = (word, after);
    }
    false
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
fn counts_nothing(before: &[u8], gap: &[u8], after: &[u8]) -> bool {
    let only_spaces = !gap.is_empty() && gap.iter().all(|&byte| byte == b' ');
    if only_spaces && (before == b"0" || before.eq_ignore_ascii_case(b"no")) {
        return true;
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

/// Finds a place from `from` on where an error may be named, at memory speed: a line without such a place
/// does not look like one. Gives the index of one byte of the name.
pub(super) fn next_hint(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(window) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        if let Some(flags) = anchors(window) {
            let (words, _) = flags.as_chunks::<8>();
            for (index, word) in words.iter().enumerate() {
                let mut word = u64::from_le_bytes(*word);
                while word != 0 {
                    let place = at + index * 8 + (word.trailing_zeros() / 8) as usize;
                    if is_hint(bytes, place) {
                        return Some(place);
                    }
                    word &= word - 1;
                }
            }
        }
        at += BLOCK;
    }
    (at..bytes.len()).find(|&at| is_hint(bytes, at))
}

/// Bytes looked at in one step.
const BLOCK: usize = 64;

/// A block and the bytes after it that an anchor at its end reaches into.
type Window = [u8; BLOCK + 2];

/// Marks with 1 where an anchor begins, in any case: `err`, `fa`, `pan`, `xce`, `ceb`, `und`, `den`.
///
/// Written without a branch in its loops, so that the compiler makes vector operations of them. It may
/// mark a place too many, since it folds case with one bit, and never one too few.
fn anchors(window: &Window) -> Option<[u8; BLOCK]> {
    // Every anchor holds an `r`, an `a`, a `c` or a `d`. Numbers and fillers mostly do not.
    let mut letters = false;
    for &byte in window {
        let lower = byte | 0x20;
        letters |= (lower == b'r') | (lower == b'a') | (lower == b'c') | (lower == b'd');
    }
    if !letters {
        return None;
    }
    let second = window.get(1..)?;
    let third = window.get(2..)?;
    let mut flags = [0; BLOCK];
    let mut any = 0;
    for (((flag, &a), &b), &c) in flags.iter_mut().zip(window).zip(second).zip(third) {
        let (a, b, c) = (a | 0x20, b | 0x20, c | 0x20);
        let found = (a == b'f') & (b == b'a')
            | (a == b'e') & (b == b'r') & (c == b'r')
            | (a == b'p') & (b == b'a') & (c == b'n')
            | (a == b'x') & (b == b'c') & (c == b'e')
            | (a == b'c') & (b == b'e') & (c == b'b')
            | (a == b'u') & (b == b'n') & (c == b'd')
            | (a == b'd') & (b == b'e') & (c == b'n');
        *flag = u8::from(found);
        any |= *flag;
    }
    (any != 0).then_some(flags)
}

/// Every way to name an error, split at its anchor: the first two or three letters of the second part,
/// which [`anchors`] looks for. The second part ends its word, in any case of its letters; what
/// comes before the first does not matter here.
const HINTS: [(&[u8], &[u8]); 20] = [
    (b"", b"err"),
    (b"", b"error"),
    (b"", b"errors"),
    (b"", b"fatal"),
    (b"", b"fail"),
    (b"", b"fails"),
    (b"", b"failed"),
    (b"", b"failure"),
    (b"", b"failures"),
    (b"seg", b"fault"),
    (b"segmentation ", b"fault"),
    (b"", b"panic"),
    (b"", b"panics"),
    (b"", b"panicked"),
    (b"e", b"xception"),
    (b"e", b"xceptions"),
    (b"tra", b"ceback"),
    (b"", b"undefined"),
    (b"not fo", b"und"),
    (b"permission ", b"denied"),
];

/// Whether one of [`HINTS`] has its second part here.
fn is_hint(bytes: &[u8], at: usize) -> bool {
    let rest = bytes.get(at..).unwrap_or_default();
    let len = rest
        .iter()
        .take(LONGEST_HINT + 1)
        .take_while(|&&byte| is_word(byte))
        .count();
    // Most anchors are inside other words, so the length is asked first.
    HINTS
        .iter()
        .filter(|(_, from)| from.len() == len)
        .any(|(before, from)| {
            rest.get(..len)
                .is_some_and(|text| text.eq_ignore_ascii_case(from))
                && at
                    .checked_sub(before.len())
                    .and_then(|start| bytes.get(start..at))
                    .is_some_and(|text| text.eq_ignore_ascii_case(before))
        })
}

/// The length of the longest second part in [`HINTS`].
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
            assert!(next_hint(line.as_bytes(), 0).is_some(), "{line}");
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
                    let hint = next_hint(line.as_bytes(), 0).expect(text);
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
