//! A pipe with a name that lets a command say that it is ready, and wait until it may go on.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Two pipes: the command writes to one and reads from the other.
pub struct Gate {
    ready: PathBuf,
    go: PathBuf,
}

impl Gate {
    pub fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let make = |end: &str| {
            let path = folder.join(format!("{name}-{end}"));
            let _ = std::fs::remove_file(&path);
            nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).expect("a pipe with a name");
            path
        };
        Self {
            ready: make("ready"),
            go: make("go"),
        }
    }

    /// The words for a command line: says that it is ready, and waits to be let through.
    pub fn pass(&self) -> String {
        let (ready, go) = (self.ready.display(), self.go.display());
        format!("echo ready >'{ready}'; read -r line <'{go}'")
    }

    /// Returns when the command is at the gate.
    pub fn await_ready(&self) {
        let mut ready = [0; 6];
        let mut pipe = File::open(&self.ready).expect("the command opens the other end");
        pipe.read_exact(&mut ready).expect("the command is ready");
    }

    /// Lets it through.
    pub fn open(&self) {
        let mut pipe = File::create(&self.go).expect("the command opens the other end");
        pipe.write_all(b"go\n").expect("the command reads it");
    }
}
