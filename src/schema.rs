//! JSON Schema (2020-12) of what goes in and what comes out, made from the types.
//!
//! The types say what a value is; what they leave open, such as which keys come together, is added here,
//! so that a report that contradicts itself is no valid one.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use std::time::Duration;

use crate::limits::ShellLimits;
use crate::report::{Content, Note, ShellError, ShellOutput, ShellRun};
use crate::request::{BashRequest, MAX_REQUEST_BYTES};
use crate::units::{format_bytes, format_duration};

/// The schema of a request, as `--request` reads it.
pub fn request_schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12()
        .for_deserialize()
        .into_generator();
    let mut schema = closed(generator.root_schema_for::<BashRequest>());
    // The type holds a timeout that was rounded up; a request may have any number.
    set(&mut schema, "/properties/timeoutMs", |timeout| {
        timeout.remove("format");
        let words = "The timeout in milliseconds, rounded up; the default one when there is none.";
        timeout.insert("description".to_owned(), json!(words));
        timeout.insert("type".to_owned(), json!(["number", "null"]));
        timeout.insert("exclusiveMinimum".to_owned(), json!(0));
        timeout.remove("minimum");
    });
    set(&mut schema, "", |schema| {
        schema.insert("description".to_owned(), json!("One shell command to run."));
    });
    for (name, longest) in [("command", Some(MAX_REQUEST_BYTES)), ("cwd", None)] {
        set(&mut schema, &format!("/properties/{name}"), |text| {
            // Something that is not blank, and no NUL.
            text.insert(
                "pattern".to_owned(),
                json!(r"^[^\u0000]*[^\s\u0000][^\u0000]*$"),
            );
            if let Some(longest) = longest {
                text.insert("maxLength".to_owned(), json!(longest));
            }
        });
    }
    schema
}

/// The schema of a result, as `--json` prints it.
pub fn result_schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let parts = Parts {
        request: of::<BashRequest>(&mut generator),
        run: of::<ShellRun>(&mut generator),
        output: of::<ShellOutput>(&mut generator),
        error: of::<ShellError>(&mut generator),
        notes: json!({ "type": "array", "items": of::<Note>(&mut generator) }),
        content: json!({
            "type": "array", "items": of::<Content>(&mut generator), "minItems": 1, "maxItems": 1
        }),
    };
    let mut definitions = Value::Object(generator.take_definitions(true));
    close(&mut definitions);
    // In a report the timeout in force is always there.
    set(
        &mut definitions,
        "/BashRequest/properties/timeoutMs",
        |it| {
            it.insert("type".to_owned(), json!("integer"));
            it.insert("minimum".to_owned(), json!(1));
        },
    );
    set(&mut definitions, "/ShellRun/properties/signal", |signal| {
        signal.insert("pattern".to_owned(), json!("^SIG[A-Z0-9+]+$"));
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ShellResult",
        "description": "What one command came to, as bsh --json prints it.",
        "oneOf": parts.alternatives(),
        "$defs": definitions,
    })
}

/// A tool definition for a language model: name, description and input schema, as the Model Context
/// Protocol has them.
pub fn tool_definition(limits: &ShellLimits, runner: &str) -> Value {
    let time = |ms: u64| format_duration(Duration::from_millis(ms));
    let description = format!(
        "Runs one shell command line with bash and returns its exit code and its output, stdout and \
         stderr in the order in which they were written. Runner: {runner}. No terminal and no standard \
         input: whatever asks fails. The timeout is {} unless timeoutMs says otherwise, {} at most; when it \
         passes, the whole process tree is stopped. At most {} or {} lines of output are shown, the \
         first {} % and the last, and after {} of output the command is stopped. Each call is a new \
         shell: folders and variables do not carry over.",
        time(limits.default_timeout_ms),
        time(limits.max_timeout_ms),
        format_bytes(limits.max_output_bytes),
        limits.max_output_lines,
        limits.head_percent,
        format_bytes(limits.max_capture_bytes),
    );
    json!({ "name": "bash", "description": description, "inputSchema": request_schema() })
}

/// What the alternatives of a result are made of.
struct Parts {
    request: Value,
    run: Value,
    output: Value,
    error: Value,
    notes: Value,
    content: Value,
}

impl Parts {
    fn alternatives(&self) -> Vec<Value> {
        let by_itself = json!({ "stoppedBy": { "type": "null" } });
        let ok = json!({
            "exitCode": { "const": 0 }, "signal": { "type": "null" },
            "stoppedBy": { "type": "null" }
        });
        let failed = json!({ "allOf": [
            { "properties": by_itself },
            { "oneOf": [
                { "properties": {
                    "exitCode": { "type": "integer", "not": { "const": 0 } },
                    "signal": { "type": "null" }
                } },
                { "properties": { "exitCode": { "type": "null" }, "signal": { "type": "string" } } }
            ] }
        ] });
        let timeout = json!({ "stoppedBy": { "const": "timeout" } });
        let mut all = vec![
            self.ran("ok", json!({ "properties": ok })),
            self.ran("failed", failed),
            self.ran("timeout", json!({ "properties": timeout })),
        ];
        // What was stopped or lost, and what a hook after the run spoiled.
        for (code, phase, run) in [
            (
                "ABORTED",
                "run",
                json!({ "stoppedBy": { "const": "abort" } }),
            ),
            (
                "OUTPUT_CAP",
                "run",
                json!({ "stoppedBy": { "const": "output-cap" } }),
            ),
            ("RUNNER_LOST", "run", by_itself),
            ("ABORTED", "afterRun", json!({})),
            ("EXTENSION_FAILED", "afterRun", json!({})),
        ] {
            let run = narrowed(&self.run, json!({ "properties": run }));
            let error = self.error_of(code, &[phase]);
            all.push(self.not_ok(error, self.request.clone(), run, self.output.clone()));
        }
        let null = || json!({ "type": "null" });
        let before = ["resolve", "beforeRun", "authorize", "env", "spill", "run"];
        for (code, phases) in [
            ("CWD_NOT_FOUND", &["run", "resolve"][..]),
            ("CWD_NOT_A_DIRECTORY", &["run"]),
            ("REFUSED", &["beforeRun"]),
            ("DENIED", &["authorize"]),
            ("ABORTED", &before),
            ("SPAWN_FAILED", &["run"]),
            (
                "EXTENSION_FAILED",
                &["resolve", "beforeRun", "authorize", "env", "spill"],
            ),
        ] {
            let error = self.error_of(code, phases);
            all.push(self.not_ok(error, self.request.clone(), null(), null()));
        }
        // The last is a failure of bsh itself.
        for (code, phase) in [("INVALID_INPUT", "input"), ("RUNNER_LOST", "run")] {
            all.push(self.not_ok(self.error_of(code, &[phase]), null(), null(), null()));
        }
        all
    }

    fn ran(&self, status: &str, run: Value) -> Value {
        object(&[
            ("tool", json!({ "const": "bash" })),
            ("status", json!({ "const": status })),
            ("request", self.request.clone()),
            ("run", narrowed(&self.run, run)),
            ("output", self.output.clone()),
            ("notes", self.notes.clone()),
            ("content", self.content.clone()),
        ])
    }

    fn not_ok(&self, error: Value, request: Value, run: Value, output: Value) -> Value {
        let mut notes = self.notes.clone();
        set(&mut notes, "", |notes| {
            notes.insert("minItems".to_owned(), json!(1));
        });
        object(&[
            ("tool", json!({ "const": "bash" })),
            ("status", json!({ "const": "error" })),
            ("error", error),
            ("request", request),
            ("run", run),
            ("output", output),
            ("notes", notes),
            ("content", self.content.clone()),
        ])
    }

    fn error_of(&self, code: &str, phases: &[&str]) -> Value {
        let properties = json!({ "code": { "const": code }, "phase": { "enum": phases } });
        narrowed(&self.error, json!({ "properties": properties }))
    }
}

/// An object with exactly these keys.
fn object(properties: &[(&str, Value)]) -> Value {
    let required: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> = properties
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
        .collect();
    json!({
        "type": "object", "properties": properties, "required": required,
        "additionalProperties": false
    })
}

fn narrowed(schema: &Value, further: Value) -> Value {
    json!({ "allOf": [schema, further] })
}

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

fn closed(schema: Schema) -> Value {
    let mut schema = schema.to_value();
    close(&mut schema);
    schema
}

/// No object has a key that is not named.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.get("type") == Some(&json!("object")) && fields.contains_key("properties") {
                fields.insert("additionalProperties".to_owned(), json!(false));
            }
            fields.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

/// Changes the object at a JSON pointer.
fn set(schema: &mut Value, pointer: &str, change: impl FnOnce(&mut Map<String, Value>)) {
    if let Some(Value::Object(fields)) = schema.pointer_mut(pointer) {
        change(fields);
    }
}
