//! Odd places to run in: as the first process of a namespace, as the leader of a session, without `/proc`,
//! beside a process that may not be signalled.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::process::bsh_under;

/// Whether a program runs with these words; else says that a test is skipped.
fn works(words: &[&str]) -> bool {
    let tried = Command::new(words[0])
        .args(&words[1..])
        .arg("true")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let works = tried.is_ok_and(|status| status.success());
    if !works {
        println!("skipped: {words:?} is not to be had here");
    }
    works
}

/// A namespace of processes of its own, in which bsh is the first.
fn namespace<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let words: &[_] = if nix::unistd::geteuid().is_root() {
        &["unshare", "-pf"]
    } else {
        &["unshare", "-Urpf"]
    };
    [words, more].concat()
}

#[test]
fn as_the_first_process() {
    let first = namespace(&["--mount-proc"]);
    if !works(&first) {
        return;
    }
    let ran = bsh_under(&first, ["--json", "echo $PPID; exit 7"])
        .run()
        .code(7);
    assert_eq!(
        ran.report().output.map(|output| output.head),
        Some("2\n".into())
    );
    let line = "setsid sleep 92 & (setsid sleep 92 &); exec sleep 92";
    let ran = bsh_under(&first, ["--json", "-t", "300ms", "-k", "100ms", line]).run();
    let report = ran.report();
    assert_eq!(report.status, "timeout", "{ran}");
    assert!(!report.run.expect("it ran").unconfirmed_stop, "{}", ran);
    // Ends with 128 + N where a signal cannot end it.
    let line = "kill -TERM 1; exec sleep 92";
    let ran = bsh_under(&first, ["--json", "-k", "100ms", line]).run();
    assert_eq!(ran.report().error_code(), ("ABORTED", "run"), "{ran}");
    ran.code(128 + 15);
}

#[test]
fn as_the_leader_of_a_session() {
    let ran = bsh_under(
        &["setsid", "-w"],
        ["--json", "-t", "300ms", "-k", "100ms", "exec sleep 92"],
    )
    .run();
    let report = ran.report();
    assert_eq!(report.status, "timeout", "{ran}");
    ran.code(124);
}

#[test]
fn without_proc() {
    let script = "mount -t tmpfs none /proc && exec \"$0\" \"$@\"";
    let hidden = namespace(&["-m", "bash", "-c", script]);
    if !works(&hidden) {
        return;
    }
    let ran = bsh_under(&hidden, ["--json", "echo hi; sleep 0.01 & wait; exit 7"])
        .run()
        .code(7);
    assert_eq!(
        ran.report().output.map(|output| output.head),
        Some("hi\n".into())
    );
    // The process group is all that can be signalled, and a stop is confirmed by waiting all the same.
    let args = [
        "--json",
        "-t",
        "300ms",
        "-k",
        "100ms",
        "sleep 92 & exec sleep 92",
    ];
    let ran = bsh_under(&hidden, args).run();
    let report = ran.report();
    assert_eq!(report.status, "timeout", "{ran}");
    assert!(!report.run.expect("it ran").unconfirmed_stop, "{}", ran);
}

#[test]
fn pids_that_come_round() {
    let script = "for i in $(seq 100); do echo 400 > /proc/sys/kernel/ns_last_pid || exit 9; \
                  \"$0\" -t 5s -- 'true & true & true' >/dev/null || exit; \"$0\" -t 5s -k 1ms --background stop -- \
                  'sleep 91 & true' >/dev/null || exit; done; echo all";
    let round = namespace(&["--mount-proc"]);
    if !works(&round) {
        return;
    }
    let output = Command::new(round[0])
        .args(&round[1..])
        .args(["bash", "-c", script, env!("CARGO_BIN_EXE_bsh")])
        .output()
        .expect("a namespace");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "all\n",
        "{output:?}"
    );
}

#[test]
fn another_users_process() {
    // A program that becomes another user, as sudo does: this test is root, the command is not, and what it
    // starts is root again.
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let as_root = folder.join("as-root");
    let user = crate::harness::OTHER_USER;
    if !nix::unistd::geteuid().is_root() {
        println!("skipped: only root can make a program that becomes another user");
        return;
    }
    // For the group of that user alone, and gone at the end of the test.
    std::fs::copy("/usr/bin/setpriv", &as_root).expect("a copy");
    std::os::unix::fs::chown(&as_root, None, Some(54321)).expect("an owner");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o4750);
    std::fs::set_permissions(&as_root, mode).expect("a mode");
    let as_root = as_root.to_string_lossy().into_owned();
    let becomes = [&as_root, "--reuid", "0", "--regid", "0", "--clear-groups"];
    let works = works(&[&user[..], &becomes].concat());
    let line = format!(
        "trap '' TERM; {} sleep 3 >/dev/null 2>&1 & sleep 90 & exec sleep 90",
        becomes.join(" ")
    );
    let ran = bsh_under(&user, ["--json", "-t", "200ms", "-k", "100ms", &line]).run();
    let _ = std::fs::remove_file(&as_root);
    if !works {
        return;
    }
    let report = ran.report();
    assert_eq!(report.status, "timeout", "{ran}");
    let run = report.run.as_ref().expect("it ran");
    assert!(run.unconfirmed_stop && run.duration_ms < 2_500, "{ran}");
    let note = report
        .note("unconfirmed-stop")
        .and_then(|note| note.data.clone());
    let processes = note.expect("its data")["processes"].clone();
    assert_eq!(processes.as_array().map(Vec::len), Some(1), "{ran}");
    assert_eq!(processes[0]["reason"], "other-user", "{ran}");
    assert!(!report.text().contains("was stopped"), "{ran}");
}

#[test]
fn an_absolute_folder_needs_no_current_one() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vanishes");
    std::fs::create_dir_all(&folder).expect("a folder");
    let program = env!("CARGO_BIN_EXE_bsh");
    let line = format!(
        "cd '{folder}' && rmdir '{folder}' && '{program}' --view -C / pwd && '{program}' --json pwd",
        folder = folder.display()
    );
    let ran = Command::new("bash")
        .args(["-c", &line])
        .output()
        .expect("bash runs");
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(text.starts_with("Exit code 0 · 0 s\n/\n"), "{text}");
    assert!(text.contains("CWD_NOT_FOUND"), "{text}");
    assert_eq!(ran.status.code(), Some(125));
}
