//! Hook programs of one call: what they write to standard error is shown as it comes.

use std::io::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use bsh::BashToolBuilder;
use bsh::hooks::{HookProgram, HookRuns};
use bsh::output::{Cleaner, Masker, Masks};
use bsh::runner::Stream;

use crate::cli::extend::Hooks;

/// Adds the hooks to a tool. Their runs are counted, so that their stops can be waited for.
pub fn add(
    mut tool: BashToolBuilder,
    hooks: Hooks,
    masks: &Masks,
    runs: &HookRuns,
) -> BashToolBuilder {
    let ready = |hook: HookProgram| {
        let hook = hook.counted_in(runs.clone());
        match masks.is_empty() {
            true => hook,
            false => {
                let shown = Arc::new(Mutex::new(MaskedText::new(masks)));
                hook.stderr(move |bytes| {
                    let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
                    let text = shown.push(Stream::Stderr, bytes);
                    // Nobody can be told that standard error is gone.
                    let _ = std::io::stderr().write_all(text.as_bytes());
                })
            }
        }
    };
    for hook in hooks.before_run {
        tool = tool.before_run(ready(hook));
    }
    if let Some(hook) = hooks.authorize {
        tool = tool.authorizer(ready(hook));
    }
    for hook in hooks.after_run {
        tool = tool.after_run(ready(hook));
    }
    tool
}

/// One stream of bytes as text in which secrets are hidden: whole lines, as a report would have them.
pub struct MaskedText {
    masks: Masks,
    cleaner: Cleaner,
    masker: Masker,
}

impl MaskedText {
    /// The beginning of a stream.
    pub fn new(masks: &Masks) -> Self {
        Self {
            masks: masks.clone(),
            cleaner: Cleaner::new(),
            masker: Masker::new(masks.clone()),
        }
    }

    /// Takes bytes, and gives what can be shown of the stream by now. No bytes are its end.
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) -> String {
        let mut text = String::new();
        let masker = &mut self.masker;
        let mut mask = |piece: &str| masker.push(piece, &mut |piece| text.push_str(piece));
        if !bytes.is_empty() {
            self.cleaner.push(stream, bytes, &mut mask);
            return text;
        }
        std::mem::take(&mut self.cleaner).finish(&mut mask);
        let mut masker = std::mem::replace(&mut self.masker, Masker::new(self.masks.clone()));
        masker.finish(&mut |piece| text.push_str(piece));
        text
    }
}
