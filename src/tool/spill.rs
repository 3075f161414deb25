//! Feeds a spill sink beside the run, and gives up on one that fails, panics or is slow.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use tokio::time::timeout;

use crate::hooks::{HookFailure, SpillSink};
use crate::runner::Chunk;
use crate::tool::guard::catching;

/// A sink that takes longer than this for one chunk, or to finish, is given up.
const PATIENCE: Duration = Duration::from_secs(1);
/// Chunks that may wait before the command's output has to.
const QUEUE: usize = 16;

type Writing = Pin<Box<dyn Future<Output = Result<Box<dyn SpillSink>, HookFailure>> + Send>>;

/// A queue to a sink; one write at a time is under way.
pub(super) struct SpillFeed {
    sink: Option<Box<dyn SpillSink>>,
    writing: Option<Writing>,
    queue: VecDeque<Chunk>,
    failure: Option<Option<String>>,
}

impl SpillFeed {
    /// No spill was asked for, or it could not be opened.
    pub(super) fn none(failure: Option<Option<String>>) -> Self {
        Self {
            sink: None,
            writing: None,
            queue: VecDeque::new(),
            failure,
        }
    }

    pub(super) fn to(sink: Box<dyn SpillSink>) -> Self {
        Self {
            sink: Some(sink),
            ..Self::none(None)
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.writing.is_some()
    }

    pub(super) fn is_full(&self) -> bool {
        self.queue.len() >= QUEUE
    }

    pub(super) fn offer(&mut self, chunk: Chunk) {
        if self.sink.is_none() && self.writing.is_none() {
            return;
        }
        self.queue.push_back(chunk);
        self.start_next();
    }

    /// Waits for the write under way; the future lives in `self`, so a caller may stop waiting.
    pub(super) async fn progress(&mut self) {
        let Some(writing) = &mut self.writing else {
            return;
        };
        let written = writing.await;
        self.writing = None;
        match written {
            Ok(sink) => {
                self.sink = Some(sink);
                self.start_next();
            }
            Err(failure) => self.fail(failure),
        }
    }

    /// Where all of it is, or why it failed.
    pub(super) async fn finish(mut self) -> (Option<String>, Option<Option<String>>) {
        let all_written = timeout(PATIENCE, async {
            while self.is_busy() {
                self.progress().await;
            }
        });
        if all_written.await.is_err() {
            return (None, Some(Some(too_slow().detail)));
        }
        let Some(sink) = self.sink else {
            return (None, self.failure);
        };
        match timeout(PATIENCE, catching(async { sink.finish().await })).await {
            Ok(Ok(Ok(path))) => (path, None),
            Ok(Ok(Err(failure))) => (None, Some(Some(failure.detail))),
            Ok(Err(panic)) => (None, Some(Some(panic))),
            Err(_) => (None, Some(Some(too_slow().detail))),
        }
    }

    fn start_next(&mut self) {
        if self.writing.is_some() || self.queue.is_empty() {
            return;
        }
        let (Some(sink), Some(chunk)) = (self.sink.take(), self.queue.pop_front()) else {
            return;
        };
        self.writing = Some(Box::pin(write_one(sink, chunk)));
    }

    fn fail(&mut self, failure: HookFailure) {
        self.failure = Some(Some(failure.detail));
        self.queue.clear();
    }
}

async fn write_one(
    mut sink: Box<dyn SpillSink>,
    chunk: Chunk,
) -> Result<Box<dyn SpillSink>, HookFailure> {
    match timeout(PATIENCE, catching(async { sink.write(&chunk).await })).await {
        Ok(Ok(Ok(()))) => Ok(sink),
        Ok(Ok(Err(failure))) => Err(failure),
        Ok(Err(panic)) => Err(HookFailure::new(panic)),
        Err(_) => Err(too_slow()),
    }
}

fn too_slow() -> HookFailure {
    HookFailure::new("it took longer than a second")
}
