//! Signals to bsh are aborts: the tree is stopped, the report is printed, and bsh dies of the signal.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;

use nix::sys::signal::Signal;

use crate::harness::bsh;
use crate::harness::process::Running;

/// Starts a command that says it is ready on a pipe that its whole tree holds, so that no test sleeps
/// and hopes, and the end of the pipe is the end of the tree.
fn started(name: &str, args: &[&str]) -> (Running, File) {
    started_with(name, args, "trap 'echo cleaned; exit 0' TERM")
}

fn started_with(name: &str, args: &[&str], trap: &str) -> (Running, File) {
    let fifo = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&fifo);
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).expect("a pipe with a name");
    let command = format!(
        "exec 9>'{}'; {trap}; echo ready >&9; while :; do sleep 0.05; done",
        fifo.display()
    );
    let running = bsh([args, &[&command]].concat()).stdin_held().start();
    let mut pipe = File::open(&fifo).expect("the command opens the other end");
    let mut ready = [0; 6];
    pipe.read_exact(&mut ready)
        .expect("the command says that it is ready");
    (running, pipe)
}

/// Reads a pipe that the whole tree holds to its end.
fn tree_is_gone(mut pipe: File) {
    let mut rest = Vec::new();
    pipe.read_to_end(&mut rest).expect("the pipe can be read");
}

#[test]
fn each_signal_ends_the_command_and_then_bsh() {
    for signal in [
        Signal::SIGTERM,
        Signal::SIGINT,
        Signal::SIGHUP,
        Signal::SIGQUIT,
    ] {
        let (running, pipe) = started(&format!("abort-{signal}"), &["--json"]);
        running.signal(signal);
        let ran = running.end().signal(signal);
        let report = ran.report();
        assert_eq!(report.error_code(), ("ABORTED", "run"), "{ran}");
        // The shell may first say that its child was terminated.
        let head = report.output.as_ref().map(|output| output.head.as_str());
        assert!(
            head.is_some_and(|head| head.ends_with("cleaned\n")),
            "{ran}"
        );
        let run = report.run.as_ref().expect("it ran");
        assert_eq!(run.stopped_by.as_deref(), Some("abort"));
        tree_is_gone(pipe);
    }
}

#[test]
fn the_text_of_an_abort() {
    let (running, _pipe) = started("abort-text", &["--view"]);
    running.signal(Signal::SIGTERM);
    let ran = running.end().signal(Signal::SIGTERM);
    assert!(ran.stdout.starts_with("Aborted after "), "{ran}");
    assert!(
        ran.stdout.contains(". The process tree was stopped.\n"),
        "{ran}"
    );
    assert!(ran.stdout.ends_with("\ncleaned\n"), "{ran}");
}

#[test]
fn a_lifeline_that_ends_is_an_abort_but_no_signal() {
    let (mut running, pipe) = started("lifeline", &["--json", "--lifeline"]);
    let mut lifeline = running.child.stdin.take().expect("a pipe");
    lifeline.write_all(b"thrown away").expect("bsh reads it");
    drop(lifeline);
    let ran = running.end().code(125);
    assert_eq!(ran.report().error_code(), ("ABORTED", "run"));
    tree_is_gone(pipe);
}

#[test]
fn a_reader_that_goes_away_stops_the_command() {
    let (mut running, pipe) = started("reader-gone", &[]);
    drop(running.child.stdout.take());
    let ran = running.end().signal(Signal::SIGPIPE);
    ran.complains("");
    tree_is_gone(pipe);
}

#[test]
fn a_hangup_that_was_ignored_stays_ignored() {
    // `exec` keeps the pid, so the command can signal bsh.
    let script =
        "trap '' HUP; PID_OF_BSH=$$ exec \"$0\" --view 'kill -HUP $PID_OF_BSH; echo survived'";
    let output = std::process::Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_bsh")])
        .output()
        .expect("bash");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text.ends_with("\nsurvived\n"), "{text}");
}

#[test]
fn a_second_signal_skips_the_grace() {
    let args = ["--json", "--kill-grace", "1h"];
    let (running, pipe) = started_with("second", &args, "trap '' TERM");
    running.signal(Signal::SIGINT);
    running.signal(Signal::SIGTERM);
    // Its end within the guard of the harness is the proof; the grace is an hour.
    let ran = running.end();
    let number = std::os::unix::process::ExitStatusExt::signal(&ran.status);
    assert!([2, 15].contains(&number.unwrap_or(0)), "{ran}");
    let report = ran.report();
    assert_eq!(report.error_code(), ("ABORTED", "run"));
    assert_eq!(
        report.run.and_then(|run| run.signal).as_deref(),
        Some("SIGKILL")
    );
    tree_is_gone(pipe);
}

#[test]
fn suspended_with_bsh_the_clock_of_the_command_stands_still() {
    let (running, pipe) = started("suspended", &["--json", "--timeout", "1s"]);
    running.signal(Signal::SIGTSTP);
    let pid = nix::unistd::Pid::from_raw(running.child.id() as i32);
    let stopped = nix::sys::wait::waitpid(pid, Some(nix::sys::wait::WaitPidFlag::WUNTRACED));
    let is_stopped = matches!(stopped, Ok(nix::sys::wait::WaitStatus::Stopped(_, _)));
    assert!(is_stopped, "{stopped:?}");
    // Longer than the timeout: had the clock gone on, the command would have got none of its second.
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    running.signal(Signal::SIGCONT);
    let ran = running.end().code(124);
    let run = ran.report().run.expect("it ran");
    assert!((1_000..2_400).contains(&run.duration_ms), "{ran}");
    tree_is_gone(pipe);
}

#[test]
fn a_process_that_stopped_itself_still_cleans_up() {
    let gate = crate::harness::gate::Gate::new("stopped-cleans");
    // The shell waits until its child is really stopped, and only then says so.
    let line = format!(
        "(trap 'echo cleaned; exit 3' TERM; kill -STOP $BASHPID; echo never) & stopped=$!; \
         until read -r _ _ state _ </proc/$stopped/stat && [ \"$state\" = T ]; do :; done; {}",
        gate.pass()
    );
    let running = bsh(["--json", "-k", "50s", &line]).start();
    gate.await_ready();
    running.signal(Signal::SIGTERM);
    let ran = running.end().signal(Signal::SIGTERM);
    let report = ran.report();
    let head = &report.output.as_ref().expect("it ran").head;
    assert!(
        head.contains("cleaned\n") && !head.contains("never"),
        "{ran}"
    );
    let note = report
        .note("stopped-processes")
        .and_then(|note| note.data.clone());
    let processes = note.expect("its data")["processes"].clone();
    let is_stopped = |process: &serde_json::Value| process["state"] == "stopped";
    assert!(
        processes
            .as_array()
            .is_some_and(|all| all.iter().any(is_stopped)),
        "{ran}"
    );
}
