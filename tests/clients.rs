//! The clients of `examples/clients`, each run where its interpreter is.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::harness::tools::{has_all, with_bsh_on_path};

/// Runs one client through all statuses and all ways to lose its caller.
fn try_client(interpreter: &str, needs: &[&str], file: &str) {
    if !has_all(file, needs) {
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples/clients")
        .join(file);
    let client = |args: &[&str]| {
        // Whoever runs the tests may ignore SIGINT, and a shell cannot trap what was ignored before it.
        let mut command = Command::new("env");
        command.args(["--default-signal", interpreter]);
        command.arg(&script).args(args);
        with_bsh_on_path(&mut command);
        command
    };
    for (args, code, text) in [
        (&["echo hi"][..], 0, "ok\nhi\n"),
        (&["echo no; exit 7"], 1, "failed: 7\nno\n"),
        (&["kill -KILL $$"], 1, "failed: SIGKILL\n"),
        (
            &["echo slow; sleep 60", "300ms"],
            2,
            "timed out after 300 ms\nslow\n",
        ),
        (&["  "], 3, "error INVALID_INPUT\n"),
    ] {
        let output = client(args).output().expect("the interpreter is there");
        let seen = String::from_utf8_lossy(&output.stdout);
        assert_eq!(
            (output.status.code(), &*seen),
            (Some(code), text),
            "{output:?}"
        );
    }
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGKILL] {
        let fifo = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{file}-{signal}"));
        let _ = std::fs::remove_file(&fifo);
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).expect("a pipe with a name");
        let line = format!(
            "exec 9>'{}'; setsid sleep 600 & echo ready >&9; sleep 601",
            fifo.display()
        );
        let mut caller = client(&[&line])
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .expect("the interpreter is there");
        let mut tree = File::open(&fifo).expect("the command opens the other end");
        let mut ready = [0; 6];
        tree.read_exact(&mut ready).expect("the command is ready");
        let pid = Pid::from_raw(caller.id() as i32);
        kill(pid, signal).expect("the client is there");
        // The tree holds the pipe: its end is the end of the tree.
        tree.read_to_end(&mut Vec::new()).expect("an end");
        let status = caller.wait().expect("the client ends");
        if signal == Signal::SIGKILL {
            assert_eq!(status.signal(), Some(signal as i32), "{file}");
            continue;
        }
        assert_eq!(status.code(), Some(4), "{file}: {signal}");
        let mut said = String::new();
        let mut stdout = caller.stdout.take().expect("a pipe");
        stdout.read_to_string(&mut said).expect("text");
        assert_eq!(said, "cancelled\n", "{file}: {signal}");
    }
}

#[test]
fn python() {
    try_client("python3", &["python3"], "client.py");
}

#[test]
fn node() {
    try_client("node", &["node"], "client.mjs");
}

#[test]
fn bash() {
    try_client("bash", &["jq"], "client.sh");
}
