//! Every system call on the way to a report fails once: what comes is a report or one sentence, and nothing
//! is left.
//!
//! `strace` makes them fail (strace(1), "inject"), each process and thread counting for itself, the shell and its
//! children too. It ends when the last process that it follows has ended, so its own end is the tree's.
//! `BSH_FAULTS` says how many calls of each kind are made to fail; without it the first two.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::harness::process::{Ran, bsh_under};
use crate::harness::tree::member;

/// A call and the error that it gives.
const CALLS: [(&str, &str); 40] = [
    ("pipe2", "EMFILE"),
    ("socketpair", "EMFILE"),
    ("clone", "EAGAIN"),
    ("clone3", "EAGAIN"),
    ("execve", "ENOMEM"),
    ("wait4", "EINTR"),
    ("waitid", "EINTR"),
    ("read", "EIO"),
    ("recvfrom", "ENOMEM"),
    ("sendto", "ENOBUFS"),
    ("poll", "EINTR"),
    ("ppoll", "ENOMEM"),
    ("epoll_create1", "EMFILE"),
    ("epoll_ctl", "ENOMEM"),
    ("epoll_wait", "EINTR"),
    ("signalfd4", "EMFILE"),
    ("prctl", "EINVAL"),
    ("eventfd2", "EMFILE"),
    ("fcntl", "EMFILE"),
    ("fcntl", "EPERM"),
    ("splice", "EINVAL"),
    ("openat", "EMFILE"),
    ("write", "ENOSPC"),
    ("pidfd_open", "EMFILE"),
    ("pidfd_send_signal", "EPERM"),
    ("getdents64", "ENOMEM"),
    ("setsid", "EPERM"),
    ("mmap", "ENOMEM"),
    ("munmap", "EINVAL"),
    ("ioctl", "EINVAL"),
    ("newfstatat", "EACCES"),
    ("statx", "EACCES"),
    ("kill", "EPERM"),
    ("dup2", "EBUSY"),
    ("chdir", "EIO"),
    ("getcwd", "ENOENT"),
    ("getrandom", "EAGAIN"),
    ("sigaltstack", "ENOMEM"),
    ("prlimit64", "EPERM"),
    ("access", "EACCES"),
];

/// A command that ends by itself and leaves a process that is stopped, and one that is stopped by its timeout.
const COMMANDS: [(&str, &str); 2] = [
    (
        "5s",
        "echo out; echo err >&2; \"$member\" hang >/dev/null 2>&1 & exit 3",
    ),
    (
        "150ms",
        "\"$member\" count 300 7; \"$member\" session hang & exec \"$member\" hang",
    ),
];

#[test]
fn each_system_call_fails_in_turn() {
    if let Err(why) = strace_works() {
        println!("skipped: {why}");
        return;
    }
    let positions = std::env::var("BSH_FAULTS").ok();
    let positions: u32 = positions.and_then(|text| text.parse().ok()).unwrap_or(2);
    // Two at a time: each is mostly waiting for strace.
    std::thread::scope(|scope| {
        for half in [0, 1] {
            scope.spawn(move || {
                for (call, error) in CALLS.iter().skip(half).step_by(2) {
                    fail(call, error, positions);
                }
            });
        }
    });
}

#[test]
fn every_byte_comes_where_the_kernel_cannot_splice() {
    if let Err(why) = strace_works() {
        println!("skipped: {why}");
        return;
    }
    let wrapper = [
        "strace",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        "inject=splice:error=EINVAL",
    ];
    let member = member();
    let member = member.to_string_lossy();
    let args = ["--json", "--", &member, "count", "10000", "1"];
    let output = bsh_under(&wrapper, args).run().code(0).report().output;
    let output = output.expect("it ran");
    assert_eq!((output.total_lines, output.total_bytes), (10_000, 48_890));
}

/// The watcher is held as it begins to stop the tree, longer than bsh waits for it.
#[test]
fn a_late_watcher_is_left_to_its_work() {
    if let Err(why) = strace_works() {
        println!("skipped: {why}");
        return;
    }
    // Its third message, and nobody else's: what it is about to stop.
    let inject = "inject=sendto:delay_exit=2500000:when=3";
    let wrapper = [
        "strace",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        "trace=sendto",
        "-e",
        inject,
    ];
    let line = format!("exec 9>/dev/null; exec '{}' hang", member().display());
    let args = ["--json", "-t", "200ms", "-k", "50ms", "--", &line];
    // strace ends when all that it follows have ended.
    let ran = bsh_under(&wrapper, args).run().code(124);
    let report = ran.report();
    let note = report.note("unconfirmed-stop").expect("it is said");
    let named = note.data.as_ref().map(|data| data["processes"].clone());
    assert_eq!(
        named.and_then(|named| Some(named.as_array()?.len())),
        Some(1),
        "{ran}"
    );
}

fn strace_works() -> Result<(), &'static str> {
    let tried = Command::new("strace")
        .args(["-o", "/dev/null", "true"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match tried {
        Err(_) => Err("there is no strace"),
        Ok(status) if !status.success() => Err("tracing is not allowed here"),
        Ok(_) => Ok(()),
    }
}

/// Lets the first, the second… call of this kind fail, until there are no more.
fn fail(call: &str, error: &str, positions: u32) {
    for (which, (timeout, line)) in COMMANDS.iter().enumerate() {
        for position in 1..=positions {
            let name = format!("fault-{call}-{which}-{position}");
            let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(&name);
            let log = place.with_extension("log");
            let spill = place.with_extension("spill");
            let ran = run(call, error, position, timeout, line, (&log, &spill));
            let lines = std::fs::read_to_string(&log).unwrap_or_default();
            let injected = lines.lines().find(|line| line.contains("(INJECTED)"));
            for path in [&log, &spill] {
                let _ = std::fs::remove_file(path);
            }
            let Some(injected) = injected else { break };
            check(&ran, injected);
        }
    }
}

fn run(
    call: &str,
    error: &str,
    position: u32,
    timeout: &str,
    line: &str,
    (log, spill): (&PathBuf, &PathBuf),
) -> Ran {
    let trace = format!("trace={call}");
    let inject = format!("inject={call}:error={error}:when={position}");
    let log = log.to_string_lossy();
    let wrapper = [
        "strace", "-f", "-qq", "-o", &log, "-e", &trace, "-e", &inject,
    ];
    let spill = spill.to_string_lossy();
    let command = format!("member='{}'; exec 9>/dev/null; {line}", member().display());
    let args = [
        "--json",
        "--usage",
        "-t",
        timeout,
        "-k",
        "50ms",
        "--background",
        "stop",
        "--spill",
        &spill,
        "--",
        &command,
    ];
    bsh_under(&wrapper, args).run()
}

/// A report, or one sentence and 125.
fn check(ran: &Ran, injected: &str) {
    assert!(!ran.stderr.contains("panicked"), "{injected}\n{ran}");
    if !ran.stdout.is_empty() {
        ran.report();
        return;
    }
    let is_a_sentence = ran.stderr.starts_with("bsh: ") && ran.stderr.lines().count() == 1;
    assert!(
        is_a_sentence && ran.status.code() == Some(125),
        "{injected}\n{ran}"
    );
}
