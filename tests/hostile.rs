//! What a command does to the processes that watch it, and what the report says of it.

use nix::sys::signal::Signal;

use crate::harness::bsh;
use crate::harness::process::bsh_under;
use crate::harness::tree::Tree;

fn head(report: &crate::harness::Mirror) -> String {
    let output = report.output.as_ref().expect("it ran");
    output.head.clone()
}

#[test]
fn a_signal_to_the_watcher_is_the_commands_own() {
    let ran = bsh(["--json", "echo before; kill -TERM $PPID; echo after"])
        .run()
        .code(0);
    let report = ran.report();
    assert_eq!(head(&report), "before\nafter\n", "{ran}");
    let note = report.note("own-signal").and_then(|note| note.data.clone());
    assert_eq!(
        note.map(|data| data["signal"].clone()),
        Some("SIGTERM".into()),
        "{ran}"
    );
}

#[test]
fn a_signal_to_its_own_group_ends_the_command_alone() {
    let ran = bsh(["--json", "echo before; kill 0; exec sleep 99"])
        .run()
        .code(128 + 15);
    let report = ran.report();
    assert_eq!(
        (report.status.as_str(), head(&report).as_str()),
        ("failed", "before\n")
    );
}

#[test]
fn a_pattern_of_its_own_text_finds_neither_bsh_nor_the_watcher() {
    let line = "echo before; pkill -9 -f bsh-hostile-no-such-server; echo after";
    let ran = bsh(["--json", line]).run();
    let report = ran.report();
    // The pattern is in the shell's own command line, and there alone.
    assert_eq!(
        report.run.and_then(|run| run.signal).as_deref(),
        Some("SIGKILL")
    );
    ran.code(128 + 9);
}

#[test]
fn a_killed_watcher_is_said_and_nothing_is_left() {
    let line = "\"$member\" session orphan hang; kill -KILL $PPID; exec \"$member\" hang";
    let tree = Tree::start("kill-watcher", &["--json", "-k", "100ms"], line, 0);
    let ran = tree.gone().end().code(125);
    let report = ran.report();
    assert_eq!(report.error_code(), ("RUNNER_LOST", "run"), "{ran}");
    assert!(!report.run.expect("it ran").unconfirmed_stop);
}

#[test]
fn a_stopped_watcher_still_stops_the_tree() {
    let line = "\"$member\" session hang & kill -STOP $PPID; exec \"$member\" hang";
    let args = ["--json", "-k", "100ms", "-t", "700ms"];
    let ran = Tree::start("stop-watcher", &args, line, 0)
        .gone()
        .end()
        .code(124);
    assert_eq!(ran.report().status, "timeout", "{ran}");
    // And when bsh is killed meanwhile, the kernel continues the watcher.
    let tree = Tree::start("stop-watcher-kill", &["--json", "-k", "100ms"], line, 2);
    tree.running.signal(Signal::SIGKILL);
    tree.gone().end().signal(Signal::SIGKILL);
}

#[test]
fn a_watcher_that_waits_for_its_shell_ends_with_bsh() {
    // Killed at any moment of its start. The watcher holds standard error until it has started the shell, so
    // the end of that pipe, which `end` reads, shows that it did not stay.
    for _ in 0..40 {
        let running = bsh(["--json", "true"]).start();
        running.signal(Signal::SIGKILL);
        running.end();
    }
}

#[test]
fn neither_is_open_to_the_commands_descriptors_or_memory() {
    // Root may look everywhere, so this takes another user.
    let user = crate::harness::OTHER_USER;
    let wrapper: &[&str] = if nix::unistd::geteuid().is_root() {
        &user
    } else {
        &[]
    };
    let reaches = std::process::Command::new(wrapper.first().unwrap_or(&"true"))
        .args(wrapper.iter().skip(1))
        .args(wrapper.first().map(|_| env!("CARGO_BIN_EXE_bsh")))
        .arg("--version")
        .output();
    if !reaches.is_ok_and(|ran| ran.status.success()) {
        println!("skipped: another user may not reach this binary");
        return;
    }
    let line = "read -r _ _ _ bsh _ < /proc/$PPID/stat; for pid in $PPID $bsh; do \
                ls /proc/$pid/fd >/dev/null 2>&1 && echo fd; { echo forged > /proc/$pid/fd/1; } 2>/dev/null && echo out; \
                { : < /proc/$pid/mem; } 2>/dev/null && echo mem; \
                { : < /proc/$pid/environ; } 2>/dev/null && echo environ; done; echo $bsh";
    let ran = bsh_under(wrapper, ["--json", line]).run().code(0);
    let text = head(&ran.report());
    assert!(
        text.trim_end().parse::<i32>().is_ok_and(|bsh| bsh > 1),
        "{ran}"
    );
}

#[test]
fn descriptors_of_the_caller_are_not_the_commands() {
    let script = "exec 7</dev/null; exec \"$0\" \"$@\"";
    let ran = bsh_under(
        &["bash", "-c", script],
        ["--json", "ls -l /proc/self/fd | wc -l"],
    )
    .run()
    .code(0);
    // `total`, then 0, 1, 2, and the folder itself.
    assert_eq!(head(&ran.report()), "5\n", "{ran}");
}

#[test]
fn flags_that_the_command_changes_on_its_pipes_lose_nothing() {
    // Opened anew through /proc the pipe has flags of its own; on the shared ones a reader must not rely.
    let line = "exec 5<>/proc/self/fd/1; echo one >&5; cat /dev/null <&5 & echo two; kill $! ; wait; echo three";
    let ran = bsh(["--json", "-t", "20s", line]).run().code(0);
    let text = head(&ran.report());
    assert!(text.contains("three\n"), "{ran}");
}

#[test]
fn signals_that_the_caller_blocks_or_ignores_change_nothing() {
    let blocked = [
        "env",
        "--block-signal",
        "--ignore-signal=CHLD",
        "--ignore-signal=PIPE",
    ];
    let line = "grep -E '^Sig(Blk|Ign)' /proc/self/status; exit 7";
    let ran = bsh_under(&blocked, ["--json", line]).run().code(7);
    let text = head(&ran.report());
    let none = "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n";
    assert_eq!(text, none, "{ran}");
    let ran = bsh_under(&blocked, ["--json", "-t", "300ms", "exec sleep 94"]).run();
    assert_eq!(ran.code(124).report().status, "timeout");
}

#[test]
fn bsh_inside_bsh() {
    let bsh_path = env!("CARGO_BIN_EXE_bsh");
    let line = format!("'{bsh_path}' --view -t 40s -- '{bsh_path} --view \"echo deep; exit 5\"'");
    let ran = bsh(["--json", &line]).run().code(5);
    assert!(head(&ran.report()).ends_with("deep\n"), "{ran}");
    // The outer timeout takes the inner calls with it.
    let line = format!("'{bsh_path}' --kill-grace 1h -t 1h -- 'exec sleep 93'");
    let ran = bsh(["--json", "-t", "500ms", "-k", "100ms", &line])
        .run()
        .code(124);
    assert!(
        !ran.report().run.expect("it ran").unconfirmed_stop,
        "{}",
        ran
    );
}

#[test]
fn forty_at_once() {
    let all: Vec<_> = (0..40)
        .map(|number| {
            let line = format!("echo {number}; exit {number}");
            (number, bsh(["--json", &line]).start())
        })
        .collect();
    for (number, running) in all {
        let ran = running.end().code(number);
        assert_eq!(head(&ran.report()), format!("{number}\n"));
    }
}
