//! What a program answered, read strictly: nothing that is not understood is passed over.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use crate::hooks::{AfterRunAnswer, AuthorizeAnswer, BeforeRunAnswer, HookFailure};
use crate::messages::{cut_to, one_line};
use crate::report::{Note, ShellOutput};
use crate::request::place_of_number_too_large;

const BEFORE_RUN: &str =
    r#"Expected {"allow":true,"command"?,"notes"?} or {"allow":false,"note"?}"#;
const AUTHORIZE: &str = r#"Expected {"allow":true,"notes"?} or {"allow":false,"note"?}"#;
const AFTER_RUN: &str = r#"Expected {"output"?,"notes"?}"#;

/// Every key that either answer before a run may have; which fit together is checked afterwards.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Before {
    allow: bool,
    #[serde(default, deserialize_with = "given")]
    command: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    notes: Option<Option<Vec<Note>>>,
    #[serde(default, deserialize_with = "given")]
    note: Option<Option<Note>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct After {
    output: Option<ShellOutput>,
    notes: Option<Vec<Note>>,
}

/// Tells a key that is null, which counts as absent, from one that is not there.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

pub(super) fn before_run(answer: &[u8]) -> Result<BeforeRunAnswer, HookFailure> {
    let read: Before = parse(answer, BEFORE_RUN)?;
    if read.allow {
        no_key("note", read.note.is_some(), true, BEFORE_RUN)?;
        let command = read.command.flatten();
        if command.as_ref().is_some_and(|it| it.trim().is_empty()) {
            let sentence = "it answered a blank command. Expected a shell command";
            return Err(HookFailure::new(sentence));
        }
        let notes = read.notes.flatten().unwrap_or_default();
        return Ok(BeforeRunAnswer::Allow { command, notes });
    }
    no_key("command", read.command.is_some(), false, BEFORE_RUN)?;
    no_key("notes", read.notes.is_some(), false, BEFORE_RUN)?;
    let note = read.note.flatten();
    Ok(BeforeRunAnswer::Refuse { note })
}

pub(super) fn authorize(answer: &[u8]) -> Result<AuthorizeAnswer, HookFailure> {
    let read: Before = parse(answer, AUTHORIZE)?;
    no_key("command", read.command.is_some(), read.allow, AUTHORIZE)?;
    if read.allow {
        no_key("note", read.note.is_some(), true, AUTHORIZE)?;
        let notes = read.notes.flatten().unwrap_or_default();
        return Ok(AuthorizeAnswer::Allow { notes });
    }
    no_key("notes", read.notes.is_some(), false, AUTHORIZE)?;
    let note = read.note.flatten();
    Ok(AuthorizeAnswer::Deny { note })
}

pub(super) fn after_run(answer: &[u8]) -> Result<AfterRunAnswer, HookFailure> {
    let read: After = parse(answer, AFTER_RUN)?;
    Ok(AfterRunAnswer {
        output: read.output,
        notes: read.notes,
    })
}

fn no_key(key: &str, is_there: bool, allow: bool, expected: &str) -> Result<(), HookFailure> {
    match is_there {
        false => Ok(()),
        true => Err(HookFailure::new(format!(
            "its answer has the key {key} beside allow {allow}. {expected}"
        ))),
    }
}

fn parse<T: DeserializeOwned>(answer: &[u8], expected: &str) -> Result<T, HookFailure> {
    let failed = |what: String| HookFailure::new(format!("{what}. {expected}"));
    let answer = answer.strip_prefix("\u{feff}".as_bytes()).unwrap_or(answer);
    if answer.iter().all(u8::is_ascii_whitespace) {
        return Err(failed("it answered nothing".to_owned()));
    }
    let words = |error: serde_json::Error| {
        if let Some(place) = place_of_number_too_large(&error) {
            return failed(format!(
                "its answer has a number that is too large at {place}"
            ));
        }
        let kind = match error.classify() {
            serde_json::error::Category::Data => "is not as expected",
            _ => "is not valid JSON",
        };
        let detail = cut_to(&one_line(&error.to_string()), 200);
        failed(format!("its answer {kind}: {detail}"))
    };
    // A struct can also be read from a list, which is no object.
    if answer.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[') {
        return Err(failed("its answer is a list".to_owned()));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(answer);
    let read = T::deserialize(&mut deserializer).map_err(words)?;
    match deserializer.end() {
        Ok(()) => Ok(read),
        Err(_) => Err(failed(
            "its answer is followed by something else".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_strictly() {
        let cases = [
            ("", "it answered nothing"),
            (" \n", "it answered nothing"),
            ("{", "its answer is not valid JSON: EOF while parsing"),
            ("[true]", "its answer is a list"),
            ("{}", "its answer is not as expected: missing field `allow`"),
            (
                r#"{"allow":"yes"}"#,
                "its answer is not as expected: invalid type: string",
            ),
            (
                r#"{"allow":true,"comand":"x"}"#,
                "its answer is not as expected: unknown field `comand`",
            ),
            (
                r#"{"allow":true,"allow":false}"#,
                "its answer is not as expected: duplicate field",
            ),
            (
                r#"{"allow":false,"note":{"code":"a","severity":"info","message":"","data":1e400}}"#,
                "its answer has a number that is too large at line 1 column 77",
            ),
            (
                r#"{"allow":true} x"#,
                "its answer is followed by something else",
            ),
            (
                r#"{"allow":true,"note":null}"#,
                "its answer has the key note beside allow true",
            ),
            (
                r#"{"allow":false,"command":"x"}"#,
                "its answer has the key command beside allow false",
            ),
            (
                r#"{"allow":true,"command":" "}"#,
                "it answered a blank command",
            ),
            (
                r#"{"allow":true,"notes":[{"code":"a","severity":"bad","message":""}]}"#,
                "its answer is not as expected: unknown variant `bad`",
            ),
        ];
        for (text, begins) in cases {
            let detail = before_run(text.as_bytes()).expect_err(text).detail;
            assert!(detail.starts_with(begins), "{text}: {detail}");
            assert!(detail.contains(". Expected "), "{text}: {detail}");
        }
        let rewrite = authorize(br#"{"allow":true,"command":"x"}"#).expect_err("no rewrite here");
        assert!(
            rewrite.detail.contains("has the key command"),
            "{}",
            rewrite.detail
        );
        assert!(after_run(br#"{"allow":true}"#).is_err());
    }

    #[test]
    fn a_byte_order_mark_is_passed_over() {
        assert_eq!(
            before_run("\u{feff}{\"allow\":true}".as_bytes()),
            Ok(BeforeRunAnswer::allow())
        );
    }

    #[test]
    fn null_is_absent() {
        assert_eq!(
            before_run(br#"{"allow":true,"command":null,"notes":null}"#),
            Ok(BeforeRunAnswer::allow())
        );
        assert_eq!(after_run(b"{}\n"), Ok(AfterRunAnswer::default()));
    }
}
