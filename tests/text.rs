//! The text, to the letter.

use crate::harness::bsh;

#[test]
fn the_main_example() {
    bsh(["--timeout", "15m", "echo ls -la"])
        .run()
        .code(0)
        .complains("")
        .prints(
            "Exit code 0 · 0 s\n\
         ls -la\n\
         \n\
         [bash:clamped] The requested timeout of 15 min is over the maximum, so 10 min was used.\n",
        );
}

#[test]
fn status_lines() {
    bsh(["true"])
        .run()
        .code(0)
        .prints("Exit code 0 · 0 s\n(no output)\n");
    bsh(["exit 7"])
        .run()
        .code(7)
        .prints("Exit code 7 · 0 s\n(no output)\n");
    let killed = bsh(["--view", "kill -KILL $$"]).run().code(137);
    killed.prints("Ended by SIGKILL · 0 s\n(no output)\n");
    let timeout = bsh(["--view", "-t", "300ms", "echo before; sleep 30"])
        .run()
        .code(124);
    timeout.prints("Timed out after 0.3 s. The process tree was stopped.\nbefore\n");
    let capped = bsh([
        "--view",
        "--max-capture",
        "1kB",
        "--max-output",
        "20",
        "yes",
    ])
    .run()
    .code(125);
    capped.prints(
        "Stopped at 1 KB of output. The process tree was stopped.\n\
         y\ny\n\
         [… 490 lines and 980 B left out …]\n\
         y\ny\ny\ny\ny\ny\ny\ny\n",
    );
}

#[test]
fn the_gap_line_stands_between_head_and_tail() {
    let ran = bsh(["--max-lines", "10", "seq 1000; exit 1"]).run().code(1);
    ran.prints(
        "Exit code 1 · 0 s\n1\n2\n[… 990 lines and 3.9 KB left out …]\n\
         993\n994\n995\n996\n997\n998\n999\n1000\n",
    );
}

#[test]
fn the_view_mode_has_no_notes() {
    let ran = bsh(["--view", "--timeout", "15m", "echo hi"]).run();
    ran.code(0).prints("Exit code 0 · 0 s\nhi\n");
}

#[test]
fn a_command_that_did_not_start_prints_its_notes_alone() {
    let ran = bsh(["-t", "15m", "-C", "/no/such\tfolder\u{1b}[31m", "true"])
        .run()
        .code(125);
    ran.complains("").prints(
        "[bash:clamped] The requested timeout of 15 min is over the maximum, so 10 min was used.\n\
         [bash:cwd-not-found] The folder /no/such folder[31m does not exist.\n",
    );
}
