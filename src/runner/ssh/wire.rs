//! What two `bsh` say to each other: frames of a kind, a length and bytes.
//!
//! `bsh --serve 1` reads them from standard input and writes them to standard output. The first one is
//! the job; the end of the input is the end of the lifeline.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
#[cfg(any(feature = "cli", test))]
use std::os::unix::ffi::OsStringExt as _;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::runner::local::{Background, StopSignal};
use crate::runner::ssh::settings::SshSettings;
use crate::runner::{Job, Order};

/// The version of this protocol. Both sides have to speak the same.
pub const PROTOCOL: u32 = 1;

/// Longer frames are nonsense, in bytes: a command of 16 MiB and an environment fit.
const LONGEST_FRAME: usize = 64 * 1024 * 1024;

/// The kinds of frames to the other side.
pub enum ToFar {
    /// What to run: [`FarJob`].
    Job,
    /// An order.
    Order(Order),
}

impl ToFar {
    fn kind(&self) -> u8 {
        match self {
            Self::Job => b'J',
            Self::Order(Order::Run) => b'R',
            Self::Order(Order::Suspend) => b'Z',
            Self::Order(Order::Stop) => b'S',
            Self::Order(Order::Kill) => b'K',
        }
    }

    /// The kind of a frame that came.
    #[cfg(feature = "cli")]
    pub fn of(kind: u8) -> Option<Self> {
        Some(match kind {
            b'J' => Self::Job,
            b'R' => Self::Order(Order::Run),
            b'Z' => Self::Order(Order::Suspend),
            b'S' => Self::Order(Order::Stop),
            b'K' => Self::Order(Order::Kill),
            _ => return None,
        })
    }

    /// The frame.
    pub fn frame(&self, payload: &[u8]) -> Vec<u8> {
        frame(self.kind(), payload)
    }
}

/// The kinds of frames from the other side.
pub mod from_far {
    /// The command has started.
    pub const STARTED: u8 = b'B';
    /// Bytes of standard output.
    pub const OUT: u8 = b'O';
    /// Bytes of standard error.
    pub const ERR: u8 = b'E';
    /// The tree is held.
    pub const HELD: u8 = b'H';
    /// The end: an [`crate::runner::Exit`] as JSON.
    pub const EXIT: u8 = b'X';
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// What it is.
    pub kind: u8,
    /// What it says.
    pub payload: Vec<u8>,
}

/// The bytes of a frame.
pub(super) fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    let mut bytes = Vec::with_capacity(payload.len() + 5);
    bytes.push(kind);
    bytes.extend(length.to_be_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

#[cfg(feature = "cli")]
impl Frame {
    /// Its bytes.
    pub fn bytes(kind: u8, payload: &[u8]) -> Vec<u8> {
        frame(kind, payload)
    }
}

/// Takes frames from bytes that come in pieces.
#[derive(Debug, Default)]
pub struct FrameReader {
    bytes: Vec<u8>,
    at: usize,
}

impl FrameReader {
    /// More bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.at);
        self.at = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole frame. `Err` when what comes is no frame.
    #[allow(clippy::result_unit_err)]
    pub fn next_frame(&mut self) -> Result<Option<Frame>, ()> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some((&[kind, a, b, c, d], after)) = rest.split_first_chunk::<5>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        if length > LONGEST_FRAME {
            return Err(());
        }
        let Some(payload) = after.get(..length) else {
            return Ok(None);
        };
        let payload = payload.to_vec();
        self.at += 5 + length;
        Ok(Some(Frame { kind, payload }))
    }
}

/// What is to run there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FarJob {
    /// The command line.
    pub command: String,
    /// An absolute folder.
    pub cwd: OsString,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// Between the stop signal and SIGKILL.
    pub grace: Duration,
    /// A path or a name.
    pub shell: String,
    /// What a stop begins with.
    pub stop_signal: StopSignal,
    /// What becomes of processes that outlive the shell.
    pub background: Background,
    /// Measure what is used.
    pub usage: bool,
}

/// The part of a job that is text.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Header {
    grace_ms: u64,
    shell: String,
    stop_signal: i32,
    stop_background: bool,
    usage: bool,
}

impl FarJob {
    /// A job as this machine has it.
    pub(super) fn of(job: &Job, settings: &SshSettings) -> Self {
        Self {
            command: job.command.clone(),
            cwd: job.cwd.clone().into_os_string(),
            env: job.env.to_vec(),
            grace: job.grace,
            shell: settings.shell.clone(),
            stop_signal: settings.stop_signal,
            background: settings.background,
            usage: settings.usage,
        }
    }

    /// As bytes: a line of JSON, then the folder, the command and the variables, each ended by a NUL,
    /// which is in none of them.
    pub(super) fn encode(&self) -> Vec<u8> {
        let header = Header {
            grace_ms: crate::request::whole_millis(self.grace),
            shell: self.shell.clone(),
            stop_signal: self.stop_signal.number(),
            stop_background: self.background == Background::Stop,
            usage: self.usage,
        };
        // Plain strings and numbers always become JSON.
        let mut bytes = serde_json::to_vec(&header).unwrap_or_default();
        bytes.push(0);
        let mut add = |parts: &[&[u8]]| {
            parts.iter().for_each(|part| bytes.extend_from_slice(part));
            bytes.push(0);
        };
        add(&[self.cwd.as_bytes()]);
        add(&[self.command.as_bytes()]);
        for (name, value) in &self.env {
            add(&[name.as_bytes(), b"=", value.as_bytes()]);
        }
        bytes
    }

    /// From bytes.
    #[cfg(any(feature = "cli", test))]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut fields = bytes.strip_suffix(b"\0")?.split(|byte| *byte == 0);
        let header: Header = serde_json::from_slice(fields.next()?).ok()?;
        let cwd = OsString::from_vec(fields.next()?.to_vec());
        let command = String::from_utf8(fields.next()?.to_vec()).ok()?;
        let pair = |field: &[u8]| {
            // A name may begin with the sign itself.
            let end = field.iter().skip(1).position(|byte| *byte == b'=')? + 1;
            let (name, value) = field.split_at(end);
            let value = value.get(1..)?.to_vec();
            Some((OsString::from_vec(name.to_vec()), OsString::from_vec(value)))
        };
        Some(Self {
            command,
            cwd,
            env: fields.map(pair).collect::<Option<_>>()?,
            grace: Duration::from_millis(header.grace_ms),
            shell: header.shell,
            stop_signal: header.stop_signal.to_string().parse().ok()?,
            background: match header.stop_background {
                true => Background::Stop,
                false => Background::Keep,
            },
            usage: header.usage,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_and_its_frame_come_through_in_pieces() {
        let job = FarJob {
            command: "echo 'a'\n".to_owned(),
            cwd: OsString::from_vec(b"/tmp/\xff".to_vec()),
            env: vec![("A".into(), "=1\n".into()), ("=x".into(), "".into())],
            grace: Duration::from_millis(1500),
            shell: "bash".to_owned(),
            stop_signal: "INT".parse().expect("a signal"),
            background: Background::Stop,
            usage: true,
        };
        let bytes = ToFar::Job.frame(&job.encode());
        let mut reader = FrameReader::default();
        let mut found = None;
        for byte in bytes {
            assert!(found.is_none());
            reader.push(&[byte]);
            found = reader.next_frame().expect("a frame");
        }
        let frame = found.expect("a whole frame");
        assert_eq!(frame.kind, b'J');
        assert_eq!(FarJob::decode(&frame.payload), Some(job));
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        let mut reader = FrameReader::default();
        reader.push(b"command not found\n");
        assert_eq!(reader.next_frame(), Err(()));
    }
}
