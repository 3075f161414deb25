//! The words of a command line, and what bsh says about itself.

use std::os::unix::process::CommandExt as _;

use crate::harness::bsh;

#[test]
fn words_become_a_line() {
    let line_of = |args: &[&str]| {
        let ran = bsh([&["--json"], args].concat()).run();
        ran.report().request.expect("a request").command
    };
    assert_eq!(line_of(&["echo a | cat"]), "echo a | cat");
    assert_eq!(line_of(&["echo", "--json", "-la"]), "echo --json -la");
    assert_eq!(
        line_of(&["--", "echo", "a b", "it's"]),
        r"echo 'a b' 'it'\''s'"
    );
    assert_eq!(line_of(&["time", "true"]), "'time' true");
    assert_eq!(line_of(&["A=1", "true"]), "'A=1' true");
    assert_eq!(line_of(&["--", "-n"]), "-n");
    assert_eq!(line_of(&["--", "-c", "echo arg"]), "-c 'echo arg'");
}

#[test]
fn about_bsh_itself() {
    let version = bsh(["--version"]).run().code(0);
    version.prints(&format!("bsh {}\n", env!("CARGO_PKG_VERSION")));
    let help = bsh(["--help"]).run().code(0).complains("");
    for heading in ["Request", "Limits", "Environment", "Run", "Output", "About"] {
        assert!(help.stdout.contains(&format!("\n{heading}:\n")), "{help}");
    }
    let short = bsh(["-h"]).run().code(0).complains("");
    assert!(short.stdout.lines().count() <= 24, "{short}");
}

#[test]
fn what_cannot_be_written_is_called_what_it_is() {
    let cases: &[(&[&str], &str)] = &[
        (&["-h"], "the help"),
        (&["--help"], "the help"),
        (&["-V"], "the version"),
        (&["--man"], "the manual page"),
        (&["--completions", "bash"], "the completions"),
        (&["--schema", "request"], "the schema"),
        (&["--explain", "1", "grep x"], "the meaning"),
        (&["--json", "--wrong"], "the report"),
        (&["--events", "true"], "the events"),
    ];
    for (args, what) in cases {
        let ran = bsh(*args).with_stdout(full()).code(125);
        ran.complains(&format!(
            "bsh: cannot write {what} to standard output: No space left on device\n"
        ));
    }
}

/// A file on a disk without room.
fn full() -> std::fs::File {
    let options = std::fs::OpenOptions::new().write(true).open("/dev/full");
    options.expect("/dev/full")
}

#[test]
fn a_report_that_cannot_be_written() {
    bsh(["true"])
        .with_stdout(full())
        .code(125)
        .complains("bsh: cannot write the report to standard output: No space left on device\n");
    let closed = std::process::Command::new("bash")
        .args(["-c", "exec \"$0\" 'echo hi' >&-", env!("CARGO_BIN_EXE_bsh")])
        .output()
        .expect("bash");
    assert_eq!(closed.status.code(), Some(125));
    let stderr = String::from_utf8_lossy(&closed.stderr);
    assert_eq!(
        stderr,
        "bsh: cannot write the report to standard output: it is closed\n"
    );
}

#[test]
fn closed_standard_descriptors_do_no_harm() {
    for closing in ["<&-", "2>&-", "<&- 2>&-"] {
        let mut command = std::process::Command::new("bash");
        let script = format!("exec \"$0\" --view 'echo hi; echo err >&2' {closing}");
        command
            .args(["-c", &script, env!("CARGO_BIN_EXE_bsh")])
            .process_group(0);
        let output = command.output().expect("bash");
        assert_eq!(output.status.code(), Some(0), "{closing}");
        assert!(output.stdout.ends_with(b"hi\nerr\n"), "{closing}");
    }
}

#[test]
fn descriptors_named_by_a_word_are_passed() {
    let script = "exec \"$0\" --view cat <(echo through)";
    let output = std::process::Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_bsh")])
        .output()
        .expect("bash");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.ends_with("\nthrough\n"), "{text}");
}
