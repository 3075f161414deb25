//! The view and the masks over a whole text at once: slow and obvious.

use bsh::output::{
    KEPT_CHARS, KEPT_LINES, OmittedErrors, OmittedLine, ViewLimits, looks_like_error,
};

/// How many lines a text has; a last one without newline counts.
pub fn lines(text: &str) -> u64 {
    text.split_inclusive('\n').count() as u64
}

/// The head and the tail of a text.
pub fn view(text: &str, limits: ViewLimits) -> (String, Option<String>) {
    if text.len() <= limits.max_bytes && lines(text) <= limits.max_lines {
        return (text.to_owned(), None);
    }
    let percent = u64::from(limits.head_percent);
    let head_bytes = limits.max_bytes * percent as usize / 100;
    let head_lines = limits.max_lines * percent / 100;
    let (tail_bytes, tail_lines) = (limits.max_bytes - head_bytes, limits.max_lines - head_lines);
    let places = || (0..=text.len()).filter(|&at| text.is_char_boundary(at));

    let mut head = places()
        .map(|at| &text[..at])
        .filter(|part| part.len() <= head_bytes && lines(part) <= head_lines)
        .max_by_key(|part| part.len())
        .unwrap();
    if let Some(at) = head.rfind('\n')
        && (at + 1) * 2 >= head_bytes
    {
        head = &head[..at + 1];
    }

    let start = places()
        .find(|&at| text.len() - at <= tail_bytes && lines(&text[at..]) <= tail_lines)
        .unwrap();
    let mut tail = &text[start..];
    let begins_a_line = start == 0 || text[..start].ends_with('\n');
    if !begins_a_line
        && let Some(at) = tail.find('\n')
        && (tail.len() - at - 1) * 2 >= tail_bytes
        && at + 1 < tail.len()
    {
        tail = &tail[at + 1..];
    }
    (head.to_owned(), Some(tail.to_owned()))
}

/// The lines of the omitted text that look like errors; `before` is what comes before it.
pub fn errors(before: &str, omitted: &str) -> OmittedErrors {
    let first = before.matches('\n').count() as u64 + 1;
    let found: Vec<OmittedLine> = omitted
        .split('\n')
        .zip(first..)
        .filter(|(line, _)| looks_like_error(line.as_bytes()))
        .map(|(line, number)| OmittedLine {
            line: number,
            text: line.chars().take(KEPT_CHARS).collect(),
        })
        .collect();
    let last = found.len().saturating_sub(KEPT_LINES).max(KEPT_LINES);
    OmittedErrors {
        count: found.len() as u64,
        lines: found
            .iter()
            .enumerate()
            .filter(|(index, _)| *index < KEPT_LINES || *index >= last)
            .map(|(_, line)| line.clone())
            .collect(),
    }
}

/// A text with these values and all matches of this pattern hidden.
pub fn mask(text: &str, pattern: Option<&regex::Regex>, values: &[&str]) -> String {
    let mut hits = Vec::new();
    for value in values {
        for (at, _) in text.char_indices() {
            if text[at..].starts_with(value) {
                hits.push((at, at + value.len()));
            }
        }
    }
    let mut start = 0;
    for line in text.split('\n') {
        if let Some(pattern) = pattern {
            hits.extend(
                pattern
                    .find_iter(line)
                    .map(|hit| (start + hit.start(), start + hit.end())),
            );
        }
        start += line.len() + 1;
    }
    // Newlines stay: a hit is its parts between them.
    let mut parts: Vec<(usize, usize)> = hits
        .iter()
        .flat_map(|&(from, to)| {
            let mut at = from;
            text[from..to].split('\n').map(move |part| {
                let start = at;
                at += part.len() + 1;
                (start, start + part.len())
            })
        })
        .filter(|(from, to)| from < to)
        .collect();
    parts.sort_unstable();
    let mut masked = String::new();
    let mut at = 0;
    for (from, to) in parts {
        if from >= at {
            masked.push_str(&text[at..from]);
            masked.push_str("***");
        }
        at = at.max(to);
    }
    masked.push_str(&text[at..]);
    masked
}
