//! The masks against the slow ones, and what must never get out.

use bsh::output::{Masker, Masks, WINDOW_BYTES};
use proptest::prelude::*;
use regex::Regex;

use super::model;

fn masks(patterns: &[&str], values: &[&str]) -> Masks {
    Masks::new(patterns, values).unwrap()
}

fn mask<'a>(masks: &Masks, pieces: impl IntoIterator<Item = &'a str>) -> String {
    let mut masked = String::new();
    let mut masker = Masker::new(masks.clone());
    for piece in pieces {
        masker.push(piece, &mut |text| masked.push_str(text));
    }
    masker.finish(&mut |text| masked.push_str(text));
    masked
}

fn letters(text: &str) -> Vec<&str> {
    text.split_inclusive(|_| true).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn is_the_slow_mask(
        text in "(a|b|ab|é|\n|aab\nb){0,20}",
        values in proptest::collection::vec("[abé]([abé\n]{0,4}[abé])?", 0..3),
        pattern in prop_oneof![Just(None), Just(Some("a+b")), Just(Some("^b")), Just(Some("b$")),
            Just(Some("x*")), Just(Some("")), Just(Some("é|\\b")), Just(Some("a\nb"))],
        sizes in proptest::collection::vec(1usize..6, 1..4),
    ) {
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let rules = masks(pattern.as_slice(), &values);
        let regex = pattern.map(|pattern| Regex::new(pattern).unwrap());
        let expected = model::mask(&text, regex.as_ref(), &values);
        let whole = rules.mask_str(&text);
        prop_assert_eq!(whole.as_ref(), &expected);
        prop_assert_eq!(mask(&rules, letters(&text)), expected.clone());
        let mut rest = text.as_str();
        let mut pieces = Vec::new();
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at(rest.ceil_char_boundary(*size));
            pieces.push(piece);
            rest = after;
        }
        prop_assert_eq!(mask(&rules, pieces), expected);
        prop_assert_eq!(whole.matches('\n').count(), text.matches('\n').count());
    }
}

const KEY: &str =
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkq\n\nhkiG9w0\n-----END PRIVATE KEY-----\n";

#[test]
fn a_key_of_several_lines_is_hidden_however_it_is_cut() {
    let rules = masks(&[], &[KEY]);
    let text = format!("key: {KEY}after\nkq\n");
    let expected = "key: ***\n***\n***\n\n***\n***\nafter\nkq\n";
    assert_eq!(rules.mask_str(&text), expected);
    for size in 1..40 {
        let pieces = text.as_bytes().chunks(size);
        let pieces = pieces.map(|piece| std::str::from_utf8(piece).unwrap());
        assert_eq!(mask(&rules, pieces), expected);
    }
    // A part of it: the lines that say something are hidden, and what was held back comes at the end.
    assert_eq!(rules.mask_str("MIIEvQIBADANBg\nkq"), "***\nkq");
    let began = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkq\n\nhk";
    assert_eq!(rules.mask_str(began), "***\n***\nkq\n\nhk");
    // Printed by a tool of Windows, before it is cleaned.
    let windows = KEY.replace('\n', "\r\n");
    let rules = masks(&[], &[windows.as_str()]);
    assert!(!rules.mask_str(&windows).contains("kq"));
    assert_eq!(rules.mask_str(&text), expected);
}

#[test]
fn text_flows_on_when_no_value_may_have_begun() {
    let mut seen = String::new();
    let mut masker = Masker::new(masks(&[], &["one\ntwo"]));
    masker.push("zero\n", &mut |text| seen.push_str(text));
    assert_eq!(seen, "zero\n");
    masker.push("one\n", &mut |text| seen.push_str(text));
    assert_eq!(seen, "zero\n");
    masker.push("three\n", &mut |text| seen.push_str(text));
    assert_eq!(seen, "zero\none\nthree\n");
}

#[test]
fn overlapping_values_leave_no_end() {
    assert_eq!(masks(&[], &["abcd", "cdef"]).mask_str("abcdef"), "***");
    assert_eq!(masks(&[], &["aaa"]).mask_str("aaaa"), "***");
    assert_eq!(masks(&["b+"], &["ab"]).mask_str("abbbc"), "***c");
    assert_eq!(masks(&[r"\d"], &[]).mask_str("a12"), "a******");
}

#[test]
fn secrets_in_a_long_line_are_hidden_wherever_they_are() {
    let rules = masks(&["token=[a-z]{30}"], &["hunter2-hunter2"]);
    let token = format!("token={}", "q".repeat(30));
    for place in (WINDOW_BYTES - 200..WINDOW_BYTES + 200).step_by(7) {
        let filler = "é.".repeat(place / 3);
        let pad = "-".repeat(place % 3);
        let text = format!("{filler}{pad}{token}|hunter2-hunter2{filler}{filler}end\n");
        let expected = format!("{filler}{pad}***|***{filler}{filler}end\n");
        assert!(rules.mask_str(&text) == expected, "at {place}");
        let (front, back) = text.split_at(text.ceil_char_boundary(WINDOW_BYTES));
        assert!(mask(&rules, [front, back]) == expected, "at {place}");
    }
}

#[test]
fn a_match_longer_than_a_window_is_hidden_whole_while_it_can_be_seen() {
    let rules = masks(&[r"\S+"], &[]);
    let text = format!("{} b {}\n", "x".repeat(300_000), "y".repeat(70_000));
    assert_eq!(rules.mask_str(&text), "*** *** ***\n");
    let rules = masks(&["key=.+"], &[]);
    let text = format!("{}key={}", "x".repeat(60_000), "y".repeat(60_000));
    assert!(rules.mask_str(&text) == format!("{}***", "x".repeat(60_000)));
}

#[test]
fn long_values_are_hidden_in_pieces() {
    let value = "0123456789abcdef".repeat(10_000);
    let text = format!("<{value}>");
    let masked = masks(&[], &[value.as_str()]).mask_str(&text).into_owned();
    assert!(!masked.contains("0123"), "{} bytes left", masked.len());
    let lines = "a line of it\n".repeat(2_000);
    let rules = masks(&[], &[lines.as_str()]);
    assert!(!rules.mask_str(&lines).contains("line"));
}

#[test]
fn no_masks_cost_nothing() {
    let none = Masks::default();
    assert!(none.is_empty());
    assert!(matches!(
        none.mask_str("text"),
        std::borrow::Cow::Borrowed("text")
    ));
    assert!(masks(&[], &["", "\n"]).is_empty());
}

#[test]
fn a_bad_pattern_is_refused_in_one_line_without_being_shown() {
    let error = Masks::new(["ok", "hunter2("], ["x"]).unwrap_err();
    assert_eq!(error.number, 2);
    let text = error.to_string();
    assert!(!text.contains("hunter2") && !text.contains('\n'), "{text}");
    let error = Masks::new([r"\w{9999}{9999}"], [""]).unwrap_err();
    assert!(!error.to_string().contains('\n'), "{error}");
}
