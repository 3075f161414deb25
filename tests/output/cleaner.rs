//! The cleaner against the slow terminal line, and its laws.

use bsh::output::{Cleaner, EDITABLE_BYTES, MAX_COLUMNS};
use bsh::runner::Stream;
use proptest::prelude::*;

use super::terminal;

pub fn clean(chunks: &[(Stream, Vec<u8>)]) -> String {
    let mut text = String::new();
    let mut cleaner = Cleaner::new();
    for (stream, bytes) in chunks {
        cleaner.push(*stream, bytes, &mut |piece| text.push_str(piece));
    }
    cleaner.finish(&mut |piece| text.push_str(piece));
    text
}

fn clean_str(text: &str) -> String {
    clean(&[(Stream::Stdout, text.as_bytes().to_vec())])
}

/// Pieces of what programs print, well formed and not.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let bytes = |text: &'static str| Just(text.as_bytes().to_vec());
    prop_oneof![
        4 => "[a-c é漢🚚\t]{0,8}".prop_map(String::into_bytes),
        2 => bytes("\n"),
        1 => bytes("\r\n"),
        2 => bytes("\r"),
        2 => bytes("\u{8}"),
        4 => ("[0-9]{0,3}", "(;[0-9]{1,2}|:3|\\?| )?", "[CDGKKK]")
            .prop_map(|(n, more, last)| format!("\x1b[{n}{more}{last}").into_bytes()),
        1 => (0u64..=u64::MAX, "[CDGKm]").prop_map(|(n, last)| format!("\x1b[{n}{last}").into_bytes()),
        1 => "\u{9b}[0-3]?[KGCDm]".prop_map(String::into_bytes),
        1 => bytes("\x1b]0;title\x07"),
        1 => bytes("\x1b]8;;x\x1b\\"),
        1 => bytes("\x1bP1q#\u{9c}"),
        1 => "[\u{80}-\u{9f}]".prop_map(String::into_bytes),
        1 => "\x1b[ -~]".prop_map(String::into_bytes),
        1 => bytes("\x1b(B"),
        1 => bytes("\x1b["),
        1 => proptest::collection::vec(any::<u8>(), 0..6),
        1 => proptest::collection::vec(prop_oneof![Just(0xe2), Just(0x89), Just(0xc2), Just(0x9b),
                Just(0xf0), Just(0x9f), Just(0xed), Just(0xa0)], 0..6),
        1 => "[\x00-\x1f\x7f]{1,3}".prop_map(String::into_bytes),
    ]
}

fn stream() -> impl Strategy<Value = Stream> {
    prop_oneof![3 => Just(Stream::Stdout), 1 => Just(Stream::Stderr)]
}

fn chunks() -> impl Strategy<Value = Vec<(Stream, Vec<u8>)>> {
    proptest::collection::vec((stream(), piece()), 0..40)
}

/// The same bytes in other chunks: cut by `cuts`, then neighbours of one stream joined now and then.
fn cut_again(chunks: &[(Stream, Vec<u8>)], cuts: &[u8]) -> Vec<(Stream, Vec<u8>)> {
    let mut result: Vec<(Stream, Vec<u8>)> = Vec::new();
    let mut cuts = cuts.iter().cycle();
    for (stream, bytes) in chunks {
        for byte in bytes {
            let join = cuts.next().is_none_or(|cut| cut % 3 != 0);
            match result.last_mut() {
                Some((last, joined)) if last == stream && join => joined.push(*byte),
                _ => result.push((*stream, vec![*byte])),
            }
        }
    }
    result
}

fn assert_clean(text: &str) {
    let control = text
        .chars()
        .find(|&c| c.is_control() && c != '\n' && c != '\t');
    assert_eq!(control, None, "in {text:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn is_the_slow_terminal(chunks in chunks(), cuts in proptest::collection::vec(any::<u8>(), 1..20)) {
        let expected = terminal::clean(&chunks);
        prop_assert_eq!(&clean(&chunks), &expected);
        prop_assert_eq!(&clean(&cut_again(&chunks, &cuts)), &expected);
        assert_clean(&expected);
        prop_assert_eq!(clean_str(&expected), expected);
    }

    #[test]
    fn a_snapshot_changes_nothing(chunks in chunks(), at in 0usize..40) {
        let mut text = String::new();
        let mut cleaner = Cleaner::new();
        let at = at.min(chunks.len());
        for (stream, bytes) in &chunks[..at] {
            cleaner.push(*stream, bytes, &mut |piece| text.push_str(piece));
        }
        let mut snapshot = text.clone();
        cleaner.clone().finish(&mut |piece| snapshot.push_str(piece));
        prop_assert_eq!(snapshot, terminal::clean(&chunks[..at]));
        for (stream, bytes) in &chunks[at..] {
            cleaner.push(*stream, bytes, &mut |piece| text.push_str(piece));
        }
        cleaner.finish(&mut |piece| text.push_str(piece));
        prop_assert_eq!(text, terminal::clean(&chunks));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Long runs, so that the line passes what is editable, in chunks of many sizes.
    #[test]
    fn long_lines_are_the_slow_terminal(
        runs in proptest::collection::vec(
            (prop_oneof![Just("x"), Just("é"), Just("漢"), Just("ab\n"), Just("x\u{9b}m")], 1usize..70_000, piece()),
            1..4,
        ),
        size in prop_oneof![Just(1usize << 20), Just(4096), 1_000usize..70_000],
    ) {
        let mut bytes = Vec::new();
        for (text, count, piece) in runs {
            bytes.extend(text.repeat(count).bytes());
            bytes.extend(piece);
        }
        let chunks: Vec<_> = bytes.chunks(size).map(|part| (Stream::Stdout, part.to_vec())).collect();
        let expected = terminal::clean(&chunks);
        prop_assert!(clean(&chunks) == expected);
    }
}

#[test]
fn every_byte_alone_and_all_together() {
    let all: Vec<u8> = (0..=255).collect();
    let chunks = [(Stream::Stdout, all.clone())];
    assert_eq!(clean(&chunks), terminal::clean(&chunks));
    for byte in all {
        for text in [vec![byte], vec![b'a', byte, b'b', b'\n']] {
            let chunks = [(Stream::Stderr, text)];
            assert_eq!(clean(&chunks), terminal::clean(&chunks), "{byte:#x}");
            assert_clean(&clean(&chunks));
        }
    }
}

#[test]
fn invalid_bytes_are_replaced_as_std_does() {
    let samples: [&[u8]; 7] = [
        b"a\xf0\nb\xff\xfec\n",
        b"\xed\xa0\x80 surrogate",
        b"\xc0\x80 overlong",
        b"\xf4\x90\x80\x80 too high",
        b"\xe2\x89",
        b"\xf0\x9f\x9a",
        b"\xe2\x89x\xe2\x89\xe2\x89\xa4",
    ];
    for sample in samples {
        let expected = String::from_utf8_lossy(sample);
        assert_eq!(clean(&[(Stream::Stdout, sample.to_vec())]), expected);
        let bytes: Vec<_> = sample.iter().map(|b| (Stream::Stdout, vec![*b])).collect();
        assert_eq!(clean(&bytes), expected);
    }
}

#[test]
fn streams_share_the_line_but_not_what_is_unfinished() {
    use Stream::{Stderr, Stdout};
    let chunks = [
        (Stdout, b"\xe2\x89".to_vec()),
        (Stderr, b"E\x1b[3".to_vec()),
        (Stdout, b"\xa4 \x1b]0;t".to_vec()),
        (Stderr, b"1mF".to_vec()),
        (Stdout, b"itle\x07.\rX\n".to_vec()),
    ];
    assert_eq!(clean(&chunks), "X≤ F.\n");
}

#[test]
fn a_progress_bar_of_3_mb_leaves_three_lines() {
    let mut text = String::from("before\n");
    let mut count = 0;
    while text.len() < 3_000_000 {
        count += 1;
        text += &format!("\r[{:<40}] {count}", "=".repeat(count % 41));
    }
    text += "\r\x1b[Kdone\nafter\n";
    assert_eq!(clean_str(&text), "before\ndone\nafter\n");
}

#[test]
fn node_tools_redraw_their_line() {
    let frames: String = (0..5_000)
        .map(|n| format!("\x1b[2K\x1b[1Gframe {n}"))
        .collect();
    assert_eq!(
        clean_str(&format!("a\n{frames}\nb\n")),
        "a\nframe 4999\nb\n"
    );
    assert_eq!(clean_str("old text\x1b[1G\x1b[2Knew"), "new");
    assert_eq!(clean_str("old\x1b[2Knew"), "   new");
}

#[test]
fn erasures_leave_no_blanks_at_the_end() {
    assert_eq!(clean_str("text   \x1b[3D\x1b[K\n"), "text\n");
    assert_eq!(clean_str("a\x1b[5Cb\x1b[D\x1b[K\n"), "a\n");
    assert_eq!(clean_str("abc\x1b[1K\n"), "\n");
    assert_eq!(clean_str("abcdef\x1b[3G\x1b[1K\n"), "   def\n");
    // Blanks that were printed are text.
    assert_eq!(clean_str("done   \n"), "done   \n");
    assert_eq!(clean_str("a\x1b[20C\n"), "a\n");
}

#[test]
fn a_move_far_right_is_bounded() {
    let text = clean_str("a\x1b[999999999Cb\x1b[99999999999999999999999Gc\n");
    assert_eq!(text.len(), MAX_COLUMNS + 3);
    assert!(text.ends_with("bc\n"));
}

#[test]
fn a_line_is_editable_in_its_last_part() {
    let old = "o".repeat(1_000);
    let new = "n".repeat(EDITABLE_BYTES);
    assert_eq!(
        clean_str(&format!("{old}{new}\rX\n")),
        format!("{old}X{}\n", &new[1..])
    );
}

#[test]
fn format_characters_and_separators_are_text() {
    let text = "\u{feff}a\u{200d}b\u{202e}c\u{2028}d\u{2029}e\u{ad}\n";
    assert_eq!(clean_str(text), text);
}

#[test]
fn a_long_line_with_and_without_its_newline() {
    let line = "é".repeat(1_500_000);
    assert!(clean_str(&line) == line);
    let line = format!("{line}\n");
    assert!(clean_str(&line) == line);
}

#[test]
fn sequences_are_cancelled_and_begun_anew() {
    assert_eq!(clean_str("\x1b[31\x18m"), "m");
    assert_eq!(clean_str("\x1b[31\x1am"), "m");
    assert_eq!(clean_str("\x1b[31\x1b[32mx"), "x");
    assert_eq!(clean_str("\x1b]0;t\x1b[32mx"), "x");
    assert_eq!(clean_str("\x1b]0;t\u{9b}32mx"), "x");
    assert_eq!(clean_str("\x1b]0;t\u{9c}x"), "x");
    assert_eq!(clean_str("ab\x1b[\r31mX"), "Xb");
    assert_eq!(clean_str("\x1b[3éx"), "éx");
    assert_eq!(clean_str("\x1bP a\x07b \x1b\\x"), "x");
    assert_eq!(clean_str("up\x1b[A\x1b[2B\x1b[H\x1b[Jdown"), "updown");
}
