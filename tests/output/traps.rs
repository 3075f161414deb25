//! Outputs on which other wrappers failed, through the whole pipeline.

use bsh::output::{Finished, Masks, OutputPipeline, STDERR_EVIDENCE_BYTES, ViewLimits};
use bsh::runner::Stream::{self, Stderr, Stdout};

const LIMITS: ViewLimits = ViewLimits {
    max_bytes: 30_000,
    max_lines: 2_000,
    head_percent: 20,
};

fn run(chunks: &[(Stream, &[u8])]) -> Finished {
    let mut pipeline = OutputPipeline::new(LIMITS, Masks::default());
    for (stream, bytes) in chunks {
        pipeline.push(*stream, bytes);
    }
    pipeline.finish()
}

/// The whole text of a short output on standard output.
fn text(bytes: impl AsRef<[u8]>) -> String {
    let finished = run(&[(Stdout, bytes.as_ref())]);
    assert_eq!(finished.output.tail, None);
    assert_eq!(finished.output.total_bytes, bytes.as_ref().len() as u64);
    finished.output.head
}

#[test]
fn d1_invalid_utf8_neither_crashes_nor_ends_the_capture() {
    assert_eq!(
        text(b"a\xf0\nb\xff\xfec\nend\n"),
        "a\u{fffd}\nb\u{fffd}\u{fffd}c\nend\n"
    );
}

#[test]
fn d2_a_character_split_over_reads_is_one_character() {
    let finished = run(&[(Stdout, b"\xe2"), (Stdout, b"\x89"), (Stdout, b"\xa4\n")]);
    assert_eq!(finished.output.head, "≤\n");
    assert_eq!(text(b"\xe2\x89"), "\u{fffd}");
}

#[test]
fn d3_utf16_loses_its_nuls() {
    let little: Vec<u8> = "hello\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(text(&little), "hello\n");
    let marked = [b"\xff\xfe".to_vec(), little].concat();
    assert_eq!(text(&marked), "\u{fffd}\u{fffd}hello\n");
}

#[test]
fn d4_nuls_and_binary_floods_leave_no_control_character() {
    assert_eq!(text(b"/etc/a\0/etc/b\0"), "/etc/a/etc/b");
    let mut seed = 1u32;
    let flood: Vec<u8> = (0..3_000_000)
        .map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        })
        .collect();
    let finished = run(&[(Stdout, &flood)]);
    let output = finished.output;
    assert_eq!(output.stdout_bytes, 3_000_000);
    let shown = output.head + &output.tail.unwrap();
    assert!(shown.len() <= LIMITS.max_bytes);
    assert!(
        shown
            .chars()
            .all(|c| !c.is_control() || c == '\n' || c == '\t')
    );
}

#[test]
fn d5_progress_frames_fold_to_the_last_one() {
    let mut pipeline = OutputPipeline::new(LIMITS, Masks::default());
    for n in 0..2_000 {
        pipeline.push(Stdout, format!("\rProgress {}%", n / 20).as_bytes());
    }
    pipeline.push(Stdout, b"\rdone        \n");
    pipeline.push(Stderr, b"ERR\n");
    let output = pipeline.finish().output;
    assert_eq!(output.head, "done        \nERR\n");
    assert_eq!((output.tail, output.omitted_bytes), (None, 0));
    assert_eq!(text("first\rsecond\nthird\n"), "second\nthird\n");
    assert_eq!(text("longline\rok\n"), "okngline\n");
}

#[test]
fn d6_escapes_are_removed_and_eat_no_text() {
    assert_eq!(
        text(
            "\x1b]8;;https://e.x/a(b)\x1b\\label\x1b]8;;\x1b\\ \x1b]0;title\x07T \x1b[31mred\x1b[0m \
             \x1b[38:2:1:2:3mX\x1b[?25h \x1bP1;2q##\x1b\\Z \x1b(B\n"
        ),
        "label T red X Z \n"
    );
    // As in the shell's version of it: `CSI 2K` erases what stands there already.
    assert_eq!(text("label T red X\x1b[2K Z\n"), "              Z\n");
    assert_eq!(
        text("start \x1b]0;never closed\nnext line\n"),
        "start \nnext line\n"
    );
    assert_eq!(text("\u{9b}31mC1\n"), "C1\n");
    let finished = run(&[
        (Stdout, b"a\x1b[3"),
        (Stdout, b"1mb\x1b]0;t"),
        (Stdout, b"x\x07c"),
    ]);
    assert_eq!(finished.output.head, "abc");
}

#[test]
fn d11_memory_does_not_grow_with_the_output() {
    // The allocator is not watched here: what is held shows in what a snapshot costs, and a snapshot of
    // 200 MB would make this test crawl.
    let mut pipeline = OutputPipeline::new(LIMITS, Masks::default());
    let block = vec![b'x'; 65_536];
    for n in 0..3_000 {
        pipeline.push(Stdout, &block);
        if n % 10 == 0 {
            let output = pipeline.clone().finish().output;
            assert_eq!(output.stdout_bytes, (n + 1) * 65_536);
        }
    }
    let output = pipeline.finish().output;
    assert_eq!(output.total_lines, 1);
    assert_eq!(output.head.len() + output.tail.unwrap().len(), 30_000);
}

#[test]
fn d15_windows_lines_are_whole() {
    assert_eq!(text("one\r\ntwo\r\n"), "one\ntwo\n");
    let split = run(&[(Stdout, b"one\r"), (Stdout, b"\ntwo\r\n")]);
    assert_eq!(split.output.head, "one\ntwo\n");
    assert_eq!(split.output.total_lines, 2);
}

#[test]
fn a_line_of_3_mb_is_shown_at_both_ends() {
    let line = "z".repeat(3_000_000);
    for (bytes, newlines) in [(line.clone(), 0), (line + "\n", 1)] {
        let output = run(&[(Stdout, bytes.as_bytes())]).output;
        assert_eq!(output.total_lines, 1);
        assert_eq!(output.head.len(), 6_000);
        let tail = output.tail.unwrap();
        assert_eq!(tail.len(), 24_000);
        assert_eq!(tail.matches('\n').count(), newlines);
        assert_eq!(output.omitted_bytes, bytes.len() as u64 - 30_000);
        assert_eq!(output.omitted_lines, 0);
    }
}

#[test]
fn the_front_of_stderr_is_kept_as_evidence() {
    let finished = run(&[(Stdout, b"out"), (Stderr, b"\xff\x1b[1m"), (Stderr, b"end")]);
    assert_eq!(finished.stderr.bytes, b"\xff\x1b[1mend");
    assert!(!finished.stderr.cut);
    assert_eq!(finished.output.stderr_bytes, 8);
    let whole = vec![b'e'; STDERR_EVIDENCE_BYTES];
    assert!(!run(&[(Stderr, &whole)]).stderr.cut);
    let finished = run(&[(Stderr, &whole), (Stderr, b"x")]);
    assert!(finished.stderr.cut);
    assert_eq!(finished.stderr.bytes, whole);
}

#[test]
fn an_observer_sees_the_whole_masked_text() {
    let masks = Masks::new(["s[a-z]+t"], ["one\ntwo"]).unwrap();
    let mut pipeline = OutputPipeline::new(
        ViewLimits {
            max_bytes: 10,
            ..LIMITS
        },
        masks,
    );
    let mut seen = String::new();
    for piece in ["a sec", "ret\n\x1b[1mone\n", "two three\nlast"] {
        pipeline.push_observed(Stdout, piece.as_bytes(), &mut |text| seen.push_str(text));
    }
    assert_eq!(seen, "a ***\n***\n*** three\n");
    let finished = pipeline.finish_observed(&mut |text| seen.push_str(text));
    assert_eq!(seen, "a ***\n***\n*** three\nlast");
    assert_eq!(finished.output.total_lines, 4);
    assert_eq!(finished.output.tail.as_deref(), Some("last"));
}
