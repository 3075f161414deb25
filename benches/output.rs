//! How fast bytes become a view, in MB/s. `cargo bench --bench output [WORD]` runs those whose name holds it.
//!
//! A plain program: the figures are for a person who compares two states of the code on one machine.

use std::hint::black_box;
use std::time::{Duration, Instant};

use bsh::output::{Cleaner, Masker, Masks, OutputPipeline, View, ViewLimits};
use bsh::runner::Stream;

/// What a pipe gives at most in one read.
const CHUNK: usize = 64 * 1024;

/// Input made once and fed again until this much went through.
const VOLUME: usize = 512 * 1024 * 1024;

const LIMITS: ViewLimits = ViewLimits {
    max_bytes: 30_000,
    max_lines: 2_000,
    head_percent: 20,
};

fn main() {
    let word = std::env::args()
        .skip(1)
        .find(|arg| !arg.starts_with('-'))
        .unwrap_or_default();
    for (name, input) in inputs() {
        if !name.contains(&word) {
            continue;
        }
        let clean = rate(&input, |chunks| {
            let mut cleaner = Cleaner::new();
            for chunk in chunks {
                cleaner.push(Stream::Stdout, chunk, &mut |text| {
                    black_box(text);
                });
            }
        });
        let text = std::str::from_utf8(&input).unwrap_or_default();
        let view = rate_text(text, |pieces| {
            let mut view = View::new(LIMITS);
            pieces.for_each(|piece| view.push(piece));
            black_box(view.finish());
        });
        let all = rate(&input, |chunks| {
            let mut pipeline = OutputPipeline::new(LIMITS, Masks::default());
            for chunk in chunks {
                pipeline.push(Stream::Stdout, chunk);
            }
            black_box(pipeline.finish());
        });
        let mask = rate_text(text, |pieces| {
            let masks = Masks::new(["token=\\S+"], ["hunter2 hunter2"]).unwrap_or_default();
            let mut masker = Masker::new(masks);
            for piece in pieces {
                masker.push(piece, &mut |text| {
                    black_box(text);
                });
            }
        });
        println!(
            "{name:16} clean {clean:6.0}  view {view:6.0}  all {all:6.0}  mask {mask:6.0} MB/s"
        );
    }
}

fn inputs() -> Vec<(&'static str, Vec<u8>)> {
    let repeat = |text: &str| text.repeat(4 * 1024 * 1024 / text.len()).into_bytes();
    vec![
        ("one line", vec![b'x'; 4 * 1024 * 1024]),
        ("two-byte lines", repeat("y\n")),
        (
            "numbers",
            (1_000_000..1_500_000)
                .flat_map(|number: u32| format!("{number}\n").into_bytes())
                .collect(),
        ),
        (
            "log",
            repeat(
                "2026-01-01T00:00:00Z INFO  server::handler request=42 path=/api/v1/items took 13 ms\n",
            ),
        ),
        (
            "prose",
            repeat(
                "The cat sat on the mat, and a dense panel of independent faces found an undue fault in it.\n",
            ),
        ),
        (
            "coloured",
            repeat("\x1b[32m   Compiling\x1b[0m serde v1.0.0 \x1b[1;34m(/path)\x1b[0m\n"),
        ),
        (
            "short colours",
            repeat("\x1b[31mred\x1b[0m \x1b[32mgreen\x1b[0m\n"),
        ),
        (
            "grep colours",
            repeat(
                "\x1b[35m\x1b[Ksrc/lib.rs\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[Kfn \x1b[01;31m\x1b[Kmain\x1b[m\x1b[K() {}\n",
            ),
        ),
        ("crlf", repeat("one line of a windows tool\r\n")),
        (
            "german",
            repeat("Größe überschreitet die zulässige Länge für «Übertragung»\n"),
        ),
        ("japanese", repeat("吾輩は猫である。名前はまだ無い。\n")),
        ("progress", repeat("\r[=========>          ] 45% of 100 MB")),
        ("errors", repeat("error: something went wrong here\nok\n")),
        ("zeros", vec![0; 4 * 1024 * 1024]),
        (
            "binary",
            (0..4 * 1024 * 1024u32)
                .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
                .collect(),
        ),
    ]
}

/// Feeds chunks until the volume is through, three times, and gives the best rate.
fn rate(input: &[u8], run: impl Fn(&mut dyn Iterator<Item = &[u8]>)) -> f64 {
    let chunks: Vec<&[u8]> = input.chunks(CHUNK).collect();
    best(&chunks, input.len(), run)
}

/// The same for text, cut between characters; 0 for input that is none.
fn rate_text(input: &str, run: impl Fn(&mut dyn Iterator<Item = &str>)) -> f64 {
    let mut rest = input;
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(rest.floor_char_boundary(CHUNK));
        chunks.push(chunk);
        rest = after;
    }
    best(&chunks, input.len(), run)
}

fn best<T: Copy>(chunks: &[T], len: usize, run: impl Fn(&mut dyn Iterator<Item = T>)) -> f64 {
    let rounds = VOLUME.checked_div(len).unwrap_or(0);
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        run(&mut (0..rounds).flat_map(|_| chunks.iter().copied()));
        best = best.min(start.elapsed());
    }
    (rounds * len) as f64 / best.as_secs_f64() / 1e6
}
