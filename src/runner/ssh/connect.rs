//! The first connection: asks what is there.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;
use std::time::Duration;

use crate::environment::EnvVars;
use crate::runner::Stream;
use crate::runner::ssh::client::{AfterMark, Connection, Heard, nonce};
use crate::runner::ssh::settings::SshSettings;
use crate::runner::ssh::wire::PROTOCOL;

/// How long the other side may take to say what is there.
const PATIENCE: Duration = Duration::from_secs(30);
/// More than any environment, in bytes.
const LONGEST_ANSWER: usize = 8 * 1024 * 1024;

/// What is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Far {
    /// A `bsh` that speaks this protocol.
    pub has_bsh: bool,
    /// The folder in which a session begins.
    pub folder: PathBuf,
    /// The environment of a session.
    pub env: EnvVars,
}

/// Asks. An error is the reason, in the words of ssh where it has any.
pub(super) async fn ask(settings: &SshSettings) -> Result<Far, String> {
    match tokio::time::timeout(PATIENCE, answer(settings)).await {
        Ok(answer) => answer,
        Err(_) => Err(format!(
            "{} did not answer within {}",
            settings.host.as_str(),
            crate::units::format_duration(PATIENCE)
        )),
    }
}

async fn answer(settings: &SshSettings) -> Result<Far, String> {
    let nonce = nonce();
    let script = format!(
        "v=$(bsh --serve version 2>/dev/null </dev/null) || v=none; \
         printf '\\n%s\\n' {nonce}; \
         printf '%s\\000%s\\000' \"$v\" \"$(pwd)\"; \
         cat /proc/self/environ 2>/dev/null || env -0"
    );
    let opened = Connection::open(settings, script.as_bytes());
    let mut connection = opened.map_err(|exit| {
        let error = exit.error.and_then(|error| error.detail);
        error.unwrap_or_default()
    })?;
    connection.input().close();
    let (mut mark, mut said) = (AfterMark::new(&nonce), Vec::new());
    loop {
        match connection.next().await {
            Heard::End => break,
            Heard::Chunk(chunk) if chunk.stream == Stream::Stderr => {
                connection.take_words(&chunk.bytes);
            }
            Heard::Chunk(chunk) => {
                said.extend(mark.take(chunk.bytes));
                if said.len() > LONGEST_ANSWER {
                    return Err("its environment is too large".to_owned());
                }
            }
        }
    }
    read(&said).ok_or_else(|| connection.reason())
}

/// Version, folder and variables, each ended by a NUL.
fn read(said: &[u8]) -> Option<Far> {
    let mut fields = said.split(|byte| *byte == 0);
    let version = std::str::from_utf8(fields.next()?).ok()?.trim();
    let folder = PathBuf::from(OsString::from_vec(fields.next()?.to_vec()));
    if !folder.is_absolute() {
        return None;
    }
    let pair = |field: &[u8]| {
        let end = field.iter().position(|byte| *byte == b'=')?;
        let (name, value) = field.split_at(end);
        // What a shell leaves of the last command that it started.
        let told = !name.is_empty() && name != b"_";
        told.then(|| {
            let value = value.get(1..).unwrap_or_default().to_vec();
            (OsString::from_vec(name.to_vec()), OsString::from_vec(value))
        })
    };
    Some(Far {
        has_bsh: version == PROTOCOL.to_string(),
        folder,
        env: fields.filter_map(pair).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read() {
        let far = read(b"1\0/home/me\0A=1=2\0_=/bin/cat\0B=\n\0").expect("an answer");
        assert!(far.has_bsh);
        assert_eq!(far.folder, PathBuf::from("/home/me"));
        assert_eq!(
            far.env,
            [("A".into(), "1=2".into()), ("B".into(), "\n".into())]
        );
        assert!(!read(b"none\0/\0").expect("an answer").has_bsh);
        assert_eq!(read(b""), None);
        assert_eq!(read(b"none\0relative\0"), None);
    }
}
