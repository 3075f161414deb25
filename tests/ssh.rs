//! `--runner ssh:HOST`, against a server that the test starts.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::harness::bsh;
use crate::harness::process::{Ran, Running};
use crate::harness::script::folder;
use crate::harness::sshd::{Far, Sshd};

const BOTH: [(Far, &str); 2] = [(Far::WithBsh, "with"), (Far::WithoutBsh, "without")];

/// Runs a test against both kinds of far side.
fn on_both(name: &str, test: impl Fn(&Sshd, Far)) {
    for (far, how) in BOTH {
        if let Some(sshd) = Sshd::start(&format!("{name}-{how}"), far) {
            test(&sshd, far);
        }
    }
}

fn run(sshd: &Sshd, line: &[&str]) -> Ran {
    let line = [&["--json", "--runner", "ssh:far"], line].concat();
    sshd.client(bsh(line)).run()
}

fn fifo(name: &str) -> PathBuf {
    let fifo = folder(name).join("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).expect("a pipe with a name");
    fifo
}

/// Starts a command that says it is ready on a pipe that all of it holds.
fn started(sshd: &Sshd, fifo: &PathBuf, flags: &[&str], rest: &str) -> (Running, File) {
    let command = format!("exec 9>'{}'; {rest}", fifo.display());
    let line = [&["--json", "--runner", "ssh:far"], flags, &[&command]].concat();
    let running = sshd.client(bsh(line)).start();
    let mut pipe = File::open(fifo).expect("the command opens the other end");
    let mut ready = [0; 6];
    pipe.read_exact(&mut ready).expect("the command is ready");
    (running, pipe)
}

fn is_gone(mut pipe: File) {
    let mut rest = Vec::new();
    pipe.read_to_end(&mut rest).expect("the pipe can be read");
}

#[test]
fn exit_codes_output_folder_and_environment_are_those_of_the_other_side() {
    on_both("basics", |sshd, far| {
        let ran = run(sshd, &["echo out; echo err >&2; printf '\\377'; exit 255"]).code(255);
        let report = ran.report();
        assert_eq!(report.status, "failed", "{ran}");
        let output = report.output.as_ref().expect("it ran");
        assert_eq!((output.stdout_bytes, output.stderr_bytes), (5, 4), "{ran}");
        for part in ["out\n", "err\n", "\u{fffd}"] {
            assert!(output.head.contains(part), "{ran}");
        }
        assert!(report.notes.is_empty(), "{ran}");

        let line = [
            "-e",
            "SET=it's\nme",
            "--pass-env",
            "PASSED",
            "echo \"$FAR|$SET|$PASSED|$LOCAL|$PAGER\"",
        ];
        let line = [&["--json", "--runner", "ssh:far", "-C", "/usr"], &line[..]].concat();
        let client = sshd
            .client(bsh(line))
            .env("LOCAL", "no")
            .env("PASSED", "yes");
        let ran = client.run().code(0);
        let report = ran.report();
        let head = report.output.as_ref().map(|output| output.head.as_str());
        assert_eq!(head, Some("far away|it's\nme|yes||cat\n"), "{ran}");
        assert_eq!(
            report.run.as_ref().map(|run| run.cwd.as_str()),
            Some("/usr")
        );

        let ran = run(
            sshd,
            &[
                "--clear-env",
                "-e",
                "ONLY=1",
                "env | sort | grep -v '^\\(PWD\\|SHLVL\\|_\\)='",
            ],
        )
        .code(0);
        let head = ran.report().output.map(|output| output.head);
        assert_eq!(head.as_deref(), Some("ONLY=1\n"), "{ran}");

        let ran = run(sshd, &["-C", "/no/such", "true"]).code(125);
        assert_eq!(ran.report().error_code(), ("CWD_NOT_FOUND", "run"), "{ran}");
        let ran = run(sshd, &["-C", "/etc/passwd", "true"]).code(125);
        assert_eq!(
            ran.report().error_code(),
            ("CWD_NOT_A_DIRECTORY", "run"),
            "{ran}"
        );
        let ran = run(sshd, &["--shell", "no-such-shell", "true"]).code(125);
        assert_eq!(ran.report().error_code(), ("SPAWN_FAILED", "run"), "{ran}");

        let ran = run(sshd, &["kill -KILL $$"]).code(137);
        let report = ran.report();
        let run_ = report.run.as_ref().expect("it ran");
        match far {
            Far::WithBsh => assert_eq!(run_.signal.as_deref(), Some("SIGKILL"), "{ran}"),
            Far::WithoutBsh => assert_eq!(run_.exit_code, Some(137), "{ran}"),
        }
        let ran = run(sshd, &["--", "-dashed"]);
        assert_eq!(ran.report().run.and_then(|run| run.exit_code), Some(127));
    });
}

#[test]
fn the_order_of_the_streams_is_exact_with_bsh_there() {
    let Some(sshd) = Sshd::start("order", Far::WithBsh) else {
        return;
    };
    let command = "for i in 1 2 3 4 5 6 7 8 9; do echo o$i; echo e$i >&2; done";
    let ran = run(&sshd, &[command]).code(0);
    let expected: String = (1..10).map(|i| format!("o{i}\ne{i}\n")).collect();
    assert_eq!(
        ran.report().output.map(|output| output.head),
        Some(expected),
        "{ran}"
    );
}

#[test]
fn timeouts_caps_and_aborts_stop_all_that_is_there() {
    on_both("stops", |sshd, far| {
        let pipe = fifo("ssh-stop-pipe");
        // A child of another session is out of reach of a process group.
        let child = match far {
            Far::WithBsh => "setsid sleep 1000 &",
            Far::WithoutBsh => "sleep 1000 &",
        };
        let rest = format!(
            "trap 'echo cleaned; exit 0' TERM; {child} echo ready >&9; while :; do sleep 0.05; done"
        );
        let (running, held) = started(sshd, &pipe, &["-t", "3s"], &rest);
        let ran = running.end().code(124);
        let report = ran.report();
        assert_eq!(report.status, "timeout", "{ran}");
        let run_ = report.run.as_ref().expect("it ran");
        assert!(!run_.unconfirmed_stop, "{ran}");
        assert!(
            report
                .output
                .as_ref()
                .is_some_and(|it| it.head.contains("cleaned")),
            "{ran}"
        );
        is_gone(held);

        let (running, held) = started(sshd, &pipe, &[], &rest);
        running.signal(Signal::SIGTERM);
        let ran = running.end().signal(Signal::SIGTERM);
        let report = ran.report();
        assert_eq!(report.error_code(), ("ABORTED", "run"), "{ran}");
        assert!(
            !report.run.as_ref().expect("it ran").unconfirmed_stop,
            "{ran}"
        );
        is_gone(held);

        let stubborn =
            format!("trap '' TERM; {child} echo ready >&9; while :; do sleep 0.05; done");
        let (running, held) = started(sshd, &pipe, &["-k", "300ms", "-t", "2s"], &stubborn);
        let ran = running.end().code(124);
        assert!(!ran.report().run.expect("it ran").unconfirmed_stop, "{ran}");
        is_gone(held);

        let ran = run(sshd, &["--max-capture", "10kB", "yes"]).code(125);
        let report = ran.report();
        assert_eq!(report.error_code(), ("OUTPUT_CAP", "run"), "{ran}");
        assert_eq!(
            report.output.as_ref().map(|it| it.total_bytes),
            Some(10_000),
            "{ran}"
        );
        assert!(
            !report.run.as_ref().expect("it ran").unconfirmed_stop,
            "{ran}"
        );
    });
}

#[test]
fn a_cut_connection_leaves_nothing() {
    on_both("cut", |sshd, _| {
        let pipe = fifo("ssh-cut-pipe");
        let rest = "sleep 1000 & echo ready >&9; sleep 1000";
        // The server's end is killed.
        let (running, held) = started(sshd, &pipe, &[], rest);
        for pid in sshd.connections() {
            // Its own children hold the session.
            let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
            kill(Pid::from_raw(pid), Signal::SIGKILL).expect("the connection is there");
            for child in children.unwrap_or_default().split_whitespace() {
                let child: i32 = child.parse().expect("a pid");
                let name =
                    std::fs::read_to_string(format!("/proc/{child}/comm")).unwrap_or_default();
                if name.starts_with("sshd") {
                    let _ = kill(Pid::from_raw(child), Signal::SIGKILL);
                }
            }
        }
        let ran = running.end().code(125);
        let report = ran.report();
        assert_eq!(report.error_code(), ("RUNNER_LOST", "run"), "{ran}");
        assert!(
            report.run.as_ref().expect("it ran").unconfirmed_stop,
            "{ran}"
        );
        assert!(report.note("output-incomplete").is_some(), "{ran}");
        is_gone(held);

        // bsh here is killed.
        let (mut running, held) = started(sshd, &pipe, &[], rest);
        running.child.kill().expect("bsh is there");
        is_gone(held);
        let _ = running.child.wait();

        // The lifeline of bsh here ends.
        let command = format!("exec 9>'{}'; {rest}", pipe.display());
        let line = ["--json", "--lifeline", "--runner", "ssh:far", &command];
        let mut running = sshd.client(bsh(line)).stdin_held().start();
        let held = File::open(&pipe).expect("the command opens the other end");
        let mut stdin = running.child.stdin.take().expect("a pipe");
        stdin.write_all(b"thrown away").expect("bsh reads it");
        drop(stdin);
        running.end().code(125);
        is_gone(held);
    });
}

#[test]
fn background_processes_go_on_or_are_stopped_as_asked() {
    on_both("background", |sshd, far| {
        let pipe = fifo("ssh-background-pipe");
        let command = format!(
            "exec 9>'{}'; sleep 1000 >/dev/null 2>&1 & echo $!",
            pipe.display()
        );
        let line = [
            "--json",
            "--background",
            "stop",
            "--runner",
            "ssh:far",
            &command,
        ];
        let running = sshd.client(bsh(line)).start();
        let held = File::open(&pipe).expect("the command opens the other end");
        running.end().code(0);
        is_gone(held);

        let ran = run(sshd, &["sleep 1000 >/dev/null 2>&1 & echo $!"]).code(0);
        let report = ran.report();
        let pid = report
            .output
            .as_ref()
            .and_then(|output| output.head.trim().parse().ok());
        let pid = Pid::from_raw(pid.expect("a pid"));
        assert_eq!(
            report.note("background-processes").is_some(),
            far == Far::WithBsh,
            "{ran}"
        );
        kill(pid, Signal::SIGKILL).expect("it still runs");
    });
}

#[test]
fn a_connection_that_fails_is_told_in_the_words_of_ssh() {
    let Some(sshd) = Sshd::start("fails", Far::WithBsh) else {
        return;
    };
    // Another key than the one that is known.
    let known = std::fs::read_to_string(sshd.known_hosts()).expect("a file");
    let key =
        std::fs::read_to_string(sshd.known_hosts().with_file_name("user.pub")).expect("a key");
    let host = known.split(' ').next().expect("a host");
    std::fs::write(sshd.known_hosts(), format!("{host} {key}")).expect("a file");
    let ran = run(&sshd, &["true"]).code(125);
    let report = ran.report();
    assert_eq!(report.error_code(), ("SPAWN_FAILED", "run"), "{ran}");
    assert!(report.request.is_some(), "{ran}");
    let message = &report.error.as_ref().expect("an error").message;
    assert!(message.contains("Host key verification failed"), "{ran}");
    std::fs::write(sshd.known_hosts(), known).expect("a file");

    let port = sshd.port;
    drop(sshd);
    let line = [
        "--json",
        "--runner",
        &format!("ssh:ssh://127.0.0.1:{port}"),
        "true",
    ];
    let ran = bsh(line).run().code(125);
    let report = ran.report();
    assert_eq!(report.error_code(), ("SPAWN_FAILED", "run"), "{ran}");
    let message = &report.error.as_ref().expect("an error").message;
    assert!(message.contains("Connection refused"), "{ran}");
}

#[test]
fn hosts_and_flags_that_make_no_sense_are_refused() {
    let cases: [(&[&str], &str); 5] = [
        (
            &["--runner", "ssh:"],
            "--runner: the host is empty. Expected a name, an alias or user@host",
        ),
        (
            &["--runner", "ssh:-oProxyCommand=touch ran"],
            "--runner: the host begins with -, which ssh would read as an option",
        ),
        (
            &["--runner", "ssh:a b"],
            "--runner: the host has a blank or a control character. Expected a name, an alias or user@host",
        ),
        (
            &["--runner", "SSH:a"],
            "--runner: SSH:a is unknown. Expected local or ssh:HOST",
        ),
        (
            &["--runner", "ssh:a", "--stdin", "inherit"],
            "--stdin and --runner ssh cannot be used together: it means something of this machine",
        ),
    ];
    for (flags, sentence) in cases {
        let ran = bsh([flags, &["true"]].concat()).run().code(125);
        ran.complains(&format!("bsh: {sentence}\n"));
    }
}
