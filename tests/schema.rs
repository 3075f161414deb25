//! `--schema`: what is committed is current, real values are valid, and wrong ones are not.

use std::path::Path;

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::{Value, json};

use crate::harness::bsh;
use crate::harness::script::script;

struct Checker {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Checker {
    fn new(which: &str) -> Self {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        let schema = printed(which);
        compiler
            .add_resource("bsh.json", schema)
            .expect("a resource");
        let index = compiler
            .compile("bsh.json", &mut schemas)
            .expect("a valid schema of 2020-12");
        Self { schemas, index }
    }

    fn accepts(&self, value: &Value) -> bool {
        self.schemas.validate(value, self.index).is_ok()
    }

    #[track_caller]
    fn check(&self, value: &Value) {
        if let Err(error) = self.schemas.validate(value, self.index) {
            panic!("{error:#}\n{value:#}");
        }
    }
}

fn printed(which: &str) -> Value {
    let ran = bsh(["--schema", which]).run().code(0);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

/// `REGENERATE=1 cargo test --test main` writes what is generated.
#[test]
fn the_committed_schemas_are_current() {
    for which in ["request", "result", "tool"] {
        let file =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/schemas/{which}.json"));
        let current = bsh(["--schema", which]).run().code(0).stdout;
        if std::env::var_os("REGENERATE").is_some() {
            std::fs::write(&file, &current).expect("the file can be written");
        }
        let committed = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            committed == current,
            "{} is stale, run REGENERATE=1 cargo test --test main",
            file.display()
        );
    }
}

/// A real report of each kind.
fn reports() -> Vec<Value> {
    let refuses = script(
        "schema-refuses",
        "#!/bin/sh\necho '{\"allow\":false,\"note\":{\"code\":\"no\",\"severity\":\"info\",\"message\":\"no\"}}'\n",
    );
    let fails = script("schema-fails", "#!/bin/sh\nexit 1\n");
    let (refuses, fails) = (refuses.display().to_string(), fails.display().to_string());
    let lines: Vec<Vec<&str>> = vec![
        vec!["echo hi"],
        vec!["--usage", "sleep 2 & echo hi"],
        vec!["--max-lines", "10", "seq 100; echo error; exit 3"],
        vec!["kill -9 $$"],
        vec!["-t", "200ms", "sleep 1000"],
        vec!["-t", "20m", "true"],
        vec!["--max-capture", "1kB", "yes"],
        vec!["kill -9 $PPID; sleep 1000"],
        vec!["-C", "/no/such", "true"],
        vec!["-C", "/etc/passwd", "true"],
        vec!["--shell", "/no/such", "true"],
        vec!["--before-run", &refuses, "true"],
        vec!["--authorize", &refuses, "true"],
        vec!["--before-run", &fails, "true"],
        vec!["--after-run", &fails, "true"],
        vec![" "],
        vec!["--wrong"],
        vec!["--spill", "/no/such/file", "true"],
        vec!["--background", "stop", "sleep 1000 & true"],
    ];
    let report = |line: Vec<&str>| {
        let ran = bsh([&["--json"], &line[..]].concat()).run();
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}{ran}"))
    };
    lines.into_iter().map(report).collect()
}

#[test]
fn real_reports_are_valid_and_any_change_to_their_shape_is_not() {
    let checker = Checker::new("result");
    let reports = reports();
    for report in &reports {
        checker.check(report);
        for wrong in spoiled(report) {
            assert!(!checker.accepts(&wrong), "{wrong:#}");
        }
    }
    let statuses: std::collections::BTreeSet<&str> = reports
        .iter()
        .filter_map(|report| report["status"].as_str())
        .collect();
    assert_eq!(statuses.len(), 4);
}

#[test]
fn reports_that_contradict_themselves_are_not_valid() {
    let checker = Checker::new("result");
    let ok: Value = serde_json::from_str(&bsh(["--json", "true"]).run().stdout).expect("a report");
    let error: Value =
        serde_json::from_str(&bsh(["--json", "-C", "/no", "true"]).run().stdout).expect("a report");
    let wrong = [
        (&ok, "/status", json!("failed")),
        (&ok, "/status", json!("timeout")),
        (&ok, "/status", json!("error")),
        (&ok, "/status", json!("fine")),
        (&ok, "/tool", json!("sh")),
        (&ok, "/run/exitCode", json!(1)),
        (&ok, "/run/exitCode", json!("0")),
        (&ok, "/run/stoppedBy", json!("timeout")),
        (&ok, "/run/stoppedBy", json!("nobody")),
        (&ok, "/run/durationMs", json!(-1)),
        (&ok, "/run/durationMs", json!(0.5)),
        (&ok, "/run", Value::Null),
        (&ok, "/request", Value::Null),
        (&ok, "/request/timeoutMs", Value::Null),
        (&ok, "/content", json!([])),
        (&error, "/status", json!("ok")),
        (&error, "/error/code", json!("NO_SUCH_CODE")),
        (&error, "/error/code", json!("DENIED")),
        (&error, "/error/phase", json!("afterRun")),
        (&error, "/run", ok["run"].clone()),
        (&error, "/output", ok["output"].clone()),
        (&error, "/request", Value::Null),
        (&error, "/notes", json!([])),
        (&error, "/notes/0/severity", json!("error")),
    ];
    for (report, pointer, value) in wrong {
        let mut spoiled = report.clone();
        *spoiled.pointer_mut(pointer).expect("a key of a report") = value;
        assert!(!checker.accepts(&spoiled), "{pointer}: {spoiled:#}");
    }
}

/// The same report with one key more, or one less, in each of its objects.
fn spoiled(report: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    for pointer in [
        "",
        "/request",
        "/run",
        "/output",
        "/error",
        "/notes/0",
        "/content/0",
    ] {
        let Some(Value::Object(fields)) = report.pointer(pointer) else {
            continue;
        };
        let changed = |change: &dyn Fn(&mut serde_json::Map<String, Value>)| {
            let mut copy = report.clone();
            if let Some(Value::Object(fields)) = copy.pointer_mut(pointer) {
                change(fields);
            }
            copy
        };
        all.push(changed(&|fields| {
            fields.insert("more".to_owned(), json!(1));
        }));
        for key in fields.keys().filter(|key| *key != "data") {
            all.push(changed(&|fields| {
                fields.remove(key);
            }));
        }
    }
    all
}

#[test]
fn the_schema_of_a_request_agrees_with_its_parser() {
    let checker = Checker::new("request");
    let cases = [
        json!({ "command": "ls" }),
        json!({ "command": "ls", "timeoutMs": 0.5, "cwd": null }),
        json!({ "command": "ls", "timeoutMs": null, "cwd": "/" }),
        json!({ "command": "a\nb" }),
        json!({ "command": " " }),
        json!({ "command": "a\u{0}" }),
        json!({}),
        json!({ "command": 1 }),
        json!({ "command": "ls", "timeoutMs": 0 }),
        json!({ "command": "ls", "timeoutMs": -1 }),
        json!({ "command": "ls", "timeoutMs": "5s" }),
        json!({ "command": "ls", "cwd": "" }),
        json!({ "command": "ls", "timeout": 5 }),
        json!([]),
        json!(null),
    ];
    for case in cases {
        let parsed = bsh::parse_bash_input(&case);
        assert_eq!(checker.accepts(&case), parsed.is_ok(), "{case}");
    }
}

#[test]
fn a_tool_definition_names_the_limits_in_force_and_the_runner() {
    let line = [
        "--schema",
        "tool",
        "--max-timeout",
        "1h",
        "--default-timeout",
        "90s",
        "--max-output",
        "8kB",
    ];
    let ran = bsh(line).run().code(0);
    let tool: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(tool["name"], "bash");
    assert_eq!(tool["inputSchema"], printed("request"));
    let description = tool["description"].as_str().expect("a text");
    for words in ["90 s", "60 min", "8 KB", "Runner: local."] {
        assert!(description.contains(words), "{description}");
    }
    bsh(["--schema", "report"])
        .run()
        .code(125)
        .complains("bsh: --schema: report is unknown. Expected request, result or tool\n");
    bsh(["--runner", "docker", "true"])
        .run()
        .code(125)
        .complains("bsh: --runner: docker is unknown. Expected local or ssh:HOST\n");
}
