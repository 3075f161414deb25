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
