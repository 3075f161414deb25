//! Keeps a sink at arm's length: a thread writes, a bounded queue feeds it, and a clock gives it up.
//!
//! Whatever the sink does (fail, block for ever, crash) the command goes on after [`STANDSTILL`] at most,
//! and the outcome says that something is missing. What a sink has saved until then stays where it is,
//! since the front of a long output is better than nothing; the outcome calls it incomplete.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::sys::signal::SigSet;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::output::spill::SpillTarget;
use crate::runner::Stream;
use crate::sys::failure::reason;

/// How long a sink may take for one piece of at most 64 KiB before it is given up.
pub const STANDSTILL: Duration = Duration::from_secs(1);

/// Into how many parts [`STANDSTILL`] is divided when it is waited for.
const TICKS: u32 = 10;

/// Queued bytes from which on the command's output waits: a few reads of a full pipe.
const QUEUE_BYTES: usize = 256 * 1024;

/// Queued bytes at which a sink is given up at once. Only a caller that drops waiting pushes comes so far.
const QUEUE_LIMIT_BYTES: usize = 8 * 1024 * 1024;

/// Small chunks of one stream are joined up to this length in bytes.
const PIECE_BYTES: usize = 64 * 1024;

/// Where a library caller lets the raw output go.
///
/// All methods are called on a thread of their own, in order, and may block.
pub trait SpillSink: Send {
    /// Saves the next bytes. Pieces are not the chunks that a runner gave, but their order is.
    ///
    /// # Errors
    /// The first one ends the spill; the command goes on.
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()>;

    /// Ends the spill, and says where everything is, if there is a place to name.
    ///
    /// # Errors
    /// When not everything could be saved after all.
    fn finish(&mut self) -> io::Result<Option<String>>;
}

/// How a spill ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpillOutcome {
    /// Where every raw byte is, if the sink names a place and nothing failed.
    pub path: Option<String>,
    /// Why not everything was saved, in one line: the detail of the note `spill-failed`.
    pub failed: Option<String>,
}

/// A spill under way. Dropped without [`Spill::finish`] it is abandoned, as by [`Spill::discard`].
#[derive(Debug)]
pub struct Spill {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Wakes the thread: there is work, or none will come.
    work: Condvar,
    /// Wakes the async side: the thread got on.
    progress: Notify,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<(Stream, Vec<u8>)>,
    /// Bytes in the queue and in the thread's hands.
    queued: usize,
    /// Counts the thread's steps.
    steps: u64,
    /// True once the sink is open.
    open: bool,
    /// True once no more bytes will come.
    closed: bool,
    /// Set by whoever ends the spill first.
    ended: Option<Ended>,
    /// True once the thread has let go of the sink.
    gone: bool,
}

#[derive(Debug)]
enum Ended {
    /// The sink has everything.
    Saved(Option<String>),
    /// Opening failed, with the system's words.
    NotOpened(io::Error),
    /// Something is missing.
    Failed(String),
    /// Nobody wants it any more.
    Abandoned,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds the lock; if it did, the state would still be whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the spill, unless it has ended.
    fn end(&self, ended: Ended) {
        let mut state = self.lock();
        if state.ended.is_none() {
            state.ended = Some(ended);
            state.queue = VecDeque::new();
        }
        drop(state);
        self.work.notify_all();
        self.progress.notify_one();
    }

    /// Waits until `ready`: as long as the thread takes a step in every [`STANDSTILL`] if `steps` is set,
    /// else for that long in all. Returns false when that did not come.
    async fn wait(&self, steps: bool, ready: impl Fn(&State) -> bool) -> bool {
        // Time is counted in ticks that were lived through: after a suspension of the whole process at
        // most one of them has passed, and the thread gets the rest to show itself.
        let tick = STANDSTILL / TICKS;
        let mut sleep = pin!(tokio::time::sleep(tick));
        let mut passed = 0;
        let mut seen = None;
        loop {
            {
                let state = self.lock();
                if ready(&state) {
                    return true;
                }
                if steps && seen != Some(state.steps) {
                    seen = Some(state.steps);
                    passed = 0;
                }
            }
            if passed >= TICKS {
                return false;
            }
            tokio::select! {
                // A wake-up that came since the look above is kept by the `Notify`.
                () = self.progress.notified() => {}
                () = &mut sleep => {
                    passed += 1;
                    sleep.as_mut().reset(Instant::now() + tick);
                }
            }
        }
    }
}

impl Spill {
    /// Opens a file to spill to. To be called before the command starts.
    ///
    /// # Errors
    /// The file cannot be opened, is not to be trusted, or the system did not answer in [`STANDSTILL`];
    /// one sentence for the detail of `spill-failed`.
    pub async fn open(target: SpillTarget) -> io::Result<Self> {
        let name = target.to_string();
        let spill = Self::start(move || target.open())?;
        let shared = &spill.shared;
        if !shared
            .wait(false, |state| state.open || state.ended.is_some())
            .await
        {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                format!("{name}: opening it took longer than a second"),
            ));
        }
        let mut state = shared.lock();
        if let Some(Ended::NotOpened(error)) = &mut state.ended {
            return Err(std::mem::replace(error, io::ErrorKind::Other.into()));
        }
        drop(state);
        Ok(spill)
    }

    /// Puts a caller's own sink behind the guard.
    ///
    /// # Errors
    /// The thread could not be started.
    pub fn with_sink(sink: Box<dyn SpillSink>) -> io::Result<Self> {
        Self::start(move || Ok(sink))
    }

    /// Starts the thread. It is never joined: a write that blocks for ever must not keep the process.
    fn start(
        open: impl FnOnce() -> io::Result<Box<dyn SpillSink>> + Send + 'static,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let spill = Self {
            shared: Arc::clone(&shared),
        };
        std::thread::Builder::new()
            .name("bsh-spill".into())
            .spawn(move || {
                // A file past its size limit raises SIGXFSZ, a FIFO without reader SIGPIPE, both in the
                // thread that wrote (setrlimit(2), pipe(7)), and both kill by default. Blocked they stay
                // pending for this thread, and the write fails. The others are for the host's threads.
                let _ = SigSet::all().thread_block();
                let run = catch_unwind(AssertUnwindSafe(|| work(&shared, open)));
                if run.is_err() {
                    shared.end(Ended::Failed("the spill crashed".into()));
                }
                shared.lock().gone = true;
                shared.progress.notify_one();
            })?;
        Ok(spill)
    }

    /// Queues the next bytes, and waits while the queue is full.
    ///
    /// When that takes longer than [`STANDSTILL`] the sink is given up, and this and all later calls
    /// return at once. The bytes are queued before the first wait: dropping the future loses none.
    pub async fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let full = {
            let mut state = self.shared.lock();
            if bytes.is_empty() || state.ended.is_some() {
                return;
            }
            state.queued = state.queued.saturating_add(bytes.len());
            match state.queue.back_mut() {
                Some((last, joined))
                    if *last == stream && joined.len() + bytes.len() <= PIECE_BYTES =>
                {
                    joined.extend_from_slice(bytes);
                }
                _ => state.queue.extend(
                    bytes
                        .chunks(PIECE_BYTES)
                        .map(|piece| (stream, piece.to_vec())),
                ),
            }
            state.queued
        };
        self.shared.work.notify_one();
        if full <= QUEUE_BYTES {
            return;
        }
        let room = |state: &State| state.queued <= QUEUE_BYTES || state.ended.is_some();
        if full > QUEUE_LIMIT_BYTES || !self.shared.wait(false, room).await {
            self.shared.end(Ended::Failed(too_slow()));
        }
    }

    /// Waits for the rest to be saved, as long as the sink gets on, and says how it ended.
    pub async fn finish(self) -> SpillOutcome {
        self.shared.lock().closed = true;
        self.shared.work.notify_one();
        if !self.shared.wait(true, |state| state.ended.is_some()).await {
            self.shared.end(Ended::Failed(too_slow()));
        }
        match &self.shared.lock().ended {
            Some(Ended::Saved(path)) => SpillOutcome {
                path: path.clone(),
                failed: None,
            },
            Some(Ended::Failed(detail)) => SpillOutcome {
                path: None,
                failed: Some(detail.clone()),
            },
            Some(Ended::NotOpened(error)) => SpillOutcome {
                path: None,
                failed: Some(reason(error)),
            },
            Some(Ended::Abandoned) | None => SpillOutcome::default(),
        }
    }

    /// Abandons the spill of a command that did not start, and waits a moment for the sink to be let go.
    /// A file that was made for it and is still empty is removed.
    pub async fn discard(self) {
        self.shared.end(Ended::Abandoned);
        self.shared.wait(false, |state| state.gone).await;
    }
}

impl Drop for Spill {
    fn drop(&mut self) {
        self.shared.end(Ended::Abandoned);
    }
}

fn too_slow() -> String {
    "the spill took nothing for a second; what was saved is incomplete".into()
}

/// What the thread does: open, write piece by piece, finish.
fn work(shared: &Shared, open: impl FnOnce() -> io::Result<Box<dyn SpillSink>>) {
    let mut sink = match open() {
        Ok(sink) => sink,
        Err(error) => return shared.end(Ended::NotOpened(error)),
    };
    shared.lock().open = true;
    shared.progress.notify_one();
    loop {
        let mut state = shared.lock();
        while state.queue.is_empty() && !state.closed && state.ended.is_none() {
            state = shared
                .work
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if state.ended.is_some() {
            return;
        }
        let Some((stream, bytes)) = state.queue.pop_front() else {
            drop(state);
            return shared.end(match sink.finish() {
                Ok(path) => Ended::Saved(path),
                Err(error) => failed(&error),
            });
        };
        drop(state);
        if let Err(error) = sink.write(stream, &bytes) {
            return shared.end(failed(&error));
        }
        let mut state = shared.lock();
        state.queued = state.queued.saturating_sub(bytes.len());
        state.steps += 1;
        drop(state);
        shared.progress.notify_one();
    }
}

fn failed(error: &io::Error) -> Ended {
    Ended::Failed(format!("{}; what was saved is incomplete", reason(error)))
}
