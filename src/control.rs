//! How a caller steers a run that is under way: abort it, abort it at once, suspend and resume it.
//!
//! This is the cancellation token of a call. Turning signals into aborts belongs to the binary.

use std::sync::Arc;

use tokio::sync::watch;

/// What the caller wants of the call, in rising order of urgency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Wish {
    /// Go on.
    #[default]
    Run,
    /// Stop the tree: the stop signal, the grace, then SIGKILL.
    Abort,
    /// Stop the tree with SIGKILL, without the rest of the grace.
    AbortNow,
}

/// What the caller said so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct State {
    /// Only ever rises.
    pub wish: Wish,
    /// The tree and its clock stand still.
    pub suspended: bool,
    /// How often [`Control::ask_progress`] was called.
    pub progress_asked: u64,
    /// How often [`Control::ask_snapshot`] was called.
    pub snapshots_asked: u64,
}

/// A handle to a call: cheap to clone, and all clones steer the same call.
#[derive(Debug, Clone)]
pub struct Control {
    state: Arc<watch::Sender<State>>,
    /// Set by the runner.
    held: watch::Sender<bool>,
}

impl Default for Control {
    fn default() -> Self {
        Self::new()
    }
}

impl Control {
    /// A handle that has asked for nothing yet.
    pub fn new() -> Self {
        Self {
            state: Arc::new(watch::Sender::new(State::default())),
            held: watch::Sender::new(false),
        }
    }

    /// Aborts the call. Called a second time, the rest of the grace is skipped.
    pub fn abort(&self) {
        self.state.send_modify(|state| {
            state.wish = match state.wish {
                Wish::Run => Wish::Abort,
                Wish::Abort | Wish::AbortNow => Wish::AbortNow,
            };
        });
    }

    /// Stops the tree and its clock (SIGSTOP), until [`Control::resume`].
    pub fn suspend(&self) {
        self.state.send_modify(|state| state.suspended = true);
    }

    /// Continues what [`Control::suspend`] stopped.
    pub fn resume(&self) {
        self.state.send_modify(|state| state.suspended = false);
    }

    /// Has the observer of the call told how far the command is, once and soon, while it runs.
    pub fn ask_progress(&self) {
        self.state
            .send_modify(|state| state.progress_asked = state.progress_asked.wrapping_add(1));
    }

    /// Has the observer of the call given the report so far, once and soon, while the command runs.
    pub fn ask_snapshot(&self) {
        self.state
            .send_modify(|state| state.snapshots_asked = state.snapshots_asked.wrapping_add(1));
    }

    /// What was asked so far.
    pub fn state(&self) -> State {
        *self.state.borrow()
    }

    /// Follows what is asked from now on.
    pub fn watch(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Returns once the call is aborted.
    pub async fn aborted(&self) {
        let mut watch = self.watch();
        // The sender lives in `self`, so waiting cannot fail.
        let _ = watch.wait_for(|state| state.wish >= Wish::Abort).await;
    }

    /// Returns once the runner says that all is held, after [`Control::suspend`]. Never, when the runner
    /// cannot say so or nothing runs.
    pub async fn held(&self) {
        let mut held = self.held.subscribe();
        // The sender lives in `self`, so waiting cannot fail.
        let _ = held.wait_for(|held| *held).await;
    }

    /// Where a runner says that all is held.
    pub(crate) fn held_sender(&self) -> watch::Sender<bool> {
        self.held.clone()
    }
}
