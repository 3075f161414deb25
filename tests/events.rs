//! `--events`: one JSON object a line, as things happen.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use nix::sys::signal::Signal;
use serde::Deserialize;
use serde_json::Value;

use crate::harness::process::Ran;
use crate::harness::script::folder;
use crate::harness::{Mirror, bsh, mirror};

/// An event read back strictly.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, tag = "t", rename_all = "lowercase")]
enum Event {
    Start { run: mirror::Run },
    Out { b64: String },
    Err { b64: String },
    End { result: Value },
}

/// What the events of one run come to.
#[derive(Default)]
struct Seen {
    started: bool,
    out: Vec<u8>,
    err: Vec<u8>,
    report: Option<Mirror>,
}

#[track_caller]
fn read(ran: &Ran) -> Seen {
    let mut seen = Seen::default();
    for line in ran.stdout.lines() {
        assert!(
            seen.report.is_none(),
            "something after the last event\n{ran}"
        );
        match serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}\n{ran}")) {
            Event::Start { run } => {
                assert!(!seen.started, "{ran}");
                assert_eq!(
                    (run.exit_code, run.signal, run.duration_ms),
                    (None, None, 0)
                );
                assert_eq!(
                    (run.stopped_by, run.unconfirmed_stop, run.timeout_ms),
                    (None, false, 120_000)
                );
                assert!(run.cwd.starts_with('/') && !run.command.is_empty());
                seen.started = true;
            }
            Event::Out { b64 } => {
                assert!(seen.started, "{ran}");
                seen.out.extend(STANDARD.decode(b64).expect("base64"));
            }
            Event::Err { b64 } => {
                assert!(seen.started, "{ran}");
                seen.err.extend(STANDARD.decode(b64).expect("base64"));
            }
            Event::End { result } => {
                let report = Mirror::read(&result.to_string());
                seen.report = Some(report.unwrap_or_else(|problem| panic!("{problem}\n{ran}")));
            }
        }
    }
    assert!(seen.report.is_some(), "no last event\n{ran}");
    seen
}

#[test]
fn bytes_come_raw_and_in_order_and_the_report_last() {
    let ran = bsh([
        "--events",
        r"printf '\377\033[1ma'; printf 'b\0' >&2; exit 3",
    ])
    .run()
    .code(3);
    let seen = read(&ran);
    assert!(seen.started, "{ran}");
    assert_eq!(
        (&seen.out[..], &seen.err[..]),
        (&b"\xff\x1b[1ma"[..], &b"b\0"[..])
    );
    let report = seen.report.expect("the report");
    assert_eq!(report.status, "failed");
    let output = report.output.expect("it ran");
    assert_eq!((output.stdout_bytes, output.stderr_bytes), (6, 2));
}

#[test]
fn a_command_that_never_starts_has_only_an_end() {
    for line in [
        &["--events", "-C", "/no/such", "true"][..],
        &["--events", "--wrong", "true"],
        &["--events", "-t", "5", "true"],
    ] {
        let ran = bsh(line).run().code(125);
        let seen = read(&ran);
        assert!(!seen.started, "{ran}");
        assert_eq!(ran.stdout.lines().count(), 1, "{ran}");
    }
}

#[test]
fn a_silent_command_says_that_it_started_and_output_is_there_at_once() {
    let folder = folder("events-live");
    // Two pipes: one that is still being closed would end a second read at once.
    let [first, second] = ["first", "second"].map(|name| {
        let fifo = folder.join(name);
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).expect("a pipe with a name");
        fifo
    });
    let command = format!(
        "read go < '{}'; echo hello; read go < '{}'",
        first.display(),
        second.display()
    );
    let mut running = bsh(["--events", &command]).start();
    let mut lines = BufReader::new(running.child.stdout.take().expect("a pipe")).lines();
    let mut next = || lines.next().expect("a line").expect("text");
    assert!(next().starts_with(r#"{"t":"start""#));
    // Only now may it go on, so what is read was there before anything else happened.
    std::fs::write(&first, "go\n").expect("the command reads");
    assert_eq!(next(), r#"{"t":"out","b64":"aGVsbG8K"}"#);
    std::fs::write(&second, "go\n").expect("the command reads");
    assert!(next().starts_with(r#"{"t":"end""#));
    running.end().code(0);
}

#[test]
fn output_past_the_cap_is_not_sent() {
    let ran = bsh(["--events", "--max-capture", "100kB", "yes"])
        .run()
        .code(125);
    let seen = read(&ran);
    assert_eq!(seen.out.len(), 100_000);
    let report = seen.report.expect("the report");
    assert_eq!(report.error_code(), ("OUTPUT_CAP", "run"));
}

#[test]
fn a_reader_that_does_not_read_holds_up_neither_the_timeout_nor_the_stop() {
    let fifo = folder("events-stuck").join("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).expect("a pipe with a name");
    let command = format!("exec 9>'{}'; yes", fifo.display());
    let mut running = bsh(["--events", "-t", "500ms", &command]).start();
    // Nothing is read until the whole tree is gone.
    let mut pipe = File::open(&fifo).expect("the command opens the other end");
    pipe.read_to_end(&mut Vec::new()).expect("the tree is gone");
    let mut stdout = running.child.stdout.take().expect("a pipe");
    let mut text = String::new();
    stdout.read_to_string(&mut text).expect("the events");
    let end = text.lines().last().expect("a last event");
    let end: Value = serde_json::from_str(end).expect("JSON");
    assert_eq!(end["result"]["status"], "timeout", "{end}");
    assert_eq!(end["result"]["run"]["unconfirmedStop"], false, "{end}");
    running.end().code(124);
}

#[test]
fn a_reader_that_goes_away_stops_the_tree() {
    let fifo = folder("events-gone").join("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).expect("a pipe with a name");
    let command = format!("exec 9>'{}'; echo ready >&9; sleep 1000", fifo.display());
    let mut running = bsh(["--events", &command]).start();
    let mut pipe = File::open(&fifo).expect("the command opens the other end");
    let mut ready = [0; 6];
    pipe.read_exact(&mut ready).expect("the command is ready");
    drop(running.child.stdout.take());
    running.end().signal(Signal::SIGPIPE).complains("");
    let mut rest = Vec::new();
    pipe.read_to_end(&mut rest).expect("the tree is gone");
}

#[test]
fn events_that_cannot_be_written_stop_the_tree() {
    let fifo = folder("events-full").join("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).expect("a pipe with a name");
    // Open before there is a writer, so it makes no difference how far the command comes.
    let mut pipe = File::options()
        .read(true)
        .custom_flags(nix::libc::O_NONBLOCK)
        .open(&fifo)
        .expect("a pipe without a writer");
    // It would go on for longer than the guard of the tests.
    let command = format!("exec 9>'{}'; sleep 1000", fifo.display());
    let full = File::options().write(true).open("/dev/full");
    let ran = bsh(["--events", &command]).with_stdout(full.expect("/dev/full"));
    ran.code(125)
        .complains("bsh: cannot write the events to standard output: No space left on device\n");
    let mut rest = Vec::new();
    pipe.read_to_end(&mut rest).expect("the tree is gone");
}

#[test]
fn masked_streams_come_in_whole_lines() {
    let command = r"printf 'to\033[1mken-1'; printf '23 \377\nrest' ; printf 'token-4' >&2";
    let ran = bsh(["--events", "--mask", "token-[0-9]+", command])
        .run()
        .code(0);
    let seen = read(&ran);
    assert_eq!(String::from_utf8_lossy(&seen.out), "*** \u{fffd}\nrest");
    assert_eq!(String::from_utf8_lossy(&seen.err), "***");
}
