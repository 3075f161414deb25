//! A JSON value, or JSON text → a request.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::messages::{ShellMessages, cut_to};
use crate::request::{BashRequest, InputError, Kind, MAX_REQUEST_BYTES, Param};

/// Reads a request from a JSON value. An optional key may be null.
///
/// # Errors
/// Anything but an object, an unknown key, a value of a wrong type, and what
/// [`BashRequest::validate`] refuses.
pub fn parse_bash_input(value: &Value) -> Result<BashRequest, InputError> {
    match value {
        Value::Object(fields) => from_fields(fields),
        other => Err(InputError::NotAnObject(Kind::of(other))),
    }
}

/// Reads a request from JSON text. A byte order mark before it is passed over (RFC 8259, section 8.1).
///
/// # Errors
/// As [`parse_bash_input`], and text over 16 MiB, bytes that are not UTF-8, broken JSON, a number over
/// 1.8e308, a key given twice, anything after the object.
pub fn parse_bash_text(text: impl AsRef<[u8]>) -> Result<BashRequest, InputError> {
    let bytes = text.as_ref();
    if bytes.len() > MAX_REQUEST_BYTES {
        return Err(InputError::TooLarge);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| InputError::NotUtf8 {
        offset: error.valid_up_to(),
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let raw = RawRequest::deserialize(&mut deserializer).map_err(not_read)?;
    deserializer.end().map_err(|_| InputError::TrailingData)?;
    match raw {
        RawRequest::Fields {
            repeated: Some(key),
            ..
        } => Err(InputError::RepeatedKey(key)),
        RawRequest::Fields { fields, .. } => from_fields(&fields),
        RawRequest::Other(kind) => Err(InputError::NotAnObject(kind)),
    }
}

fn not_read(error: serde_json::Error) -> InputError {
    match place_of_number_too_large(&error) {
        Some(place) => InputError::NumberTooLarge(place),
        None => InputError::Syntax(error.to_string()),
    }
}

/// Where in valid JSON the number is that no float can hold. The parser calls that an error of syntax,
/// and only its words tell.
pub(crate) fn place_of_number_too_large(error: &serde_json::Error) -> Option<String> {
    let words = error.to_string();
    let place = words.strip_prefix("number out of range at ")?;
    Some(place.to_owned())
}

fn from_fields(fields: &Map<String, Value>) -> Result<BashRequest, InputError> {
    let known = ["command", "timeoutMs", "cwd"];
    if let Some(key) = fields.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(InputError::UnknownKey(key.clone()));
    }
    let command = match fields.get("command") {
        None | Some(Value::Null) => return Err(InputError::MissingCommand),
        Some(value) => text_of_field(Param::Command, value)?,
    };
    let timeout_ms = match fields.get("timeoutMs") {
        None | Some(Value::Null) => None,
        Some(value) => Some(timeout_of_field(value)?),
    };
    let cwd = match fields.get("cwd") {
        None | Some(Value::Null) => None,
        Some(value) => Some(text_of_field(Param::Cwd, value)?),
    };
    let request = BashRequest {
        command,
        timeout_ms,
        cwd,
    };
    request.validate()?;
    Ok(request)
}

fn text_of_field(param: Param, value: &Value) -> Result<String, InputError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        other => Err(InputError::NotAString(param, Kind::of(other))),
    }
}

fn timeout_of_field(value: &Value) -> Result<u64, InputError> {
    let refused = || {
        let got = match value {
            Value::Number(number) => number.to_string(),
            Value::String(text) => format!("the string {}", cut_to(text, 40)),
            other => ShellMessages::default().plain(Kind::of(other).message()),
        };
        InputError::Timeout(got)
    };
    if let Some(whole) = value.as_u64() {
        return if whole > 0 { Ok(whole) } else { Err(refused()) };
    }
    match value.as_f64() {
        // It is cut to the maximum later; until then it stays a number that every JSON reader can hold.
        Some(number) if number.is_finite() && number > 0.0 => {
            Ok((number.ceil() as u64).min(LONGEST_MILLIS))
        }
        _ => Err(refused()),
    }
}

/// The largest timeout that is told apart from larger ones, in milliseconds: 2^53 - 1, up to which a
/// number of JSON is exact everywhere (RFC 8259, section 6).
const LONGEST_MILLIS: u64 = (1 << 53) - 1;

/// The outermost value of a request's text; remembers a key given twice, which a map cannot.
enum RawRequest {
    Fields {
        fields: Map<String, Value>,
        repeated: Option<String>,
    },
    Other(Kind),
}

impl<'de> Deserialize<'de> for RawRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = RawRequest;

    fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str("a request")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawRequest, A::Error> {
        let mut fields = Map::new();
        let mut repeated = None;
        while let Some((key, value)) = map.next_entry::<String, Value>()? {
            if fields.insert(key.clone(), value).is_some() && repeated.is_none() {
                repeated = Some(key);
            }
        }
        Ok(RawRequest::Fields { fields, repeated })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<RawRequest, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(RawRequest::Other(Kind::Array))
    }

    fn visit_bool<E>(self, _: bool) -> Result<RawRequest, E> {
        Ok(RawRequest::Other(Kind::Boolean))
    }

    fn visit_i64<E>(self, _: i64) -> Result<RawRequest, E> {
        Ok(RawRequest::Other(Kind::Number))
    }

    fn visit_u64<E>(self, _: u64) -> Result<RawRequest, E> {
        Ok(RawRequest::Other(Kind::Number))
    }

    fn visit_f64<E>(self, _: f64) -> Result<RawRequest, E> {
        Ok(RawRequest::Other(Kind::Number))
    }

    fn visit_str<E>(self, _: &str) -> Result<RawRequest, E> {
        Ok(RawRequest::Other(Kind::String))
    }

    fn visit_unit<E>(self) -> Result<RawRequest, E> {
        Ok(RawRequest::Other(Kind::Null))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        parse_bash_text(text).expect_err(text).to_string()
    }

    #[test]
    fn null_is_absent_and_timeouts_are_rounded_up() {
        let request =
            parse_bash_text(r#"{"command":"x","timeoutMs":0.2,"cwd":null}"#).expect("valid");
        assert_eq!(
            request,
            BashRequest {
                timeout_ms: Some(1),
                ..BashRequest::new("x")
            }
        );
        let huge = parse_bash_text(r#"{"command":"x","timeoutMs":1e300}"#).expect("valid");
        assert_eq!(huge.timeout_ms, Some(LONGEST_MILLIS));
    }

    #[test]
    fn one_byte_order_mark_is_passed_over() {
        let text = "\u{feff}{\"command\":\"x\"}";
        assert_eq!(parse_bash_text(text), Ok(BashRequest::new("x")));
        let two = refused(&format!("\u{feff}{text}"));
        assert!(two.starts_with("the request is not valid JSON: "), "{two}");
    }

    #[test]
    fn every_bad_input_has_its_sentence() {
        let cases = [
            (
                r#"{"command":"x","timeout":3}"#,
                "unknown key timeout. Expected command, timeoutMs, cwd",
            ),
            (
                r#"{"command":"echo a\u0000b"}"#,
                "command has a NUL byte at offset 6",
            ),
            (
                r#"{"command":"x","command":"y"}"#,
                "key command is given twice. Expected each key once",
            ),
            (
                r#"{"command":"x"} {}"#,
                "the request is followed by something else. Expected one JSON object",
            ),
            (r#"{}"#, "command is missing. Expected a shell command"),
            (
                r#"{"command":null}"#,
                "command is missing. Expected a shell command",
            ),
            (
                r#"{"command":" \n"}"#,
                "command is blank. Expected at least one character that is not white space",
            ),
            (r#"{"command":3}"#, "command is a number. Expected a string"),
            (
                r#"{"command":"x","cwd":[]}"#,
                "cwd is a list. Expected a string",
            ),
            (
                r#"{"command":"x","cwd":""}"#,
                "cwd is blank. Expected at least one character that is not white space",
            ),
            (
                r#"{"command":"x","timeoutMs":0}"#,
                "timeoutMs is 0. Expected a finite number of milliseconds over 0",
            ),
            (
                r#"{"command":"x","timeoutMs":-2}"#,
                "timeoutMs is -2. Expected a finite number of milliseconds over 0",
            ),
            (
                r#"{"command":"x","timeoutMs":"5s"}"#,
                "timeoutMs is the string 5s. Expected a finite number of milliseconds over 0",
            ),
            (
                r#"[1]"#,
                "the request is a list. Expected an object with command, timeoutMs, cwd",
            ),
            (
                "null",
                "the request is null. Expected an object with command, timeoutMs, cwd",
            ),
            (
                r#"{"command":"x","timeoutMs":1e400}"#,
                "the request has a number that is too large at line 1 column 32",
            ),
            (
                r#"{"command":"x""#,
                "the request is not valid JSON: EOF while parsing an object at line 1 column 14",
            ),
        ];
        for (text, sentence) in cases {
            assert_eq!(refused(text), sentence, "{text}");
        }
        assert_eq!(
            parse_bash_text(b"{\"command\":\"\xff\"}").expect_err("not UTF-8"),
            InputError::NotUtf8 { offset: 12 }
        );
        assert_eq!(
            parse_bash_text(vec![b' '; MAX_REQUEST_BYTES + 1]),
            Err(InputError::TooLarge)
        );
    }
}
