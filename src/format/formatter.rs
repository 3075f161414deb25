//! The place of a formatter of one's own.

use crate::format::text::{lines_of, plain_text};
use crate::hooks::HookFailure;
use crate::messages::ShellMessages;
use crate::report::Report;

/// Makes the text of a report. When it fails or panics, the default one is used, and a note says so.
///
/// ```
/// use bsh::format::Formatter;
///
/// struct Terse;
///
/// impl Formatter for Terse {
///     fn id(&self) -> &str {
///         "terse"
///     }
///
///     fn format(
///         &self,
///         report: &bsh::Report,
///         _: &bsh::ShellMessages,
///     ) -> Result<String, bsh::hooks::HookFailure> {
///         Ok(format!("{:?}", report.status))
///     }
/// }
/// let tool = bsh::BashTool::builder(bsh::runner::EchoRunner::new("/tmp")).formatter(Terse).build();
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let result = tool.call(bsh::BashRequest::new("hi"), &bsh::Control::new()).await;
/// assert_eq!(bsh::text_of(&result), "Ok");
/// # });
/// ```
pub trait Formatter: Send + Sync {
    /// Names the formatter in the note of its failure.
    fn id(&self) -> &str;

    /// The text, without a final newline. Control characters but newline and tab are dropped from it.
    ///
    /// # Errors
    /// Whatever keeps it from making a text.
    fn format(&self, report: &Report, messages: &ShellMessages) -> Result<String, HookFailure>;
}

/// The default: status line, view, notes.
#[derive(Debug, Clone, Copy)]
pub struct TextFormatter {
    /// False in the view mode.
    pub notes: bool,
}

impl Default for TextFormatter {
    fn default() -> Self {
        Self { notes: true }
    }
}

impl Formatter for TextFormatter {
    fn id(&self) -> &str {
        "text"
    }

    fn format(&self, report: &Report, messages: &ShellMessages) -> Result<String, HookFailure> {
        Ok(plain_text(&lines_of(report, messages, self.notes)))
    }
}
