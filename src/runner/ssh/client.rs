//! One connection: the system's `ssh` as a child, run by the local runner, with a pipe to its input.
//!
//! The write end of the pipe is the lifeline of the other side: it is closed when this is dropped, and by
//! the kernel when this process dies.

use std::io::Write as _;
use std::os::fd::AsRawFd as _;
use std::sync::mpsc as std_mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, watch};

use crate::runner::local::{LocalRunner, LocalSettings, StdinSource};
use crate::runner::ssh::settings::SshSettings;
use crate::runner::{
    Chunk, ChunkSink, Exit, Job, Order, RunFuture, Runner as _, StartReason, Stream,
};
use crate::sys::failure::reason;

/// Chunks on their way from ssh.
const CHUNKS_UNDER_WAY: usize = 4;
/// Bytes of what ssh itself says that are kept, for the sentence of a failure.
const WORDS_KEPT: usize = 4096;

/// What the login shell there is given, one argument that any shell reads alike (POSIX, csh, fish): it
/// reads a script of a length from standard input, byte by byte so that the rest of it is left, and
/// becomes that script.
const BOOTSTRAP: &str = r#"exec sh -c 'read -r n && eval "$(dd bs=1 count=$n 2>/dev/null)"'"#;

/// What a connection gives.
pub(super) enum Heard {
    Chunk(Chunk),
    /// ssh has ended, and all that it said was given.
    End,
}

/// The input of what runs there: the lifeline too.
#[derive(Clone)]
pub(super) struct Input(Arc<Mutex<Option<std_mpsc::Sender<Vec<u8>>>>>);

impl Input {
    /// Sends bytes.
    pub(super) fn send(&self, bytes: Vec<u8>) {
        let input = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(input) = &*input {
            // A connection that is gone is noticed by its end.
            let _ = input.send(bytes);
        }
    }

    /// Ends it: the lifeline is cut.
    pub(super) fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.input.close();
    }
}

/// A connection under way. Dropping it ends ssh.
pub(super) struct Connection {
    running: RunFuture,
    exit: Option<Exit>,
    chunks: mpsc::Receiver<Chunk>,
    input: Input,
    /// Kept, since its end would be an order of its own.
    _orders: watch::Sender<Order>,
    /// The last of what came on standard error and was not the command's.
    words: Vec<u8>,
}

impl Connection {
    /// Connects, and gives the other side this script.
    pub(super) fn open(settings: &SshSettings, script: &[u8]) -> Result<Self, Box<Exit>> {
        let failed = |error: std::io::Error| {
            let detail = format!("no pipe to ssh could be made: {}", reason(&error));
            Box::new(Exit::not_started(StartReason::SpawnFailed, Some(detail)))
        };
        let (read, write) = std::io::pipe().map_err(failed)?;
        let (input, incoming) = std_mpsc::channel::<Vec<u8>>();
        let mut pipe = write;
        // A thread, since the pipe may be full for as long as the connection likes. It ends with the
        // sender, or when ssh no longer reads.
        std::thread::Builder::new()
            .name("bsh-ssh".to_owned())
            .stack_size(64 * 1024)
            .spawn(move || {
                while let Ok(bytes) = incoming.recv() {
                    if pipe.write_all(&bytes).is_err() {
                        return;
                    }
                }
            })
            .map_err(failed)?;
        let runner = LocalRunner::new(LocalSettings {
            shell: "ssh".into(),
            arguments: Some(arguments(settings).into_iter().map(Into::into).collect()),
            stdin: StdinSource::Descriptor(read.as_raw_fd()),
            adopt_orphans: settings.adopt_orphans,
            ..LocalSettings::default()
        });
        let (orders, receiver) = watch::channel(Order::Run);
        let (sink, chunks) = ChunkSink::channel(CHUNKS_UNDER_WAY);
        let job = Job {
            command: String::new(),
            cwd: ".".into(),
            // ssh itself needs the environment of this process, such as SSH_AUTH_SOCK; it sends none on.
            env: Arc::new(std::env::vars_os().collect()),
            grace: Duration::from_secs(1),
            orders: receiver,
            held: watch::Sender::new(false),
            started: watch::Sender::new(false),
        };
        let run = runner.run(job, sink);
        let connection = Self {
            running: Box::pin(async move {
                let exit = run.await;
                // ssh got a copy when it started, which happens in there.
                drop(read);
                exit
            }),
            exit: None,
            chunks,
            input: Input(Arc::new(Mutex::new(Some(input)))),
            _orders: orders,
            words: Vec::new(),
        };
        connection
            .input()
            .send([format!("{}\n", script.len()).as_bytes(), script].concat());
        Ok(connection)
    }

    /// The input of what runs there.
    pub(super) fn input(&self) -> Input {
        self.input.clone()
    }

    /// Waits for more. Cancel-safe.
    pub(super) async fn next(&mut self) -> Heard {
        loop {
            if self.exit.is_some() {
                return match self.chunks.try_recv() {
                    Ok(chunk) => Heard::Chunk(chunk),
                    Err(_) => Heard::End,
                };
            }
            tokio::select! {
                biased;
                Some(chunk) = self.chunks.recv() => return Heard::Chunk(chunk),
                exit = &mut self.running => self.exit = Some(exit),
            }
        }
    }

    /// Takes what ssh said on standard error.
    pub(super) fn take_words(&mut self, bytes: &[u8]) {
        self.words.extend_from_slice(bytes);
        let surplus = self.words.len().saturating_sub(WORDS_KEPT);
        self.words.drain(..surplus);
    }

    /// Why there is no connection, in the words of ssh.
    pub(super) fn reason(&self) -> String {
        let exit = self.exit.as_ref();
        if let Some(error) = exit.and_then(|exit| exit.error.as_ref()) {
            return error.detail.clone().unwrap_or_default();
        }
        let text = String::from_utf8_lossy(&self.words);
        // Of several lines, such as those about a host key that changed, the last ones say what failed.
        let lines: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        let last = lines.len().saturating_sub(3);
        let words = lines.get(last..).unwrap_or_default().join(" ");
        let code = exit.and_then(|exit| exit.code);
        match (words.is_empty(), code) {
            (false, _) => words,
            (true, Some(code)) => format!("ssh ended with exit code {code} and said nothing"),
            (true, None) => "ssh ended and said nothing".to_owned(),
        }
    }
}

fn arguments(settings: &SshSettings) -> Vec<String> {
    let mut words: Vec<String> = vec!["-T".to_owned()];
    for option in [
        // Nobody is there to type a password.
        "BatchMode=yes",
        // What the user's configuration may say for this host, and is meant for other uses of it.
        "RemoteCommand=none",
        "ClearAllForwardings=yes",
        "PermitLocalCommand=no",
        // A network that is gone is noticed after three quarters of a minute.
        "ServerAliveInterval=15",
        "ServerAliveCountMax=3",
    ] {
        words.extend(["-o".to_owned(), option.to_owned()]);
    }
    let host = settings.host.as_str().to_owned();
    words.extend(["--".to_owned(), host, BOOTSTRAP.to_owned()]);
    words
}

/// A word that nobody can know in advance, for marks in a stream that is not ours alone.
pub(super) fn nonce() -> String {
    use std::hash::{BuildHasher as _, Hasher as _};
    // Seeded by the system for each process, and a counter makes each differ.
    let mut word = String::new();
    for index in 0..2u8 {
        let mut hasher = std::collections::hash_map::RandomState::new().build_hasher();
        hasher.write_u8(index);
        word.push_str(&format!("{:016x}", hasher.finish()));
    }
    word
}

/// Passes over all of a stream up to a line that is the nonce: what a login shell prints first.
pub(super) struct AfterMark {
    mark: Option<Vec<u8>>,
    seen: Vec<u8>,
}

impl AfterMark {
    pub(super) fn new(nonce: &str) -> Self {
        Self {
            mark: Some(format!("\n{nonce}\n").into_bytes()),
            seen: Vec::new(),
        }
    }

    /// Whether the mark has come.
    pub(super) fn has_come(&self) -> bool {
        self.mark.is_none()
    }

    /// What of these bytes comes after the mark.
    pub(super) fn take(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        let Some(mark) = &self.mark else {
            return bytes;
        };
        self.seen.extend(bytes);
        match memchr::memmem::find(&self.seen, mark) {
            Some(at) => {
                let rest = self.seen.split_off(at + mark.len());
                self.seen = Vec::new();
                self.mark = None;
                rest
            }
            None => {
                let kept = self.seen.len().saturating_sub(mark.len());
                self.seen.drain(..kept);
                Vec::new()
            }
        }
    }
}

/// Whether these bytes are the command's.
pub(super) fn is_stderr(chunk: &Chunk) -> bool {
    chunk.stream == Stream::Stderr
}
