//! The cleaner and the view against slow models of both, over any bytes in any pieces.
#![no_main]

#[path = "../../tests/output/model.rs"]
#[allow(dead_code)]
mod model;
#[path = "../../tests/output/terminal.rs"]
mod terminal;

use bsh::output::{Masks, OutputPipeline, ViewLimits};
use bsh::runner::Stream;
use libfuzzer_sys::fuzz_target;

/// Three bytes for the limits; then pieces: a byte for stream and length, and the bytes of the piece.
fuzz_target!(|bytes: &[u8]| {
    let [max_bytes, max_lines, head_percent, rest @ ..] = bytes else {
        return;
    };
    let limits = ViewLimits {
        max_bytes: 1 + usize::from(*max_bytes),
        max_lines: 1 + u64::from(*max_lines % 32),
        head_percent: *head_percent % 101,
    };
    let chunks = pieces(rest);
    let text = terminal::clean(&chunks);
    let (head, tail) = model::view(&text, limits);

    let mut pipeline = OutputPipeline::new(limits, Masks::default());
    for (stream, bytes) in &chunks {
        pipeline.push(*stream, bytes);
    }
    let output = pipeline.finish().output;
    assert_eq!(output.head, head);
    assert_eq!(output.tail, tail);
    assert_eq!(output.total_lines, model::lines(&text));
    let shown = head.len() + tail.as_ref().map_or(0, String::len);
    assert_eq!(output.omitted_bytes, (text.len() - shown) as u64);
    let raw: usize = chunks.iter().map(|(_, bytes)| bytes.len()).sum();
    assert_eq!(output.total_bytes, raw as u64);
    let control = |char: char| char.is_control() && char != '\n' && char != '\t';
    assert!(!text.contains(control));
});

fn pieces(mut rest: &[u8]) -> Vec<(Stream, Vec<u8>)> {
    let mut chunks = Vec::new();
    while let Some((&first, after)) = rest.split_first() {
        let stream = match first & 1 {
            0 => Stream::Stdout,
            _ => Stream::Stderr,
        };
        let (piece, after) = after.split_at(after.len().min(usize::from(first >> 1)));
        chunks.push((stream, piece.to_vec()));
        rest = after;
    }
    chunks
}
