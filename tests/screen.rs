//! What a person sees while a command runs, and on a terminal.

use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use nix::sys::signal::Signal;

use crate::harness::bsh;
use crate::harness::gate::Gate;
use crate::harness::pty::on_terminal;

/// Reads until `expected` was seen.
fn read_until(pipe: &mut impl std::io::Read, expected: &str) -> String {
    let mut seen = Vec::new();
    let mut piece = [0; 4096];
    while !String::from_utf8_lossy(&seen).contains(expected) {
        let count = pipe.read(&mut piece).expect("the pipe can be read");
        let text = String::from_utf8_lossy(&seen).into_owned();
        assert!(count > 0, "the pipe ended before {expected:?}: {text:?}");
        seen.extend_from_slice(&piece[..count]);
    }
    String::from_utf8_lossy(&seen).into_owned()
}

#[test]
fn live_output_is_clean_and_comes_before_the_end() {
    let gate = Gate::new("live");
    let command = format!(
        "printf '10%%\\r20%%\\n'; echo error >&2; {}; printf last",
        gate.pass()
    );
    let mut running = bsh(["--live", "--view", &command]).start();
    let mut stderr = running.child.stderr.take().expect("a pipe");
    let seen = read_until(&mut stderr, "error\n");
    assert_eq!(seen, "20%\nerror\n");
    gate.await_ready();
    gate.open();
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).expect("text");
    assert_eq!(rest, "last\n");
    running
        .end()
        .code(0)
        .prints("Exit code 0 · 0 s\n20%\nerror\nlast\n");
}

#[test]
fn what_was_shown_is_not_printed_again_on_the_same_terminal() {
    let ran = on_terminal(&["--live", "--color", "never", "echo hi; exit 3"], &[]);
    assert_eq!(ran.status.code(), Some(3));
    let text = ran.text;
    assert!(text.starts_with("hi\nExit code 3 · "), "{text:?}");
    assert!(text.ends_with(" s\n(shown above)\n"), "{text:?}");
    let silent = on_terminal(&["--live", "--color", "never", "true"], &[]).text;
    assert!(silent.ends_with(" s\n(no output)\n"), "{silent:?}");
}

#[test]
fn a_standard_error_that_nobody_reads_delays_nothing() {
    let mut running = bsh(["--live", "--json", "--max-output", "1kB", "seq 500000"]).start();
    // Held open and not read.
    let _stderr = running.child.stderr.take();
    let ran = running.end().code(0);
    let output = ran.report().output.expect("it ran");
    assert_eq!(output.total_lines, 500_000, "{ran}");
}

#[test]
fn what_a_slow_standard_error_has_no_room_for_is_left_out_and_said_to_be() {
    let gate = Gate::new("slow");
    let command = format!("seq 500000; {}; echo end", gate.pass());
    let mut running = bsh(["--live", "--json", "--max-output", "1kB", &command]).start();
    let mut stderr = running.child.stderr.take().expect("a pipe");
    gate.await_ready();
    gate.open();
    let mut live = String::new();
    stderr.read_to_string(&mut live).expect("text");
    let ran = running.end().code(0);
    assert!(live.starts_with("1\n2\n3\n"), "{ran}");
    let left_out = live
        .lines()
        .filter_map(|line| line.strip_prefix("[bsh: ")?.split(' ').next())
        .map(|count| count.parse::<usize>().expect("a number"))
        .sum::<usize>();
    let shown = live.lines().filter(|line| !line.starts_with('[')).count();
    assert!(left_out > 0, "{ran}");
    assert_eq!(shown + left_out, 500_001, "{ran}");
}

#[test]
fn the_status_line_says_how_far_it_is_and_goes_away() {
    let gate = Gate::new("progress");
    let command = format!("echo one; printf 'two\\rtwo and more'; {}", gate.pass());
    let mut running = bsh(["--progress", "always", &command]).start();
    let mut stderr = running.child.stderr.take().expect("a pipe");
    gate.await_ready();
    let seen = read_until(&mut stderr, "two and more");
    assert!(
        seen.contains(" of 2 min · 2 lines, 20 B · two and more"),
        "{seen:?}"
    );
    gate.open();
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).expect("text");
    assert!(rest.ends_with("\r\x1b[2K"), "{rest:?}");
    let ran = running.end().code(0);
    assert!(ran.stdout.starts_with("Exit code 0 · "), "{ran}");
    assert!(ran.stdout.ends_with("\none\ntwo and more\n"), "{ran}");
}

#[test]
fn nothing_is_drawn_where_nobody_looks() {
    let gate = Gate::new("no-progress");
    let command = format!("{}; sleep 0.7", gate.pass());
    let running = bsh(["--view", &command]).start();
    gate.await_ready();
    gate.open();
    running.end().code(0).complains("");
}

#[test]
fn output_that_never_pauses_keeps_no_one_waiting() {
    let args = [
        "--json",
        "--max-capture",
        "1000GB",
        "-t",
        "100s",
        "--progress",
        "always",
        "yes",
    ];
    let mut running = bsh(args).start();
    let mut stderr = running.child.stderr.take().expect("a pipe");
    read_until(&mut stderr, " of 100 s · ");
    running.signal(Signal::SIGUSR1);
    read_until(&mut stderr, "Running for ");
    running.signal(Signal::SIGINT);
    let ran = running.end().signal(Signal::SIGINT);
    assert_eq!(ran.report().error_code(), ("ABORTED", "run"));
}

#[test]
fn sigusr1_writes_the_report_so_far_and_the_command_goes_on() {
    let gate = Gate::new("snapshot");
    let command = format!("echo before; {}; echo after", gate.pass());
    let mut running = bsh(["--json", "--live", "-t", "15m", &command]).start();
    let mut stderr = running.child.stderr.take().expect("a pipe");
    // Once it is shown it has arrived.
    read_until(&mut stderr, "before\n");
    gate.await_ready();
    for _ in 0..2 {
        running.signal(Signal::SIGUSR1);
        let seen = read_until(&mut stderr, "was used.\n");
        assert!(seen.starts_with("Running for "), "{seen:?}");
        assert!(
            seen.contains(" of 10 min.\nbefore\n\n[bash:clamped] "),
            "{seen:?}"
        );
    }
    gate.open();
    let ran = running.end().code(0);
    assert_eq!(ran.report().output.expect("it ran").head, "before\nafter\n");
}

#[test]
fn sigusr1_is_taken_whatever_the_caller_did_with_it() {
    let gate = Gate::new("snapshot-ignored");
    // `exec` keeps the pid; the signal is there before the first instruction of bsh.
    let command = format!("{}; echo survived", gate.pass());
    let script = "trap '' USR1; exec \"$0\" --view \"$1\"";
    let mut child = Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_bsh"), &command])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("bash");
    gate.await_ready();
    let pid = nix::unistd::Pid::from_raw(child.id() as i32);
    nix::sys::signal::kill(pid, Signal::SIGUSR1).expect("bsh is there");
    read_until(&mut child.stderr.take().expect("a pipe"), "Running for ");
    gate.open();
    let output = child.wait_with_output().expect("bsh ends");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.ends_with("\nsurvived\n"), "{text}");
}

#[test]
fn colours_are_for_terminals() {
    let line = "\x1b[1;31mExit code 3 · 0 s\x1b[0m\n";
    let text = |args: &[&str], variables: &[(&str, &str)]| {
        let ran = on_terminal(&[args, &["exit 3"]].concat(), variables);
        let text = ran.text;
        // A busy machine may take a tenth of a second.
        let (before, rest) = text.split_once(" · ").expect("a status line");
        let (_, after) = rest.split_once(" s").expect("a duration");
        format!("{before} · 0 s{after}")
    };
    assert!(text(&[], &[]).starts_with(line));
    assert!(text(&[], &[("NO_COLOR", "")]).starts_with(line));
    let plain = "Exit code 3 · 0 s\n(no output)\n";
    assert_eq!(text(&[], &[("NO_COLOR", "1")]), plain);
    assert_eq!(text(&[], &[("TERM", "dumb")]), plain);
    assert_eq!(text(&["--color", "never"], &[]), plain);
    bsh(["exit 3"]).run().code(3).prints(plain);
    let always = bsh(["--color", "always", "-t", "15m", "echo hi"]).run();
    assert!(always.stdout.starts_with("\x1b[1;32mExit code 0 · "));
    assert!(
        always
            .stdout
            .contains(" s\x1b[0m\nhi\n\n\x1b[2m[bash:clamped] ")
    );
}

#[test]
fn a_person_is_told_of_a_cut_timeout_before_and_of_the_flags_after() {
    let args = ["--max-timeout", "300ms", "-t", "5s", "--color", "never"];
    let text = on_terminal(&[&args[..], &["sleep 30"]].concat(), &[]).text;
    let note =
        "[bash:clamped] The requested timeout of 5 s is over the maximum, so 0.3 s was used.\n";
    assert!(text.starts_with(note), "{text:?}");
    assert_eq!(text.matches(note).count(), 2, "{text:?}");
    let hint = "bsh: -t sets the timeout, --max-timeout the longest that -t may be (now 0.3 s)\n";
    assert!(text.ends_with(hint), "{text:?}");
    let ran = bsh([&args[..], &["sleep 30"]].concat()).run().code(124);
    ran.complains("");
}

#[test]
fn a_wrong_word_is_refused() {
    for flag in ["--progress", "--color"] {
        let ran = bsh([flag, "sometimes", "true"]).run().code(125);
        ran.complains(&format!(
            "bsh: {flag}: sometimes is unknown. Expected auto, always or never\n"
        ));
    }
}

#[test]
fn sigusr1_before_the_start_ends_nothing() {
    let fifo = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("early-snapshot");
    let _ = std::fs::remove_file(&fifo);
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).expect("a pipe with a name");
    let path = fifo.to_str().expect("UTF-8");
    let running = bsh(["--view", "--request", path]).start();
    // Returns once bsh reads its request, which is before it takes any signal.
    let mut request = std::fs::File::create(&fifo).expect("bsh opens the other end");
    running.signal(Signal::SIGUSR1);
    std::io::Write::write_all(&mut request, br#"{"command": "echo survived"}"#)
        .expect("bsh reads it");
    drop(request);
    let ran = running.end().code(0);
    assert!(ran.stdout.ends_with("\nsurvived\n"), "{ran}");
}
