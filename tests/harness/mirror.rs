//! The report read back strictly: no unknown key, none missing, and all in the order of the contract.
#![allow(dead_code)]

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mirror {
    pub tool: String,
    pub status: String,
    pub error: Option<Error>,
    pub request: Option<Request>,
    pub run: Option<Run>,
    pub output: Option<Output>,
    pub notes: Vec<Note>,
    pub content: Vec<Content>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Request {
    pub command: String,
    pub timeout_ms: u64,
    pub cwd: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Run {
    pub command: String,
    pub cwd: String,
    pub timeout_ms: u64,
    pub exit_code: Option<i32>,
    pub signal: Option<String>,
    pub duration_ms: u64,
    pub stopped_by: Option<String>,
    pub unconfirmed_stop: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Output {
    pub head: String,
    pub tail: Option<String>,
    pub total_bytes: u64,
    pub total_lines: u64,
    pub omitted_bytes: u64,
    pub omitted_lines: u64,
    pub stdout_bytes: u64,
    pub stderr_bytes: u64,
    pub spill: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Error {
    pub code: String,
    pub phase: String,
    pub message: String,
    pub data: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    pub code: String,
    pub severity: String,
    pub message: String,
    pub data: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    pub r#type: String,
    pub text: String,
}

const RAN: &[&str] = &[
    "tool", "status", "request", "run", "output", "notes", "content",
];
const ERROR: &[&str] = &[
    "tool", "status", "error", "request", "run", "output", "notes", "content",
];
const REQUEST: &[&str] = &["command", "timeoutMs", "cwd"];
const RUN: &[&str] = &[
    "command",
    "cwd",
    "timeoutMs",
    "exitCode",
    "signal",
    "durationMs",
    "stoppedBy",
    "unconfirmedStop",
];
const OUTPUT: &[&str] = &[
    "head",
    "tail",
    "totalBytes",
    "totalLines",
    "omittedBytes",
    "omittedLines",
    "stdoutBytes",
    "stderrBytes",
    "spill",
];

impl Mirror {
    /// Reads one report, and checks what holds of every report.
    pub fn read(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mirror: Self =
            serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
        let is_error = value["status"] == "error";
        keys("report", &value, if is_error { ERROR } else { RAN })?;
        keys("request", &value["request"], REQUEST)?;
        keys("run", &value["run"], RUN)?;
        keys("output", &value["output"], OUTPUT)?;
        for note in value["notes"].as_array().into_iter().flatten() {
            optional_data("note", note, &["code", "severity", "message"])?;
        }
        if is_error {
            optional_data("error", &value["error"], &["code", "phase", "message"])?;
        }
        mirror.check_laws()?;
        Ok(mirror)
    }

    fn check_laws(&self) -> Result<(), String> {
        let law = |holds: bool, law: &str| match holds {
            true => Ok(()),
            false => Err(format!("broken: {law}")),
        };
        law(self.tool == "bash", "tool is bash")?;
        law(
            self.run.is_some() == self.output.is_some(),
            "run and output come together",
        )?;
        let [content] = self.content.as_slice() else {
            return Err("one block of content".to_owned());
        };
        law(content.r#type == "text", "the content is text")?;
        law(
            !content.text.ends_with('\n'),
            "the text has no final newline",
        )?;
        let plain = |char: char| matches!(char, '\n' | '\t') || !char.is_control();
        law(
            content.text.chars().all(plain),
            "no control characters in the text",
        )?;
        let one_line = |note: &Note| !note.message.contains(char::is_control);
        law(self.notes.iter().all(one_line), "a note is one line")?;
        if let Some(output) = &self.output {
            let sum = output.stdout_bytes + output.stderr_bytes;
            law(output.total_bytes == sum, "totalBytes is the sum of both")?;
            let all = output.omitted_bytes == 0;
            law(
                output.tail.is_none() == all,
                "a tail when something is omitted",
            )?;
        }
        match &self.error {
            None => law(self.run.is_some(), "without an error it ran"),
            Some(error) => {
                let last = self.notes.last().ok_or("an error has a note")?;
                law(
                    last.severity == "warning",
                    "the note of the error is a warning",
                )?;
                law(
                    last.message == error.message,
                    "error.message repeats the note",
                )?;
                law(last.data == error.data, "error.data repeats the note")?;
                let same = self.notes.iter().filter(|note| note.code == last.code);
                law(same.count() == 1, "the note of the error comes once")
            }
        }
    }

    pub fn note(&self, code: &str) -> Option<&Note> {
        self.notes.iter().find(|note| note.code == code)
    }

    pub fn note_codes(&self) -> Vec<&str> {
        self.notes.iter().map(|note| note.code.as_str()).collect()
    }

    pub fn text(&self) -> &str {
        &self.content[0].text
    }

    /// Code and phase of the error.
    pub fn error_code(&self) -> (&str, &str) {
        let error = self.error.as_ref();
        error.map_or(("", ""), |error| (&error.code, &error.phase))
    }
}

fn keys(name: &str, value: &Value, expected: &[&str]) -> Result<(), String> {
    let Some(object) = value.as_object() else {
        return Ok(());
    };
    let found: Vec<&str> = object.keys().map(String::as_str).collect();
    match found == expected {
        true => Ok(()),
        false => Err(format!("keys of {name}: {found:?}, expected {expected:?}")),
    }
}

fn optional_data(name: &str, value: &Value, expected: &[&str]) -> Result<(), String> {
    let with_data = [expected, &["data"]].concat();
    keys(name, value, expected).or_else(|_| keys(name, value, &with_data))
}
