//! Why input was refused, and the sentence that says so.

use serde_json::Value;
use thiserror::Error;

use crate::messages::{Message, ShellMessages, cut_to};
use crate::request::MAX_REQUEST_BYTES;

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
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }

    pub(super) fn message(self) -> Message {
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
    /// A number of valid JSON that no float can hold, with the place.
    NumberTooLarge(String),
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
            Self::NumberTooLarge(place) => {
                messages.render(Message::InputNumberTooLarge, &[("place", place)])
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
