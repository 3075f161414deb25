//! Feeds a spill beside the run, so that the clock of the run never waits for it.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;

use crate::output::{Spill, SpillOutcome};
use crate::runner::Chunk;

/// Chunks that may wait before the command's output has to.
const QUEUE: usize = 16;

/// A queue to a spill; one push at a time is under way. A spill that is slow gives itself up.
pub(super) struct SpillFeed {
    spill: Option<Spill>,
    pushing: Option<Pin<Box<dyn Future<Output = Spill> + Send>>>,
    queue: VecDeque<Chunk>,
    /// Why there is none, if one was asked for.
    not_opened: Option<String>,
}

impl SpillFeed {
    /// No spill was asked for, or it could not be opened.
    pub(super) fn none(not_opened: Option<String>) -> Self {
        Self {
            spill: None,
            pushing: None,
            queue: VecDeque::new(),
            not_opened,
        }
    }

    pub(super) fn to(spill: Spill) -> Self {
        Self {
            spill: Some(spill),
            ..Self::none(None)
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.pushing.is_some()
    }

    pub(super) fn is_full(&self) -> bool {
        self.queue.len() >= QUEUE
    }

    pub(super) fn offer(&mut self, chunk: Chunk) {
        if self.spill.is_some() || self.pushing.is_some() {
            self.queue.push_back(chunk);
            self.push_next();
        }
    }

    /// Waits for the push under way; its future lives in `self`, so a caller may stop waiting.
    pub(super) async fn progress(&mut self) {
        if let Some(pushing) = &mut self.pushing {
            self.spill = Some(pushing.await);
            self.pushing = None;
            self.push_next();
        }
    }

    /// Where all of it is, or why it failed.
    pub(super) async fn finish(mut self) -> SpillOutcome {
        while self.is_busy() {
            self.progress().await;
        }
        match self.spill {
            Some(spill) => spill.finish().await,
            None => SpillOutcome {
                path: None,
                failed: self.not_opened,
            },
        }
    }

    /// The command did not start: nothing of the spill is left behind.
    pub(super) async fn discard(self) {
        if let Some(spill) = self.spill {
            spill.discard().await;
        }
    }

    fn push_next(&mut self) {
        if self.pushing.is_some() || self.queue.is_empty() {
            return;
        }
        if let (Some(mut spill), Some(chunk)) = (self.spill.take(), self.queue.pop_front()) {
            self.pushing = Some(Box::pin(async move {
                spill.push(chunk.stream, &chunk.bytes).await;
                spill
            }));
        }
    }
}
