//! A `bsh`, or what runs it, on a terminal of its own.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;

use nix::pty::{Winsize, openpty};

use crate::harness::process::GUARD;

/// What came out of the terminal, and how the process ended.
pub struct OnTerminal {
    pub text: String,
    pub status: ExitStatus,
}

/// Runs `bsh` with standard output and standard error on the same terminal of 80 columns.
pub fn on_terminal(args: &[&str], variables: &[(&str, &str)]) -> OnTerminal {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bsh"));
    command
        .args(args)
        .env_remove("NO_COLOR")
        .env("TERM", "xterm")
        .envs(variables.iter().copied());
    run(command, false)
}

/// Runs a program in a session of its own whose terminal it is, with all three standard descriptors on it.
pub fn in_session(words: &[&str]) -> OnTerminal {
    let mut command = Command::new("setsid");
    command.args(["--ctty", "--wait"]).args(words);
    run(command, true)
}

fn run(mut command: Command, with_stdin: bool) -> OnTerminal {
    let size = Winsize {
        ws_row: 24,
        ws_col: 80,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    let pty = openpty(Some(&size), None).expect("a terminal");
    let copy = |fd: &OwnedFd| Stdio::from(fd.try_clone().expect("a descriptor"));
    command
        .stdin(match with_stdin {
            true => copy(&pty.slave),
            false => Stdio::null(),
        })
        .stdout(copy(&pty.slave))
        .stderr(copy(&pty.slave));
    let mut child = command.spawn().expect("it starts");
    // The last holders of the other end are the program and the builder of its command.
    drop((pty.slave, command));
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        // A terminal whose other end is closed ends with an error (EIO).
        let _ = File::from(pty.master).read_to_end(&mut text);
        sender.send(text)
    });
    let text = receiver
        .recv_timeout(GUARD)
        .expect("nobody holds the terminal any more");
    let status = child.wait().expect("it ends");
    let text = String::from_utf8_lossy(&text).replace("\r\n", "\n");
    OnTerminal { text, status }
}
