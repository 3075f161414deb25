//! How a hook answers, and how it fails.

use std::future::Future;
use std::pin::Pin;

use thiserror::Error;

/// The future of a hook. Dropping it has to end whatever the hook started.
pub type HookFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, HookFailure>> + Send + 'a>>;

/// Why a hook has no answer. It becomes `EXTENSION_FAILED` in the phase of the hook.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{detail}")]
pub struct HookFailure {
    /// A part of a sentence, without secrets and without a period.
    pub detail: String,
}

impl HookFailure {
    /// A failure with a reason.
    pub fn new(detail: impl Into<String>) -> Self {
        Self {
            detail: detail.into(),
        }
    }
}
