//! Sees a call while it runs: its start, its output as it comes, how far it is.
//!
//! An observer changes nothing. It is called from the task of the call, whose clock waits for it, so it
//! must neither block nor panic: what takes time belongs behind a queue and on a thread of its own.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use crate::report::{Note, ShellOutput, ShellRun};
use crate::request::BashRequest;
use crate::runner::Stream;

/// The future of [`Observer::caught_up`].
pub type CaughtUp<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Sees calls of a tool while they run. Each method does nothing unless it is written.
///
/// ```
/// use std::sync::{Arc, Mutex};
///
/// #[derive(Default, Clone)]
/// struct Live(Arc<Mutex<String>>);
///
/// impl bsh::Observer for Live {
///     fn text(&self, text: &str) {
///         self.0.lock().unwrap().push_str(text);
///     }
/// }
/// let live = Live::default();
/// let runner = bsh::runner::EchoRunner::new("/tmp");
/// let tool = bsh::BashTool::builder(runner).observer(live.clone()).build();
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// tool.call(bsh::BashRequest::new("hi"), &bsh::Control::new()).await;
/// assert_eq!(*live.0.lock().unwrap(), "hi\n");
/// # });
/// ```
pub trait Observer: Send + Sync {
    /// All stages before the run are passed, and the command is about to start.
    fn starting(&self, _start: &Snapshot) {}

    /// It has more than it can take for now: the command's output is left where it is until
    /// [`Observer::caught_up`] returns, or the command is stopped.
    fn is_behind(&self) -> bool {
        false
    }

    /// Returns when [`Observer::is_behind`] is false again.
    fn caught_up(&self) -> CaughtUp<'_> {
        Box::pin(std::future::ready(()))
    }

    /// Whether [`Observer::started`] is to come at once. Otherwise it comes with the first output or the
    /// end, which costs nothing.
    fn asks_for_start(&self) -> bool {
        false
    }

    /// The command has started. Comes once, before its output; never when it could not start.
    fn started(&self) {}

    /// Raw bytes, as they came, up to the cap.
    fn chunk(&self, _stream: Stream, _bytes: &[u8]) {}

    /// More of the cleaned and masked text: whole lines, until the last piece.
    fn text(&self, _text: &str) {}

    /// The answer to [`crate::Control::ask_progress`].
    fn progress(&self, _progress: &Progress) {}

    /// The answer to [`crate::Control::ask_snapshot`].
    fn snapshot(&self, _snapshot: &Snapshot) {}

    /// The run is over; all of its text was given.
    fn ended(&self) {}
}

/// How far a command is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// Time since the start, without suspended time.
    pub elapsed: Duration,
    /// The timeout in force.
    pub timeout: Duration,
    /// Lines of cleaned text so far; one that has not ended counts.
    pub lines: u64,
    /// Raw bytes of both streams so far.
    pub bytes: u64,
    /// The last line that is not blank, as it stands now, without control characters but tab.
    pub last_line: String,
}

/// The report so far. `request`, `run` and `output` are set; they are options as in a report.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// What was asked.
    pub request: Option<BashRequest>,
    /// How it runs: without exit code and signal, the duration up to now.
    pub run: Option<ShellRun>,
    /// What it printed up to now.
    pub output: Option<ShellOutput>,
    /// The notes of the stages before the run.
    pub notes: Vec<Note>,
}
