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

/// Finds a place from `from` on where an error might be named, at memory speed: no line without such a
/// place looks like an error. Gives its index, at or a little before the letters.
pub(super) fn next_hint(bytes: &[u8], from: usize) -> Option<usize> {
    /// Bytes looked at in one step.
    const BLOCK: usize = 64;
    /// The longest anchor reaches so far past its first byte.
    const REACH: usize = 2;
    let mut at = from;
    while let Some(window) = bytes
        .get(at..)
        .and_then(|rest| rest.first_chunk::<{ BLOCK + REACH }>())
    {
        if may_hold_anchor(window)
            && let Some(offset) = anchor(window)
        {
            return Some(at + offset);
        }
        at += BLOCK;
    }
    let rest = bytes.get(at..)?;
    anchor(rest).map(|offset| at + offset)
}

/// Where the first anchor begins. Each way to name an error holds one, in any case:
///
/// `err` error, err! · `fa` fatal, fail, segfault, fault · `pan` panic · `xce` exception · `ceb` traceback
/// · `und` undefined, command not found · `den` denied.
fn anchor(bytes: &[u8]) -> Option<usize> {
    let lower = |at: usize| bytes.get(at).map_or(0, |&byte| byte | 0x20);
    bytes
        .iter()
        .enumerate()
        .position(|(at, &byte)| match byte | 0x20 {
            b'f' => lower(at + 1) == b'a',
            b'e' => lower(at + 1) == b'r' && lower(at + 2) == b'r',
            b'p' => lower(at + 1) == b'a' && lower(at + 2) == b'n',
            b'x' => lower(at + 1) == b'c' && lower(at + 2) == b'e',
            b'c' => lower(at + 1) == b'e' && lower(at + 2) == b'b',
            b'u' => lower(at + 1) == b'n' && lower(at + 2) == b'd',
            b'd' => lower(at + 1) == b'e' && lower(at + 2) == b'n',
            _ => false,
        })
}

/// A quick test that is never wrongly false. Written so that the compiler makes vectors of it: each step
/// without a branch.
fn may_hold_anchor<const N: usize>(window: &[u8; N]) -> bool {
    // Every anchor holds an `r`, an `a`, a `c` or a `d`. Numbers and fillers mostly do not.
    let mut letters = false;
    for &byte in window {
        let lower = byte | 0x20;
        letters |= (lower == b'r') | (lower == b'a') | (lower == b'c') | (lower == b'd');
    }
    if !letters {
        return false;
    }
    let (Some(second), Some(third)) = (window.get(1..), window.get(2..)) else {
        return true;
    };
    let mut found = false;
    for ((&a, &b), &c) in window.iter().zip(second).zip(third) {
        let (a, b, c) = (a | 0x20, b | 0x20, c | 0x20);
        found |= (a == b'f') & (b == b'a')
            | (a == b'e') & (b == b'r') & (c == b'r')
            | (a == b'p') & (b == b'a') & (c == b'n')
            | (a == b'x') & (b == b'c') & (c == b'e')
            | (a == b'c') & (b == b'e') & (c == b'b')
            | (a == b'u') & (b == b'n') & (c == b'd')
            | (a == b'd') & (b == b'e') & (c == b'n');
    }
    found
}

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
