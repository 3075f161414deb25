//! The report of a command that ran, key by key.

use crate::harness::bsh;

#[test]
fn every_key_of_a_run() {
    let ran = bsh([
        "--json",
        "-t",
        "5s",
        "-C",
        "/",
        "printf 'a\\nb'; echo err >&2; exit 3",
    ])
    .run();
    let report = ran.code(3).report();
    assert_eq!(report.status, "failed");
    let request = report.request.as_ref().expect("a request");
    assert_eq!(
        (request.timeout_ms, request.cwd.as_deref()),
        (5_000, Some("/"))
    );
    let run = report.run.as_ref().expect("it ran");
    assert_eq!(run.command, request.command);
    assert_eq!((run.cwd.as_str(), run.timeout_ms), ("/", 5_000));
    assert_eq!((run.exit_code, run.signal.as_deref()), (Some(3), None));
    assert_eq!(
        (run.stopped_by.as_deref(), run.unconfirmed_stop),
        (None, false)
    );
    let output = report.output.as_ref().expect("it ran");
    assert_eq!(
        (output.stdout_bytes, output.stderr_bytes, output.total_bytes),
        (3, 4, 7)
    );
    assert_eq!(
        (
            output.tail.as_deref(),
            output.omitted_bytes,
            output.omitted_lines
        ),
        (None, 0, 0)
    );
}

#[test]
fn a_request_of_a_report_is_valid_input() {
    let first = bsh(["--json", "true"]).run().code(0);
    let value: serde_json::Value = serde_json::from_str(&first.stdout).expect("a report");
    let again = bsh(["--json", "--request", "-"])
        .stdin(value["request"].to_string())
        .run();
    let again = again.code(0).report();
    assert_eq!(
        again.request.map(|request| request.command).as_deref(),
        Some("true")
    );
}

#[test]
fn a_clamped_timeout_says_what_was_asked() {
    let report = bsh(["--json", "--max-timeout", "5s", "-t", "90s", "true"])
        .run()
        .code(0)
        .report();
    assert_eq!(
        report.request.as_ref().map(|request| request.timeout_ms),
        Some(5_000)
    );
    let note = report.note("clamped").expect("the note");
    assert_eq!(note.severity, "info");
    let data = note.data.as_ref().expect("its data").to_string();
    assert_eq!(
        data,
        r#"{"param":"timeoutMs","requested":90000,"max":5000}"#
    );
}

#[test]
fn pretty_is_the_same_object_indented() {
    let ran = bsh(["--pretty", "echo hi"]).run().code(0);
    assert!(
        ran.stdout.starts_with("{\n  \"tool\": \"bash\",\n"),
        "{ran}"
    );
    assert!(ran.stdout.ends_with("}\n"), "{ran}");
}

#[test]
fn a_signal_that_ended_the_shell_is_a_failed_run() {
    let ran = bsh(["--json", "kill -KILL $$"]).run().code(128 + 9);
    let report = ran.report();
    assert_eq!(report.status, "failed");
    let run = report.run.expect("it ran");
    assert_eq!(
        (run.exit_code, run.signal.as_deref()),
        (None, Some("SIGKILL"))
    );
}
