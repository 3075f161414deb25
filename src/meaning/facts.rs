//! What is known of a run beside its text: standard error, environment, files.

use super::state::Dialect;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Where a command name leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lookup {
    Found,
    Missing,
    /// A script whose first line names a program that is not there.
    NoInterpreter,
    /// There, and no program.
    NotExecutable,
    Unknown,
}

/// Evidence in the form that the decider asks for.
pub(super) struct Facts<'a> {
    /// All of standard error, when that is known.
    pub stderr: Option<&'a [u8]>,
    pub path: Option<OsString>,
    pub cwd: Option<&'a Path>,
    /// Names that are functions in the environment.
    pub functions: Vec<String>,
    /// A start-up file may define anything.
    pub startup_file: bool,
    pub pipefail: bool,
    pub errexit: bool,
    pub nounset: bool,
    pub dialect: Dialect,
    pub shell: &'a str,
    /// The text is from a run, so that missing evidence counts.
    pub run: bool,
}

impl<'a> Facts<'a> {
    /// Reads what matters out of an environment.
    pub fn with_environment<'e>(
        mut self,
        environment: impl Iterator<Item = (&'e OsStr, &'e OsStr)>,
    ) -> Facts<'a> {
        for (name, value) in environment {
            let name = name.as_bytes();
            match name {
                b"PATH" => self.path = Some(value.to_owned()),
                b"BASH_ENV" => self.startup_file = !value.is_empty(),
                b"SHELLOPTS" => {
                    let has =
                        |option: &[u8]| value.as_bytes().split(|&b| b == b':').any(|o| o == option);
                    self.pipefail = has(b"pipefail");
                    self.errexit = has(b"errexit");
                    self.nounset = has(b"nounset");
                }
                _ => {
                    if let Some(function) = name
                        .strip_prefix(b"BASH_FUNC_")
                        .and_then(|rest| rest.strip_suffix(b"%%"))
                    {
                        self.functions
                            .push(String::from_utf8_lossy(function).into_owned());
                    }
                }
            }
        }
        self
    }

    /// Whether this text may stand in a message of the run; without evidence it may.
    pub fn may_say(&self, needle: &str) -> bool {
        match self.stderr {
            Some(text) => memchr::memmem::find(text, needle.as_bytes()).is_some(),
            None => true,
        }
    }

    /// Whether the shell may have printed a message.
    pub fn shell_may_have_spoken(&self, nested: bool) -> bool {
        if nested {
            self.stderr.is_none_or(|text| !text.is_empty())
        } else {
            // Inside a function of a `-c` text bash calls itself `environment`.
            self.may_say(&format!("{}: ", self.shell)) || self.may_say("environment: ")
        }
    }

    /// Looks up a command name as the shell would.
    pub fn lookup(&self, name: &str, moved: bool) -> Lookup {
        if name.contains('/') {
            return match self.absolute(Path::new(name), moved) {
                Some(path) => examine(&path),
                None => Lookup::Unknown,
            };
        }
        let Some(path) = &self.path else {
            return Lookup::Unknown;
        };
        let mut seen = Lookup::Missing;
        for folder in std::env::split_paths(path) {
            let Some(folder) = self.absolute(&folder, moved) else {
                return Lookup::Unknown;
            };
            match examine(&folder.join(name)) {
                Lookup::Missing => {}
                Lookup::NotExecutable => seen = Lookup::NotExecutable,
                found => return found,
            }
        }
        seen
    }

    fn absolute(&self, path: &Path, moved: bool) -> Option<PathBuf> {
        if path.is_absolute() {
            return Some(path.to_owned());
        }
        if moved {
            return None;
        }
        self.cwd.map(|cwd| cwd.join(path))
    }
}

fn examine(path: &Path) -> Lookup {
    let Ok(metadata) = fs::metadata(path) else {
        return Lookup::Missing;
    };
    if !metadata.is_file() || metadata.permissions().mode() & 0o111 == 0 {
        return Lookup::NotExecutable;
    }
    if metadata.len() > 2
        && let Some(interpreter) = interpreter(path)
        && !interpreter.exists()
    {
        return Lookup::NoInterpreter;
    }
    Lookup::Found
}

/// The program that a script's first line names.
fn interpreter(path: &Path) -> Option<PathBuf> {
    use std::io::Read as _;
    let mut start = [0; 256];
    let mut file = fs::File::open(path).ok()?;
    let length = file.read(&mut start).ok()?;
    let line = start.get(..length)?.strip_prefix(b"#!")?;
    let line = line.split(|&b| b == b'\n').next()?.trim_ascii();
    let program = line.split(u8::is_ascii_whitespace).next()?;
    let program = Path::new(OsStr::from_bytes(program));
    program.is_absolute().then(|| program.to_owned())
}
