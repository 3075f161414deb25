//! A panic anywhere becomes one sentence, or a JSON report.

use std::panic::{UnwindSafe, catch_unwind, set_hook};
use std::sync::{Mutex, PoisonError};

/// What the last panic said, and where.
static LAST: Mutex<String> = Mutex::new(String::new());

/// Runs `action`; a panic in it, in this thread, is the words of the panic.
pub fn caught<T>(action: impl FnOnce() -> T + UnwindSafe) -> Result<T, String> {
    set_hook(Box::new(|panic| {
        // Where it came from is for whoever mends it; the sentence goes to whoever typed the command.
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        *last = bsh::one_line(&panic.to_string());
    }));
    catch_unwind(action).map_err(|_| {
        let last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        last.clone()
    })
}
