//! A place that keeps every raw byte. Its failure never harms the command: it becomes a note.

use crate::hooks::{HookFailure, HookFuture, Planned};
use crate::output::{Spill, SpillTarget};
use crate::sys::failure::reason;

/// Opens a spill for each run.
///
/// ```
/// use std::sync::{Arc, Mutex};
///
/// use bsh::hooks::{HookFailure, HookFuture, Planned, SpillFactory};
/// use bsh::output::{Spill, SpillSink};
/// use bsh::runner::Stream;
///
/// #[derive(Clone, Default)]
/// struct Memory(Arc<Mutex<Vec<u8>>>);
///
/// impl SpillSink for Memory {
///     fn write(&mut self, _: Stream, bytes: &[u8]) -> std::io::Result<()> {
///         self.0.lock().unwrap().extend(bytes);
///         Ok(())
///     }
///
///     fn finish(&mut self) -> std::io::Result<Option<String>> {
///         Ok(Some("memory".to_owned()))
///     }
/// }
///
/// impl SpillFactory for Memory {
///     fn id(&self) -> &str {
///         "memory"
///     }
///
///     fn open<'a>(&'a self, _: Planned<'a>) -> HookFuture<'a, Spill> {
///         Box::pin(async {
///             Spill::with_sink(Box::new(self.clone())).map_err(|error| HookFailure::new(error.to_string()))
///         })
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
pub trait SpillFactory: Send + Sync {
    /// Names the sink in reports of its failures.
    fn id(&self) -> &str;

    /// Opens the spill of one run.
    fn open<'a>(&'a self, planned: Planned<'a>) -> HookFuture<'a, Spill>;
}

impl SpillFactory for SpillTarget {
    fn id(&self) -> &str {
        "file"
    }

    fn open<'a>(&'a self, _: Planned<'a>) -> HookFuture<'a, Spill> {
        Box::pin(async {
            let opened = Spill::open(self.clone()).await;
            opened.map_err(|error| HookFailure::new(reason(&error)))
        })
    }
}
