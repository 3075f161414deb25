//! The sink that is a file: opened so that it blocks on nothing and trusts nobody else's link.

use std::fmt;
use std::fs::{File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};

use crate::output::spill::SpillSink;
use crate::runner::Stream;
use crate::sys::failure::reason;

/// Where to spill to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpillTarget {
    /// This file: emptied if it exists, else made with mode 0600. A FIFO needs a reader.
    File(PathBuf),
    /// A fresh file in this folder, which must exist: `bsh-….log` with a name that nobody can guess,
    /// mode 0600.
    Dir(PathBuf),
}

/// How often a name that was taken meanwhile, or a file that vanished, is tried again.
const ATTEMPTS: usize = 8;

/// The mode of a new file: its owner's alone.
const MODE: u32 = 0o600;

impl fmt::Display for SpillTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::File(path) | Self::Dir(path)) = self;
        path.display().fmt(f)
    }
}

impl SpillTarget {
    /// Opens it for writing.
    pub(super) fn open(&self) -> io::Result<Box<dyn SpillSink>> {
        let sink = match self {
            Self::File(path) => open_file(path),
            Self::Dir(dir) => open_in(dir),
        };
        match sink {
            Ok(sink) => Ok(Box::new(sink)),
            Err(error) => Err(io::Error::new(
                error.kind(),
                format!("{self}: {}", reason(&error)),
            )),
        }
    }
}

/// A file under way.
struct FileSink {
    /// `None` once it is closed.
    file: Option<File>,
    path: PathBuf,
    /// True while the file was made for this spill and nothing is in it.
    untouched: bool,
}

impl SpillSink for FileSink {
    fn write(&mut self, _: Stream, bytes: &[u8]) -> io::Result<()> {
        self.untouched = false;
        match &mut self.file {
            Some(file) => file.write_all(bytes),
            None => Err(Errno::EBADF.into()),
        }
    }

    fn finish(&mut self) -> io::Result<Option<String>> {
        self.untouched = false;
        let Some(file) = self.file.take() else {
            return Err(Errno::EBADF.into());
        };
        let written = file.metadata()?;
        // Network and quota file systems tell of a full disk only now (close(2)).
        nix::unistd::close(file)?;
        let named = std::fs::metadata(&self.path);
        if !named.is_ok_and(|named| same_file(&named, &written)) {
            return Err(io::Error::other(
                "it was removed or replaced while the command ran",
            ));
        }
        Ok(Some(self.path.to_string_lossy().into_owned()))
    }
}

impl Drop for FileSink {
    fn drop(&mut self) {
        // The command did not start: leave no empty file behind, if the name is still ours.
        let Some(file) = self.file.take().filter(|_| self.untouched) else {
            return;
        };
        let ours = file.metadata().ok();
        let named = std::fs::symlink_metadata(&self.path).ok();
        if ours.zip(named).is_some_and(|(a, b)| same_file(&a, &b)) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn same_file(a: &Metadata, b: &Metadata) -> bool {
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Opens a file that the user named.
fn open_file(path: &Path) -> io::Result<FileSink> {
    let path = std::path::absolute(path)?;
    let shared = refuse_links_in_shared_folders(&path)?;
    let mut options = OpenOptions::new();
    // Without O_NONBLOCK a FIFO would keep us until somebody reads it (fifo(7)). A terminal must not
    // become ours.
    let mut flags = OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    if shared {
        flags |= OFlag::O_NOFOLLOW;
    }
    options.write(true).mode(MODE).custom_flags(flags.bits());
    for _ in 0..ATTEMPTS {
        match options.clone().create_new(true).open(&path) {
            Ok(file) => {
                return Ok(FileSink {
                    file: Some(file),
                    path,
                    untouched: true,
                });
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        // Not emptied by the open: it is looked at first.
        let file = match options.open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // It vanished meanwhile, or it is a link to what does not exist, which a shell's `>`
                // makes as well.
                match options.clone().create(path.is_symlink()).open(&path) {
                    Ok(file) => file,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    Err(error) => return Err(explain(&path, error)),
                }
            }
            Err(error) => return Err(explain(&path, error)),
        };
        let found = file.metadata()?;
        if shared && found.uid() != nix::unistd::geteuid().as_raw() {
            return Err(io::Error::other(
                "it belongs to another user and is in a folder that all may write to",
            ));
        }
        if found.is_file() {
            file.set_len(0)?;
        }
        let now = OFlag::from_bits_truncate(fcntl(&file, FcntlArg::F_GETFL)?);
        fcntl(&file, FcntlArg::F_SETFL(now - OFlag::O_NONBLOCK))?;
        return Ok(FileSink {
            file: Some(file),
            path,
            untouched: false,
        });
    }
    Err(io::Error::other(
        "it vanished each time it was to be opened",
    ))
}

/// Says in words what the bare error does not.
fn explain(path: &Path, error: io::Error) -> io::Error {
    let is_fifo = std::fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo());
    match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::ENXIO) if is_fifo => io::Error::other("nobody reads this FIFO"),
        Some(Errno::ELOOP) if path.is_symlink() => link_in_shared_folder(),
        _ => error,
    }
}

fn link_in_shared_folder() -> io::Error {
    io::Error::other("a symbolic link in a folder that all may write to is not followed")
}

/// Makes a fresh file in a folder.
fn open_in(dir: &Path) -> io::Result<FileSink> {
    let dir = std::path::absolute(dir)?;
    refuse_links_in_shared_folders(&dir)?;
    let mut taken = io::Error::other("no free name was found");
    for _ in 0..ATTEMPTS {
        let path = dir.join(unpredictable_name());
        // O_EXCL, which also follows no link (open(2)).
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(MODE)
            .custom_flags(OFlag::O_NOFOLLOW.bits())
            .open(&path);
        match file {
            Ok(file) => {
                return Ok(FileSink {
                    file: Some(file),
                    path,
                    untouched: true,
                });
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
            Err(error) => return Err(error),
        }
    }
    Err(taken)
}

/// A name with 128 bits of the keys that std seeds its hash maps with from the system's random source.
fn unpredictable_name() -> String {
    let half = || RandomState::new().hash_one(std::process::id());
    format!("bsh-{:016x}{:016x}.log", half(), half())
}

/// Refuses a path of which a part is a symbolic link in a folder that all may write to, where anybody
/// could have put it. Returns whether the last part is in such a folder.
///
/// The kernel does the same where `fs.protected_symlinks` is set (proc_sys_fs(5)), but for all links.
fn refuse_links_in_shared_folders(path: &Path) -> io::Result<bool> {
    let mut shared = false;
    let mut front = PathBuf::new();
    for part in path.components() {
        let is_shared = std::fs::metadata(&front).is_ok_and(|found| found.mode() & 0o002 != 0);
        front.push(part);
        if is_shared && front.is_symlink() {
            return Err(link_in_shared_folder());
        }
        shared = is_shared;
    }
    Ok(shared)
}
