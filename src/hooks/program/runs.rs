//! Runs of hook programs under way: a stop goes on when nobody waits for the hook any more.

use std::sync::Arc;

use tokio::sync::watch;

/// Counts the runs of hook programs, so that whoever is about to end can wait until all are over.
#[derive(Debug, Clone)]
pub struct HookRuns {
    count: Arc<watch::Sender<usize>>,
    hurry: Arc<watch::Sender<bool>>,
}

impl Default for HookRuns {
    fn default() -> Self {
        Self {
            count: Arc::new(watch::Sender::new(0)),
            hurry: Arc::new(watch::Sender::new(false)),
        }
    }
}

impl HookRuns {
    /// Returns when none is under way.
    pub async fn over(&self) {
        // The sender lives in `self`, so waiting cannot fail.
        let _ = self.count.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Skips the rest of the grace of all that are being stopped.
    pub fn hurry(&self) {
        self.hurry.send_replace(true);
    }

    /// One more; it is over when the guard is dropped.
    pub(super) fn begin(&self) -> UnderWay {
        self.count.send_modify(|count| *count += 1);
        UnderWay(Arc::clone(&self.count))
    }

    /// Returns when stops are to be hurried.
    pub(super) async fn hurried(&self) {
        let _ = self.hurry.subscribe().wait_for(|hurry| *hurry).await;
    }
}

/// A run under way.
pub(super) struct UnderWay(Arc<watch::Sender<usize>>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}
