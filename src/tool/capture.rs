//! What becomes of the bytes of a run: counted up to the cap, shown, kept.

use crate::limits::ShellLimits;
use crate::output::{Masks, OmittedErrors, OutputPipeline, ViewLimits};
use crate::report::ShellOutput;
use crate::runner::Chunk;
use crate::tool::spill::SpillFeed;

/// Takes chunks as they come. Bytes past the cap are in no count, view or spill.
pub(super) struct Capture {
    pipeline: OutputPipeline,
    spill: SpillFeed,
    left: u64,
    over_cap: bool,
}

/// All that was captured.
pub(super) struct Captured {
    pub output: ShellOutput,
    pub omitted_errors: OmittedErrors,
    /// All of standard error, when it was short.
    pub stderr: Option<Vec<u8>>,
    /// Why the spill failed, if it did.
    pub spill_failure: Option<String>,
}

impl Capture {
    pub(super) fn new(limits: &ShellLimits, masks: &Masks, spill: SpillFeed) -> Self {
        let view = ViewLimits {
            max_bytes: usize::try_from(limits.max_output_bytes).unwrap_or(usize::MAX),
            max_lines: limits.max_output_lines,
            head_percent: u8::try_from(limits.head_percent).unwrap_or(100),
        };
        Self {
            pipeline: OutputPipeline::new(view, masks.clone()),
            spill,
            left: limits.max_capture_bytes,
            over_cap: false,
        }
    }

    /// Takes a chunk. Afterwards [`Capture::is_full`] may be true.
    pub(super) fn take(&mut self, mut chunk: Chunk) {
        let room = usize::try_from(self.left).unwrap_or(usize::MAX);
        if chunk.bytes.len() > room {
            self.over_cap = true;
            chunk.bytes.truncate(room);
        }
        if chunk.bytes.is_empty() {
            return;
        }
        self.left -= chunk.bytes.len() as u64;
        self.pipeline.push(chunk.stream, &chunk.bytes);
        self.spill.offer(chunk);
    }

    /// More was written than may be captured.
    pub(super) fn is_over_cap(&self) -> bool {
        self.over_cap
    }

    /// The spill is behind: take nothing before [`Capture::progress`] returned.
    pub(super) fn is_full(&self) -> bool {
        self.spill.is_full()
    }

    /// Something is under way to the spill.
    pub(super) fn is_spilling(&self) -> bool {
        self.spill.is_busy()
    }

    /// Moves bytes on to the spill. Cancel-safe: nothing is lost when this is dropped.
    pub(super) async fn progress(&mut self) {
        self.spill.progress().await;
    }

    /// The command did not start.
    pub(super) async fn discard(self) {
        self.spill.discard().await;
    }

    pub(super) async fn finish(self) -> Captured {
        let finished = self.pipeline.finish();
        let mut output = finished.output;
        let spill = self.spill.finish().await;
        output.spill = spill.path;
        Captured {
            output,
            omitted_errors: finished.errors,
            stderr: (!finished.stderr.cut && !self.over_cap).then_some(finished.stderr.bytes),
            spill_failure: spill.failed,
        }
    }
}
