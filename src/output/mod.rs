//! What a command printed: bytes → clean → mask → view, and the spill of every raw byte.
//!
//! The text goes one way and no step looks back: [`Cleaner`] makes text of bytes, [`Masker`] hides
//! secrets in it, [`View`] spends the budgets. [`OutputPipeline`] holds the three.

mod bits;
mod cleaner;
mod error_words;
mod escape;
mod line;
mod mask;
mod masker;
mod omitted;
mod pipeline;
mod scan;
mod spill;
mod strip;
mod view;

pub use cleaner::{Cleaner, EDITABLE_BYTES, MAX_COLUMNS, clean_str};
pub use error_words::{LINE_EDGE_BYTES, looks_like_error};
pub use mask::{MASK, MIN_LINE_CHARS, MaskError, Masks};
pub use masker::{Masker, WINDOW_BYTES};
pub use omitted::{KEPT_CHARS, KEPT_LINES, OmittedErrors, OmittedLine};
pub use pipeline::{Finished, OutputPipeline, STDERR_EVIDENCE_BYTES, StderrEvidence};
pub use spill::{STANDSTILL, Spill, SpillOutcome, SpillSink, SpillTarget};
pub use view::{View, ViewLimits, Viewed};
