//! The view against the slow one, and its laws.

use bsh::output::{OmittedErrors, View, ViewLimits, Viewed};
use proptest::prelude::*;

use super::model;

fn view<'a>(pieces: impl IntoIterator<Item = &'a str>, limits: ViewLimits) -> Viewed {
    let mut view = View::new(limits);
    for piece in pieces {
        view.push(piece);
    }
    view.finish()
}

/// Cuts a text at about these places, between characters.
fn cut<'a>(text: &'a str, sizes: &[usize]) -> Vec<&'a str> {
    let mut sizes = sizes.iter().cycle();
    let mut rest = text;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(*sizes.next().unwrap()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

fn check(text: &str, sizes: &[usize], limits: ViewLimits) {
    let viewed = view(cut(text, sizes), limits);
    let (head, tail) = model::view(text, limits);
    assert_eq!(viewed.head, head, "head of {text:?} within {limits:?}");
    assert_eq!(viewed.tail, tail, "tail of {text:?} within {limits:?}");
    assert_eq!(viewed.total_lines, model::lines(text));
    assert_eq!(viewed.text_bytes, text.len() as u64);
    let Some(tail) = tail else {
        assert_eq!((viewed.omitted_bytes, viewed.omitted_lines), (0, 0));
        assert_eq!(viewed.errors, OmittedErrors::default());
        return;
    };
    // The laws, said once more without the model.
    assert!(text.starts_with(&head) && text.ends_with(&tail));
    assert!(head.len() + tail.len() <= limits.max_bytes);
    assert!(model::lines(&head) + model::lines(&tail) <= limits.max_lines);
    let omitted = &text[head.len()..text.len() - tail.len()];
    assert!(!omitted.is_empty());
    assert_eq!(viewed.omitted_bytes, omitted.len() as u64);
    assert_eq!(viewed.omitted_lines, omitted.matches('\n').count() as u64);
    assert_eq!(viewed.errors, model::errors(&head, omitted));
}

fn limits() -> impl Strategy<Value = ViewLimits> {
    (1usize..60, 1u64..10, 0u8..=100).prop_map(|(max_bytes, max_lines, head_percent)| ViewLimits {
        max_bytes,
        max_lines,
        head_percent,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn is_the_slow_view(
        text in "(a|é|漢|🚚|\n|\n|error: x|[a-z ]{10}){0,30}",
        sizes in proptest::collection::vec(1usize..12, 1..6),
        limits in limits(),
    ) {
        check(&text, &sizes, limits);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Texts many times the budgets, so that the middle leaves while text still comes.
    #[test]
    fn long_texts_are_the_slow_view(
        parts in proptest::collection::vec(
            ("(a|é\n|漢|ok line\n|an error: x\n|fatal\n|[a-z ]{30})", 1usize..4_000), 1..8),
        sizes in proptest::collection::vec(1usize..30_000, 1..6),
        max_bytes in 1usize..3_000,
        max_lines in 1u64..300,
        head_percent in 0u8..=100,
    ) {
        let text: String = parts.iter().map(|(part, count)| part.repeat(*count)).collect();
        // The slow view tries every place: a budget far from the text's size keeps it bearable.
        let text = &text[..text.floor_char_boundary(150_000)];
        let limits = ViewLimits { max_bytes, max_lines, head_percent };
        let viewed = view(cut(text, &sizes), limits);
        let whole = view([text], limits);
        prop_assert_eq!(&viewed, &whole);
        if let Some(tail) = &viewed.tail {
            let omitted = &text[viewed.head.len()..text.len() - tail.len()];
            prop_assert_eq!(viewed.omitted_lines, omitted.matches('\n').count() as u64);
            prop_assert_eq!(&viewed.errors, &model::errors(&viewed.head, omitted));
        }
        if text.len() < 12_000 {
            check(text, &sizes, limits);
        }
    }
}

#[test]
fn all_of_it_is_in_the_head_up_to_the_last_byte() {
    let limits = ViewLimits {
        max_bytes: 10,
        max_lines: 2,
        head_percent: 20,
    };
    for text in ["", "a", "a\nb\n", "123456789\n", "1234\n678é"] {
        check(text, &[3], limits);
        assert_eq!(view([text], limits).tail, None, "{text:?}");
    }
    for text in ["a\nb\nc", "1234\n6789é", "123456789é", "1234567890\n"] {
        check(text, &[3], limits);
        assert!(view([text], limits).tail.is_some(), "{text:?}");
    }
}

#[test]
fn huge_limits_cost_nothing_before_they_are_used() {
    let limits = ViewLimits {
        max_bytes: usize::MAX,
        max_lines: u64::MAX,
        head_percent: 100,
    };
    let viewed = view(["one\n", "two"], limits);
    assert_eq!(viewed.head, "one\ntwo");
    assert_eq!(viewed.total_lines, 2);
}

#[test]
fn only_what_is_really_omitted_counts_as_an_omitted_error() {
    let limits = ViewLimits {
        max_bytes: 300,
        max_lines: 100,
        head_percent: 20,
    };
    let text = format!(
        "error: in the head\n{}error: left out\n{}error: in the tail\n",
        "x\n".repeat(100),
        "y\n".repeat(100_000)
    );
    let errors = view(cut(&text, &[7_000]), limits).errors;
    assert_eq!(errors.count, 1);
    assert_eq!(errors.lines[0].line, 102);
    assert_eq!(errors.lines[0].text, "error: left out");
}

#[test]
fn the_first_five_and_the_last_five_errors_are_kept() {
    let limits = ViewLimits {
        max_bytes: 100,
        max_lines: 4,
        head_percent: 50,
    };
    let text: String = (1..=1_000)
        .map(|n| format!("line {n} failed {}\n", "é".repeat(300)))
        .collect();
    let errors = view(cut(&text, &[999]), limits).errors;
    // The first and the last line are cut, not shown: what is omitted of them counts where it says so.
    let numbers: Vec<u64> = errors.lines.iter().map(|line| line.line).collect();
    assert_eq!(errors.lines.len(), 10);
    assert_eq!(&numbers[..4], &[2, 3, 4, 5]);
    assert!(
        errors
            .lines
            .iter()
            .all(|line| line.text.chars().count() <= 200)
    );
    assert_eq!(errors.count, 999);
}
