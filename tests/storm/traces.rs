//! What is left of a tree: processes that carry its mark, or hold its pipe.

use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use nix::sys::stat::Mode;

/// A pipe that the whole tree inherits as its descriptor 9, and of which this is the other end.
pub struct Pipe {
    pub path: PathBuf,
    end: File,
}

impl Pipe {
    pub fn new(mark: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(mark);
        let _ = fs::remove_file(&path);
        nix::unistd::mkfifo(&path, Mode::S_IRWXU).expect("a pipe with a name");
        let end = File::options()
            .read(true)
            .custom_flags(nix::libc::O_NONBLOCK)
            .open(&path)
            .expect("the pipe can be opened");
        Self { path, end }
    }

    /// Whether anybody holds the other end now.
    pub fn is_held(&mut self) -> bool {
        let mut said = [0; 4096];
        loop {
            match self.end.read(&mut said) {
                Ok(0) => return false,
                Ok(_) => {}
                Err(error) => return error.kind() == std::io::ErrorKind::WouldBlock,
            }
        }
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// A process with a mark in its environment or its command line. A zombie has neither.
pub struct Left {
    pub pid: i32,
    pub command: String,
}

impl std::fmt::Debug for Left {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} {}", self.pid, self.command)
    }
}

/// All processes that carry the mark.
pub fn marked(mark: &str) -> Vec<Left> {
    let mut left = Vec::new();
    for entry in fs::read_dir("/proc").expect("/proc is there").flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let read = |file: &str| fs::read(entry.path().join(file)).unwrap_or_default();
        let command = read("cmdline");
        if holds(&command, mark) || holds(&read("environ"), mark) {
            let command = String::from_utf8_lossy(&command).replace('\0', " ");
            let command = command.chars().take(120).collect();
            left.push(Left { pid, command });
        }
    }
    left
}

fn holds(bytes: &[u8], mark: &str) -> bool {
    bytes
        .windows(mark.len())
        .any(|window| window == mark.as_bytes())
}

/// The children of a process that has one thread that makes them.
pub fn children(pid: u32) -> Vec<i32> {
    let list = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let list = list.unwrap_or_default();
    list.split_whitespace()
        .filter_map(|number| number.parse().ok())
        .collect()
}
