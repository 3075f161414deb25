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

#[test]
fn the_streams_are_in_the_order_of_their_writes() {
    let line = "for i in 1 2 3 4 5 6; do echo o$i; echo e$i >&2; done";
    let expected = "o1\ne1\no2\ne2\no3\ne3\no4\ne4\no5\ne5\no6\ne6\n";
    for _ in 0..20 {
        let ran = bsh(["--view", line]).run().code(0);
        ran.prints(&format!("Exit code 0 · 0 s\n{expected}"));
    }
}

#[test]
fn a_code_of_zero_is_all_that_is_said_of_a_pipeline_or_a_list() {
    // The shell's code is 0, and so is that of the report; nothing says that all of it went well.
    let lines = [
        ("sh -c 'echo out; exit 3' | tail -1", "out"),
        ("seq 100000 | head -1", "1"),
        ("grep zzz /dev/null | wc -l", "0"),
        ("false; echo done", "done"),
        ("nosuchcmd_zz 2>/dev/null | cat", "(no output)"),
        ("false || true", "(no output)"),
    ];
    for (line, view) in lines {
        let ran = bsh([line]).run().code(0);
        ran.prints(&format!("Exit code 0 · 0 s\n{view}\n"));
    }
}

#[test]
fn a_kill_says_nothing_of_memory() {
    for line in ["kill -KILL $$", "sleep 89 & kill -KILL $!; wait $!"] {
        let ran = bsh([line]).run().code(137);
        assert!(ran.stdout.contains("Ended by SIGKILL"), "{ran}");
        assert!(!ran.stdout.to_lowercase().contains("memory"), "{ran}");
    }
    let ran = bsh(["exit 137"]).run().code(137);
    ran.prints("Exit code 137 · 0 s\n(no output)\n");
}
