//! What is asked: the request and its parsers. Nothing is run and no folder is looked at here.

use std::time::Duration;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::messages::{Message, ShellMessages, cut_to};

/// The longest request and the longest command, in bytes.
pub const MAX_REQUEST_BYTES: usize = 16 * 1024 * 1024;

/// A request as a caller states it, and as a report repeats it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BashRequest {
    /// The command line for the shell.
    pub command: String,
    /// The timeout in milliseconds. In a report always set: the timeout in force.
    pub timeout_ms: Option<u64>,
    /// The requested folder, absolute or relative to the runner's default folder.
    pub cwd: Option<String>,
}

impl BashRequest {
    /// A request for a command with the default timeout, in the default folder.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            timeout_ms: None,
            cwd: None,
        }
    }

    /// Asks for a timeout, rounded up to a whole millisecond.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout_ms = Some(whole_millis(timeout));
        self
    }

    /// Asks for a folder.
    #[must_use]
    pub fn with_cwd(mut self, cwd: impl Into<String>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Checks what the types do not say.
    ///
    /// # Errors
    /// A blank command or folder, a NUL in either, a command over 16 MiB, a timeout of zero.
    pub fn validate(&self) -> Result<(), InputError> {
        if self.command.len() > MAX_REQUEST_BYTES {
            return Err(InputError::CommandTooLarge);
        }
        check_text(Param::Command, &self.command)?;
        if let Some(cwd) = &self.cwd {
            check_text(Param::Cwd, cwd)?;
        }
        match self.timeout_ms {
            Some(0) => Err(InputError::Timeout("0".to_owned())),
            _ => Ok(()),
        }
    }
}

/// Milliseconds, rounded up, as a request counts them.
pub fn whole_millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

/// What a call may be given.
#[derive(Debug, Clone)]
pub enum Input {
    /// A request made by a program.
    Request(BashRequest),
    /// A JSON value, as [`parse_bash_input`] takes it.
    Value(Value),
    /// JSON text, as [`parse_bash_text`] takes it.
    Text(Vec<u8>),
    /// Input that was refused on the way here, so that its report is made like any other.
    Refused(InputError),
}

impl From<BashRequest> for Input {
    fn from(request: BashRequest) -> Self {
        Self::Request(request)
    }
}

impl From<Value> for Input {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

impl Input {
    /// The request, checked.
    ///
    /// # Errors
    /// Why it is none.
    pub fn into_request(self) -> Result<BashRequest, InputError> {
        match self {
            Self::Request(request) => request.validate().map(|()| request),
            Self::Value(value) => parse_bash_input(&value),
            Self::Text(text) => parse_bash_text(&text),
            Self::Refused(error) => Err(error),
        }
    }
}

/// The keys of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Param {
    Command,
    TimeoutMs,
    Cwd,
}

impl Param {
    fn message(self) -> Message {
        match self {
            Self::Command => Message::ParamCommand,
            Self::TimeoutMs => Message::ParamTimeout,
            Self::Cwd => Message::ParamCwd,
        }
    }
}

/// The kinds of JSON value, as a sentence names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }

    fn message(self) -> Message {
        match self {
            Self::Null => Message::KindNull,
            Self::Boolean => Message::KindBoolean,
            Self::Number => Message::KindNumber,
            Self::String => Message::KindString,
            Self::Array => Message::KindArray,
            Self::Object => Message::KindObject,
        }
    }
}

/// Why input was refused. Its `Display` is the default wording.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", self.message(&ShellMessages::default()))]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum InputError {
    NotAnObject(Kind),
    UnknownKey(String),
    RepeatedKey(String),
    /// Broken JSON, with the place.
    Syntax(String),
    TrailingData,
    TooLarge,
    NotUtf8 {
        offset: usize,
    },
    MissingCommand,
    Blank(Param),
    NotAString(Param, Kind),
    Nul {
        param: Param,
        offset: usize,
    },
    CommandTooLarge,
    /// What was given in place of a timeout.
    Timeout(String),
    /// Refused outside of the request, such as a flag; the sentence is ready.
    Other(String),
}

impl InputError {
    /// The sentence, in the wording in force.
    pub fn message(&self, messages: &ShellMessages) -> String {
        let expected = || {
            [Param::Command, Param::TimeoutMs, Param::Cwd]
                .map(|param| messages.plain(param.message()))
                .join(", ")
        };
        let param = |param: Param| messages.plain(param.message());
        let kind = |kind: &Kind| messages.plain(kind.message());
        let max = crate::units::format_bytes(MAX_REQUEST_BYTES as u64);
        match self {
            Self::NotAnObject(got) => messages.render(
                Message::InputNotAnObject,
                &[("got", &kind(got)), ("expected", &expected())],
            ),
            Self::UnknownKey(key) => messages.render(
                Message::InputUnknownKey,
                &[("key", &cut_to(key, 200)), ("expected", &expected())],
            ),
            Self::RepeatedKey(key) => {
                messages.render(Message::InputRepeatedKey, &[("key", &cut_to(key, 200))])
            }
            Self::Syntax(detail) => {
                messages.render(Message::InputSyntax, &[("detail", &cut_to(detail, 400))])
            }
            Self::TrailingData => messages.plain(Message::InputTrailing),
            Self::TooLarge => messages.render(Message::InputTooLarge, &[("max", &max)]),
            Self::NotUtf8 { offset } => {
                messages.render(Message::InputNotUtf8, &[("offset", &offset.to_string())])
            }
            Self::MissingCommand => {
                messages.render(Message::InputMissing, &[("param", &param(Param::Command))])
            }
            Self::Blank(which) => {
                messages.render(Message::InputBlank, &[("param", &param(*which))])
            }
            Self::NotAString(which, got) => messages.render(
                Message::InputNotAString,
                &[("param", &param(*which)), ("got", &kind(got))],
            ),
            Self::Nul {
                param: which,
                offset,
            } => messages.render(
                Message::InputNul,
                &[("param", &param(*which)), ("offset", &offset.to_string())],
            ),
            Self::CommandTooLarge => messages.render(
                Message::InputCommandTooLarge,
                &[("param", &param(Param::Command)), ("max", &max)],
            ),
            Self::Timeout(got) => messages.render(
                Message::InputTimeout,
                &[
                    ("param", &param(Param::TimeoutMs)),
                    ("got", got),
                    ("unit", &messages.plain(Message::UnitTimeout)),
                ],
            ),
            Self::Other(sentence) => crate::messages::one_line(sentence),
        }
    }
}

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

/// Reads a request from JSON text.
///
/// # Errors
/// As [`parse_bash_input`], and text over 16 MiB, bytes that are not UTF-8, broken JSON, a key given
/// twice, anything after the object.
pub fn parse_bash_text(text: impl AsRef<[u8]>) -> Result<BashRequest, InputError> {
    let bytes = text.as_ref();
    if bytes.len() > MAX_REQUEST_BYTES {
        return Err(InputError::TooLarge);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| InputError::NotUtf8 {
        offset: error.valid_up_to(),
    })?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let raw = RawRequest::deserialize(&mut deserializer)
        .map_err(|error| InputError::Syntax(error.to_string()))?;
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
        // A float beyond u64 saturates, and is cut to the maximum later.
        Some(number) if number.is_finite() && number > 0.0 => Ok(number.ceil() as u64),
        _ => Err(refused()),
    }
}

fn check_text(param: Param, text: &str) -> Result<(), InputError> {
    // Not by memchr: asking the processor what it can do takes longer than a command of usual length.
    if let Some(offset) = text.bytes().position(|byte| byte == 0) {
        return Err(InputError::Nul { param, offset });
    }
    if text.trim().is_empty() {
        return Err(InputError::Blank(param));
    }
    Ok(())
}

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
        assert_eq!(huge.timeout_ms, Some(u64::MAX));
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
