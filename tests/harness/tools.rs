//! Tools that a test needs and that may be missing.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where a program is on the PATH, or in the folders of the system's own programs.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/sbin".into(), "/usr/local/sbin".into()])
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// Whether all of these are installed; says so when the test is skipped for one that is not.
pub fn has_all(test: &str, needs: &[&str]) -> bool {
    match needs.iter().find(|name| find(name).is_none()) {
        None => true,
        Some(name) => {
            skip(test, &format!("{name} is not installed"));
            false
        }
    }
}

/// Says that a test is skipped.
pub fn skip(test: &str, reason: &str) {
    // Past the capture of the test harness: a test that did not run is not to look like one that did.
    let line = format!("skipped {test}: {reason}\n");
    let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
}

/// Lets a command find the `bsh` under test first.
pub fn with_bsh_on_path(command: &mut Command) {
    let folder = Path::new(env!("CARGO_BIN_EXE_bsh"))
        .parent()
        .expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    command.env(
        "PATH",
        std::env::join_paths(folders).expect("no colon in it"),
    );
}

/// A new empty folder for a test.
pub fn new_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}
