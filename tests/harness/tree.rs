//! A command whose whole tree holds a pipe: it says on it that it stands, and its end is the tree's end.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use nix::sys::stat::Mode;

use crate::harness::process::{Bsh, Running, bsh};

/// Nothing here takes this long; it only keeps a test that hangs from hanging for ever.
const GUARD: Duration = Duration::from_secs(60);

/// The helper program that shapes trees.
pub fn member() -> PathBuf {
    let bsh = Path::new(env!("CARGO_BIN_EXE_bsh"));
    let member = bsh.with_file_name("examples").join("member");
    assert!(
        member.exists(),
        "{} is missing: cargo builds it with `cargo test`, or `cargo build --examples`",
        member.display()
    );
    member
}

/// Does something that ends, or panics with these words.
fn within_guard<T: Send + 'static>(words: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(work()));
    receiver
        .recv_timeout(GUARD)
        .unwrap_or_else(|_| panic!("{words}"))
}

/// A tree that stands.
pub struct Tree {
    pub running: Running,
    pipe: File,
    go: File,
}

/// Two pipes with names of their own.
fn pipes(name: &str) -> (PathBuf, PathBuf) {
    let made = |end: &str| {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tree-{name}-{end}"));
        let _ = std::fs::remove_file(&path);
        nix::unistd::mkfifo(&path, Mode::S_IRWXU).expect("a pipe with a name");
        path
    };
    (made("ready"), made("go"))
}

/// A shell line that gives its tree descriptor 9, runs `line` (in which `$member` is the helper program),
/// then waits for [`Tree::go`] and floods its output.
pub fn command(name: &str, line: &str) -> (String, PathBuf, PathBuf) {
    let (ready, go) = pipes(name);
    let text = format!(
        "member='{}'; exec 9>'{}' 8<'{}'; {line}\nread -r _ <&8; exec yes",
        member().display(),
        ready.display(),
        go.display(),
    );
    (text, ready, go)
}

impl Tree {
    /// Starts `bsh` with `args` on a [`command`], and waits until `count` members have said that they are
    /// there.
    pub fn start(name: &str, args: &[&str], line: &str, count: usize) -> Self {
        let (text, ready, go) = command(name, line);
        Self::of(bsh([args, &["--", &text]].concat()), &ready, &go, count)
    }

    /// The same for a process that runs the command in its own way.
    pub fn of(bsh: Bsh, ready: &Path, go: &Path, count: usize) -> Self {
        let running = bsh.stdin_held().start();
        let (ready, go) = (ready.to_owned(), go.to_owned());
        let (pipe, go) = within_guard("the tree never stood", move || {
            let mut pipe = File::open(ready).expect("the command opens the other end");
            let go = File::options()
                .write(true)
                .open(go)
                .expect("the command opens the other end");
            let mut bytes = vec![0; count];
            pipe.read_exact(&mut bytes)
                .expect("all members say that they are there");
            (pipe, go)
        });
        Self { running, pipe, go }
    }

    /// Lets the command go on to flood its output.
    pub fn go(&mut self) {
        self.go.write_all(b"\n").expect("the command waits");
    }

    /// Waits until nothing of the tree is left.
    pub fn gone(self) -> Running {
        let mut pipe = self.pipe;
        within_guard("something of the tree is left", move || {
            let mut rest = Vec::new();
            pipe.read_to_end(&mut rest).expect("the pipe can be read");
        });
        self.running
    }
}
