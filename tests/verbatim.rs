//! The command reaches bash as it was given, byte for byte, and bash it is.

use std::process::{Command, Stdio};

use crate::harness::bsh;
use crate::harness::script::folder;

/// Exit code and raw output of a line that bash itself runs.
fn by_bash(line: &str) -> (Option<i32>, String) {
    let ran = Command::new("bash")
        .args(["-c", "exec bash -c \"$1\" 2>&1", "bash", line])
        .stdin(Stdio::null())
        .output()
        .expect("bash");
    let text = String::from_utf8(ran.stdout).expect("text");
    (ran.status.code(), text)
}

/// The same through `bsh`.
fn by_bsh(spill: &std::path::Path, line: &str) -> (Option<i32>, String) {
    let path = spill.to_str().expect("a path of the test");
    let ran = bsh(["--json", "--spill", path, "--", line]).run();
    let report = ran.report();
    assert_eq!(report.request.expect("a request").command, line);
    assert_eq!(report.run.expect("it ran").command, line);
    let raw = std::fs::read_to_string(spill).expect("the spill");
    (ran.status.code(), raw)
}

#[test]
fn a_line_does_what_it_does_in_bash() {
    let lines = [
        // Quotes, history, expansions.
        r#"printf '%s|' ' != ' 'x!' '\\' '$HOME' '`' "a\"b" $'\t' 'it'\''s'"#,
        "true | { cat; echo brace; }; echo PID=$$ | sed 's/[0-9]*$/N/'",
        "echo 'a | b' | (bash -c 'cat'; echo \"$(cat </dev/null)\")",
        "cat <<'MY-MARKER'\none: C:\\Users\ntwo: C:\\\\Users 'quote' `bt` $x\nMY-MARKER",
        "cat <<MY-MARKER\n$((1 + 1)) `echo bt`\nMY-MARKER\nexit 9",
        "echo \"$0 $# $-\"; return 3; echo $?",
        // What would swallow or change a word that is put behind it.
        "exit 4 # a comment at the end",
        "(exit 5)\n# a comment at the end",
        ": &",
        "cat <<EOF\nunterminated",
        "echo x \\",
        "false ||\n",
        "echo 'not closed",
        "echo $(not closed",
        "{ echo brace",
        "trap 'echo trap; exit 6' EXIT; exit 7",
        // What would be changed by words that are put before it, or by another round of expansion.
        "  \t echo blanks  ",
        "\n\necho lines\n\n",
        "! false",
        "eval 'echo \"$(echo \\$HOME)\"'",
        "shopt -s extglob\ncase abc in +([a-c])) echo glob;; esac",
        "alias e='echo alias'; e 2>/dev/null || echo none",
    ];
    let spill = folder("verbatim").join("out");
    for line in lines {
        assert_eq!(by_bsh(&spill, line), by_bash(line), "{line:?}");
    }
}

#[test]
fn carriage_returns_in_a_command_stay() {
    let lines = [
        "echo hi\r\nif true; then\r\n echo yes\r\nfi\r\n",
        "cat <<EOF\r\nhello\r\nEOF\r\n",
        "printf '%s' 'a\r\nb\rc' | od -An -c",
        "echo one\r\necho two",
        "exit 3\r",
    ];
    let spill = folder("verbatim-cr").join("out");
    for line in lines {
        assert_eq!(by_bsh(&spill, line), by_bash(line), "{line:?}");
    }
    // They are data to bash, and a word of its grammar that ends with one is another word.
    let (code, text) = by_bsh(&spill, lines[0]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("syntax error"), "{text}");
    assert_eq!(
        by_bsh(&spill, "printf %s 'a\r\nb'"),
        (Some(0), "a\r\nb".into())
    );
}

#[test]
fn it_is_the_one_word_after_c() {
    let line = "tr '\\0' '|' </proc/$$/cmdline # \"'`$x\\";
    let ran = bsh(["--view", line]).run().code(0);
    ran.prints(&format!("Exit code 0 · 0 s\nbash|-c|{line}|\n"));
    let line = "printf '<%s>' \"$BASH_EXECUTION_STRING\" # \t ";
    let spill = folder("verbatim-word").join("out");
    assert_eq!(by_bsh(&spill, line), (Some(0), format!("<{line}>")));
}

#[test]
fn a_command_that_begins_with_a_dash_is_a_command() {
    for line in ["-n", "--help", "-c", "--", "-"] {
        let ran = bsh(["--view", "--", line]).run().code(127);
        ran.prints(&format!(
            "Exit code 127 · 0 s\nbash: line 1: {line}: command not found\n"
        ));
    }
    let ran = bsh(["--view", "--", "-c", "echo arg"]).run().code(127);
    ran.prints("Exit code 127 · 0 s\nbash: line 1: -c: command not found\n");
}

#[test]
fn the_shell_is_bash_whatever_shell_the_user_has() {
    let line = "echo \"$0 ${BASH_VERSION:+is bash}\"; [[ a == a ]] && echo conditional";
    for shell in ["/usr/bin/fish", "/bin/zsh", "/bin/sh", "/no/such", ""] {
        let ran = bsh(["--view", line]).env("SHELL", shell).run().code(0);
        ran.prints("Exit code 0 · 0 s\nbash is bash\nconditional\n");
    }
}

#[test]
fn without_bash_on_the_path_nothing_takes_its_place() {
    let empty = folder("no-bash");
    for path in ["/nonexistent", "", empty.to_str().expect("UTF-8")] {
        let ran = bsh(["--json", "echo hi"]).env("PATH", path).run().code(125);
        let report = ran.report();
        assert_eq!(report.error_code(), ("SPAWN_FAILED", "run"), "{ran}");
        assert!(report.run.is_none() && report.output.is_none(), "{ran}");
        assert_eq!(
            report.error.expect("an error").message,
            "The shell could not be started: there is no bash on the PATH."
        );
    }
}
