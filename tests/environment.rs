//! The environment of a command.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use crate::harness::bsh;

#[test]
fn the_defaults_win_over_what_was_inherited_and_flags_over_the_defaults() {
    let show = "echo $PAGER $GIT_PAGER $GIT_TERMINAL_PROMPT $NO_COLOR $TERM";
    let with = |args: &[&str], text: &str| {
        let ran = bsh([args, &["--view", show]].concat())
            .env("PAGER", "less")
            .env("TERM", "xterm");
        ran.run()
            .code(0)
            .prints(&format!("Exit code 0 · 0 s\n{text}\n"));
    };
    with(&[], "cat cat 0 1 dumb");
    with(
        &["--pass-env", "PAGER", "-e", "TERM=vt100"],
        "less cat 0 1 vt100",
    );
    with(&["--unset-env", "NO_COLOR"], "cat cat 0 dumb");
    with(&["-e", "TERM=a", "--clear-env", "-e", "PAGER=b"], "b dumb");
    with(
        &[
            "-e",
            "PAGER=a",
            "--pass-env",
            "PAGER",
            "-e",
            "TERM=b",
            "-e",
            "TERM=c",
        ],
        "less cat 0 1 c",
    );
}

#[test]
fn odd_bytes_and_exported_functions_reach_the_command() {
    let ran = bsh(["--view", "printf %s \"$ODD\" | od -An -tx1; f"])
        .env("ODD", OsStr::from_bytes(b"\xff\xfe"))
        .env("BASH_FUNC_f%%", "() { echo called; }")
        .run();
    ran.code(0).prints("Exit code 0 · 0 s\n ff fe\ncalled\n");
}

#[test]
fn the_locale_is_the_commands_and_changes_no_byte() {
    for locale in ["C", "POSIX", "C.UTF-8", "en_US.ISO-8859-1", "xx_YY"] {
        // Bash warns of a locale that is not installed before anything else.
        let line = "printf 'h\\303\\251llo\\n'; echo \"$LC_ALL é\"";
        let ran = bsh(["--json", line]).env("LC_ALL", locale).run().code(0);
        let output = ran.report().output.expect("it ran");
        let expected = format!("héllo\n{locale} é\n");
        assert!(output.head.ends_with(&expected), "{ran}");
        assert_eq!(output.stdout_bytes, expected.len() as u64, "{ran}");
    }
}

#[test]
fn no_profile_is_read_but_by_a_login_shell_of_the_commands_own() {
    let home = crate::harness::script::folder("profile");
    for file in [".bash_profile", ".profile", ".bashrc"] {
        std::fs::write(home.join(file), "export PAGER=less TERM=xterm\n").expect("a file");
    }
    let show = "echo $PAGER $TERM";
    let with = |line: &str, text: &str| {
        let ran = bsh(["--view", line]).env("HOME", &home).run().code(0);
        assert!(ran.stdout.ends_with(&format!("\n{text}\n")), "{ran}");
    };
    with(show, "cat dumb");
    with(&format!("bash -lc '{show}'"), "less xterm");
}
