//! Waits for a hook: one that panics is a failure, and an abort does not wait for it.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use crate::control::{Control, State, Wish};
use crate::hooks::HookFailure;

/// How a guarded hook ended.
pub(super) enum Guarded<T> {
    Done(T),
    Failed(HookFailure),
    Aborted,
}

/// Waits for a hook until it answers, fails, panics, or the caller asks for more than `wish_so_far`.
pub(super) async fn guarded<T>(
    hook: impl Future<Output = Result<T, HookFailure>>,
    control: &Control,
    wish_so_far: Wish,
) -> Guarded<T> {
    let mut watch = control.watch();
    tokio::select! {
        biased;
        _ = watch.wait_for(|State { wish, .. }| *wish > wish_so_far) => Guarded::Aborted,
        answer = catching(hook) => match answer {
            Ok(Ok(answer)) => Guarded::Done(answer),
            Ok(Err(failure)) => Guarded::Failed(failure),
            Err(panic) => Guarded::Failed(HookFailure::new(panic)),
        },
    }
}

/// Polls a future, and turns a panic into its words.
pub(super) async fn catching<T>(future: impl Future<Output = T>) -> Result<T, String> {
    let mut future = pin!(future);
    poll_fn(move |context| {
        // After a panic the future is dropped and never polled again.
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
            Err(panic) => Poll::Ready(Err(words_of(&*panic))),
        }
    })
    .await
}

/// What a panic said.
pub(super) fn words_of(panic: &(dyn Any + Send)) -> String {
    let words = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    match words {
        Some(words) => format!("it panicked: {words}"),
        None => "it panicked".to_owned(),
    }
}
