//! A place that keeps every raw byte. Its failure never harms the command: it becomes a note.

use crate::hooks::{HookFuture, Planned};
use crate::runner::Chunk;

/// Opens a sink for each run.
pub trait SpillFactory: Send + Sync {
    /// Names the sink in reports of its failures.
    fn id(&self) -> &str;

    /// Opens the sink of one run.
    fn open<'a>(&'a self, planned: Planned<'a>) -> HookFuture<'a, Box<dyn SpillSink>>;
}

/// Takes the bytes of one run, in order. Dropped without [`SpillSink::finish`], it leaves nothing
/// behind.
///
/// ```
/// use std::sync::{Arc, Mutex};
///
/// use bsh::hooks::{HookFuture, Planned, SpillFactory, SpillSink};
/// use bsh::runner::Chunk;
///
/// #[derive(Clone, Default)]
/// struct Memory(Arc<Mutex<Vec<u8>>>);
///
/// impl SpillFactory for Memory {
///     fn id(&self) -> &str {
///         "memory"
///     }
///
///     fn open<'a>(&'a self, _: Planned<'a>) -> HookFuture<'a, Box<dyn SpillSink>> {
///         Box::pin(async { Ok(Box::new(self.clone()) as Box<dyn SpillSink>) })
///     }
/// }
///
/// impl SpillSink for Memory {
///     fn write<'a>(&'a mut self, chunk: &'a Chunk) -> HookFuture<'a, ()> {
///         Box::pin(async move {
///             self.0.lock().unwrap().extend(&chunk.bytes);
///             Ok(())
///         })
///     }
///
///     fn finish(self: Box<Self>) -> HookFuture<'static, Option<String>> {
///         Box::pin(async { Ok(Some("memory".to_owned())) })
///     }
/// }
/// let memory = Memory::default();
/// let tool = bsh::BashTool::builder(bsh::runner::EchoRunner::new("/tmp")).spill(memory.clone()).build();
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let result = tool.call(bsh::BashRequest::new("hi"), &bsh::Control::new()).await;
/// assert_eq!(result.report.output.unwrap().spill.as_deref(), Some("memory"));
/// assert_eq!(*memory.0.lock().unwrap(), b"hi\n");
/// # });
/// ```
pub trait SpillSink: Send {
    /// Keeps one chunk. One that takes longer than a second ends the spill.
    fn write<'a>(&'a mut self, chunk: &'a Chunk) -> HookFuture<'a, ()>;

    /// Ends the spill, and says where all of it is, for people.
    fn finish(self: Box<Self>) -> HookFuture<'static, Option<String>>;
}
