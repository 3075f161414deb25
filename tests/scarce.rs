//! Little of everything: descriptors, processes, memory, room on the disk. There is a report or one sentence,
//! and nothing is left.

use std::process::Command;

use crate::harness::process::{Ran, bsh_under};

/// Runs a command under a limit of the shell that starts bsh.
fn limited(limit: &str, args: &[&str]) -> Ran {
    let script = format!("ulimit {limit} || exit; exec \"$0\" \"$@\"");
    bsh_under(&["bash", "-c", &script], args).run()
}

/// A report, or one sentence and 125.
#[track_caller]
fn says_something(ran: &Ran) {
    assert!(!ran.stderr.contains("panicked"), "{ran}");
    // The number of an error is for whoever mends bsh, its words are for its users.
    let numbered = [&ran.stdout, &ran.stderr].map(|text| text.contains("(os error"));
    assert_eq!(numbered, [false, false], "{ran}");
    if ran.stdout.is_empty() {
        let is_a_sentence = ran.stderr.starts_with("bsh: ") && ran.stderr.lines().count() == 1;
        assert!(is_a_sentence && ran.status.code() == Some(125), "{ran}");
    } else {
        ran.report();
    }
}

#[test]
fn few_descriptors() {
    let mut started = 0;
    for count in 3..=30 {
        let ran = limited(
            &format!("-n {count}"),
            &["--json", "--background", "stop", "sleep 100 & exit 7"],
        );
        says_something(&ran);
        let report = ran.report();
        if report.run.is_some() {
            ran.code(7);
            started += 1;
        } else {
            ran.code(125);
        }
    }
    assert!(started > 5, "{started}");
}

#[test]
fn little_memory() {
    // Below some size the kernel or the C library ends it before it begins.
    for kilobytes in [6_000, 8_000, 12_000, 50_000, 200_000] {
        let limit = format!("-v {kilobytes}");
        let script = format!("ulimit {limit}; exec \"$0\" --version");
        let can_start = Command::new("bash")
            .args(["-c", &script, env!("CARGO_BIN_EXE_bsh")])
            .output();
        if can_start.is_ok_and(|output| output.status.success()) {
            says_something(&limited(&limit, &["--json", "echo hi; exit 3"]));
        }
    }
}

#[test]
fn a_file_that_may_grow_no_more_harms_nothing() {
    let spill = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("scarce-spill");
    let spill = spill.to_string_lossy();
    let ran = limited("-f 1", &["--json", "--spill", &spill, "seq 1000"]).code(0);
    let report = ran.report();
    assert_eq!(report.note_codes(), ["spill-failed"], "{ran}");
    assert_eq!(report.output.map(|output| output.total_lines), Some(1_000));
    let _ = std::fs::remove_file(&*spill);
}

#[test]
fn no_signals_to_queue() {
    // The order between the streams is not known then; every byte is there all the same.
    let line = "for i in 1 2 3 4 5; do echo o$i; echo e$i >&2; done";
    let ran = limited("-i 0", &["--json", line]).code(0);
    let output = ran.report().output.expect("it ran");
    assert_eq!((output.stdout_bytes, output.stderr_bytes), (15, 15));
}

#[test]
fn no_processes_to_make() {
    let Some(user) = other_user() else { return };
    // bsh, its watcher and its thread; then the shell; then what the shell starts.
    for count in 1..8 {
        let script = format!("ulimit -u {count}; exec \"$0\" \"$@\"");
        let wrapper = [&user[..], &["bash", "-c", &script]].concat();
        let ran = bsh_under(&wrapper, ["--json", "-t", "20s", "/bin/true; exit 3"]).run();
        says_something(&ran);
    }
}

#[test]
fn a_fork_bomb_under_a_limit() {
    let Some(user) = other_user() else { return };
    let member = crate::harness::tree::member();
    let wrapper = [
        &user[..],
        &["bash", "-c", "ulimit -u 100; exec \"$0\" \"$@\""],
    ]
    .concat();
    let line = format!("'{}' bomb", member.display());
    let ran = bsh_under(&wrapper, ["--json", "-t", "500ms", "-k", "100ms", &line]).run();
    let report = ran.report();
    assert_eq!(report.status, "timeout", "{ran}");
    assert!(!report.run.expect("it ran").unconfirmed_stop, "{}", ran);
}

/// The words that run a program as a user that runs nothing else here, for whom limits count; none when
/// this is not root, or that user may not reach the programs.
fn other_user() -> Option<Vec<&'static str>> {
    let user = crate::harness::OTHER_USER;
    let reaches = Command::new(user[0])
        .args(&user[1..])
        .args([env!("CARGO_BIN_EXE_bsh"), "--version"])
        .output();
    let may = nix::unistd::geteuid().is_root() && reaches.is_ok_and(|ran| ran.status.success());
    if !may {
        println!("skipped: no other user can be had here");
    }
    may.then(|| user.to_vec())
}
