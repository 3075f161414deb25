//! Small programs that a test writes.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A folder of its own for a test, empty.
pub fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// An executable script. Another process writes it: a descriptor of this one that is open for writing
/// might be in a child that is just about to start, and then nobody could execute the file.
pub fn script(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut writer = Command::new("sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(&path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("sh");
    let mut stdin = writer.stdin.take().expect("a pipe");
    stdin
        .write_all(text.as_bytes())
        .expect("the script is taken");
    drop(stdin);
    assert!(writer.wait().expect("sh ends").success());
    path
}
