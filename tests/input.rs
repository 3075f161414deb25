//! Bad input: a sentence, exit 125, and nothing is run.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use crate::harness::{Mirror, bsh};

#[test]
fn bad_requests_are_reports() {
    let cases = [
        (
            r#"{"command":"touch RAN","timeout":3}"#,
            "unknown key timeout. Expected command, timeoutMs, cwd",
        ),
        (
            r#"{"command":"touch RAN\u0000b"}"#,
            "command has a NUL byte at offset 9",
        ),
        (
            r#"{"command":"touch RAN","command":"x"}"#,
            "key command is given twice. Expected each key once",
        ),
        (
            r#"{"command":"touch RAN"}}"#,
            "the request is followed by something else. Expected one JSON object",
        ),
        (
            r#"{"command":"touch RAN","timeoutMs":0}"#,
            "timeoutMs is 0. Expected a finite number of milliseconds over 0",
        ),
        (
            r#"{"command":"touch RAN","timeoutMs":"1s"}"#,
            "timeoutMs is the string 1s. Expected a finite number of milliseconds over 0",
        ),
        (
            r#"{"command":"touch RAN","timeoutMs":1e999}"#,
            "the request has a number that is too large at line 1 column 40",
        ),
        (
            r#"{"command":"touch RAN","cwd":7}"#,
            "cwd is a number. Expected a string",
        ),
        (
            r#"{"cwd":"/"}"#,
            "command is missing. Expected a shell command",
        ),
        (
            r#"{"command":" "}"#,
            "command is blank. Expected at least one character that is not white space",
        ),
        (
            r#"["touch RAN"]"#,
            "the request is a list. Expected an object with command, timeoutMs, cwd",
        ),
        (
            "",
            "the request is not valid JSON: EOF while parsing a value at line 1 column 0",
        ),
    ];
    let folder = tempdir("bad-requests");
    for (request, sentence) in cases {
        let text = bsh(["--request", "-"])
            .folder(&folder)
            .stdin(request)
            .run()
            .code(125);
        text.complains("")
            .prints(&format!("[bash:invalid-input] {sentence}\n"));
        let json = bsh(["--json", "--request", "-"])
            .folder(&folder)
            .stdin(request)
            .run();
        let report = json.code(125).report();
        assert_eq!(report.error_code(), ("INVALID_INPUT", "input"));
        assert!(report.request.is_none());
        assert_eq!(report.error.expect("an error").message, sentence);
    }
    assert!(!folder.join("RAN").exists());
}

#[test]
fn a_byte_order_mark_before_a_request_is_passed_over() {
    let ran = bsh(["--json", "--request", "-"])
        .stdin("\u{feff}{\"command\":\"echo hi\"}")
        .run()
        .code(0);
    assert_eq!(ran.report().output.expect("it ran").head, "hi\n");
}

#[test]
fn bytes_that_are_not_utf_8_are_refused_with_their_place() {
    let ran = bsh(["--request", "-"])
        .stdin(b"{\"command\":\"\xff\"}".as_slice())
        .run()
        .code(125);
    ran.prints("[bash:invalid-input] the request is not UTF-8 at offset 12\n");
    let ran = bsh([OsStr::from_bytes(b"echo \xff")]).run().code(125);
    ran.complains("bsh: the command is not UTF-8: byte 5 of \"echo \u{fffd}\"\n");
    let ran = bsh([
        OsStr::new("-C"),
        OsStr::from_bytes(b"/\xff"),
        OsStr::new("x"),
    ])
    .run()
    .code(125);
    ran.complains("bsh: --cwd: the value is not UTF-8\n");
    let ran = bsh([
        OsStr::new("--mask"),
        OsStr::from_bytes(b"\xff"),
        OsStr::new("x"),
    ])
    .run()
    .code(125);
    ran.complains("bsh: a value that has to be UTF-8 is not\n");
}

#[test]
fn a_flag_of_json_with_a_value_still_asks_for_json() {
    for (flag, lines) in [("--json=1", 1), ("--events=1", 1), ("--pretty=1", 25)] {
        let ran = bsh([flag, "true"]).run().code(125).complains("");
        assert!(ran.stdout.starts_with('{'), "{ran}");
        assert_eq!(ran.stdout.lines().count(), lines, "{ran}");
        let name = flag.trim_end_matches("=1");
        assert!(
            ran.stdout.contains(&format!("{name} takes no value")),
            "{ran}"
        );
    }
}

#[test]
fn wrong_usage_is_indented_where_reports_are() {
    let ran = bsh(["--pretty", "-t", "5", "true"]).run().code(125);
    assert!(ran.stdout.starts_with("{\n  \"tool\""), "{ran}");
    let report = Mirror::read(&ran.stdout).expect("one object");
    assert_eq!(report.error_code(), ("INVALID_INPUT", "input"));
}

#[test]
fn bad_flags_are_one_sentence_on_standard_error_or_one_report() {
    let cases: &[(&[&str], &str)] = &[
        (
            &[],
            "a command is missing. Expected bsh [OPTIONS] COMMAND, see bsh --help",
        ),
        (
            &["-t", "30", "touch RAN"],
            "--timeout: 30 has no unit: say 30s or 30ms",
        ),
        (
            &["-t", "0s", "touch RAN"],
            "--timeout: 0s is zero. Expected more than that",
        ),
        (
            &["-t", "-1s", "touch RAN"],
            "--timeout: -1s is not a duration over 0 such as 90s, 2m 30s or 500ms",
        ),
        (
            &["-t", "inf", "touch RAN"],
            "--timeout: inf is not a duration over 0 such as 90s, 2m 30s or 500ms",
        ),
        (
            &["-t", "2M", "touch RAN"],
            "--timeout: M is not a unit of time here: say m for minutes",
        ),
        (
            &["-t", "18446744073709551615s1000ms", "touch RAN"],
            "--timeout: 18446744073709551615s1000ms is too large",
        ),
        (
            &["--max-output", "0", "touch RAN"],
            "--max-output: 0 is zero. Expected more than that",
        ),
        (
            &["--head-percent", "101", "touch RAN"],
            "--head-percent: 101 is over 100. Expected 1 to 100",
        ),
        (
            &[
                "--default-timeout",
                "2m",
                "--max-timeout",
                "1m",
                "touch RAN",
            ],
            "--default-timeout: 2m is over the longest timeout, 1m. Expected at most that, or a longer --max-timeout",
        ),
        (
            &["-e", "=x", "touch RAN"],
            "--env: =x has no name. Expected NAME=VALUE",
        ),
        (
            &["--unset-env", "a=b", "touch RAN"],
            "--unset-env: \"a=b\" is no name of a variable",
        ),
        (
            &["--pass-fd", "2", "touch RAN"],
            "--pass-fd: 2 is no descriptor from 3 up",
        ),
        (
            &["--pass-fd", "400", "touch RAN"],
            "--pass-fd: descriptor 400 is not open",
        ),
        (
            &["--background", "x", "touch RAN"],
            "--background: x is unknown. Expected keep or stop",
        ),
        (
            &["--stop-signal", "NOPE", "touch RAN"],
            "--stop-signal: unknown signal NOPE, expected a name or number such as TERM, SIGINT, 15 or RTMIN+3",
        ),
        (
            &["--lifeline", "touch RAN"],
            "--lifeline: standard input is not a pipe, a socket or a terminal",
        ),
        (
            &["--lifeline", "--stdin", "inherit", "touch RAN"],
            "--stdin inherit and --lifeline cannot be used together: both read standard input",
        ),
        (
            &["--request", "-", "--stdin", "inherit"],
            "--request - and --stdin inherit cannot be used together: both read standard input",
        ),
        (
            &["--request", "/no/such"],
            "--request: cannot read /no/such: No such file or directory",
        ),
        (
            &["--request", "-", "touch RAN"],
            "--request and a command cannot be used together",
        ),
        (
            &["-c", "touch RAN"],
            "there is no -c, the command comes first: bsh 'touch RAN'",
        ),
        (
            &["--timeuot", "5s", "touch RAN"],
            "there is no --timeuot. Did you mean --timeout?",
        ),
        (&["-z", "touch RAN"], "there is no -z. See bsh --help"),
        (
            &["-lc", "touch RAN"],
            "there is no -lc, the command comes first: bsh 'touch RAN', or with the flags of a shell: bsh bash -lc 'touch RAN'",
        ),
        (
            &["-euc", "touch RAN", "a"],
            "there is no -euc, the command comes first: bsh 'touch RAN', or with the flags of a shell: bsh bash -euc 'touch RAN' a",
        ),
        (&["--live=no", "touch RAN"], "--live takes no value"),
        (&["--timeout"], "--timeout: the value is missing"),
        (
            &["--spill", "a", "--spill-dir", "b", "touch RAN"],
            "--spill and --spill-dir cannot be used together",
        ),
        (
            &["--man", "touch RAN"],
            "--man stands alone: nothing else can be given with it",
        ),
    ];
    let folder = tempdir("bad-flags");
    for (args, sentence) in cases {
        let text = bsh(*args).folder(&folder).run().code(125).prints("");
        text.complains(&format!("bsh: {sentence}\n"));
        let json_args = [&["--json"], *args].concat();
        let json = bsh(json_args).folder(&folder).run().code(125).complains("");
        let report = json.report();
        assert_eq!(report.error_code(), ("INVALID_INPUT", "input"), "{json}");
        assert_eq!(report.error.expect("an error").message, *sentence);
    }
    assert!(!folder.join("RAN").exists());
}

/// A fresh folder of this test.
fn tempdir(name: &str) -> std::path::PathBuf {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder of the test");
    folder
}
