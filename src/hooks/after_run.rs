//! Hooks after the run: replace the view or the notes. The status, the run and the error stay.

use crate::hooks::HookFuture;
use crate::report::{Note, ShellError, ShellOutput, ShellRun, Status};
use crate::request::BashRequest;

/// What happened, as an after-run hook sees it.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub struct AfterRun<'a> {
    pub request: &'a BashRequest,
    pub run: &'a ShellRun,
    pub status: Status,
    pub output: &'a ShellOutput,
    /// All notes so far but the one of the error, which no hook can remove.
    pub notes: &'a [Note],
    pub error: Option<&'a ShellError>,
}

/// What an after-run hook answers; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AfterRunAnswer {
    /// In place of the output. Control characters but newline and tab are dropped from its view.
    pub output: Option<ShellOutput>,
    /// In place of all notes given.
    pub notes: Option<Vec<Note>>,
}

/// Looks at a run, and may replace its view or its notes. Hooks run in order, each on the result of
/// the one before.
///
/// ```
/// use bsh::hooks::{AfterRun, AfterRunAnswer, AfterRunHook, HookFuture};
///
/// /// Shows nothing but the last line.
/// struct LastLine;
///
/// impl AfterRunHook for LastLine {
///     fn id(&self) -> &str {
///         "last-line"
///     }
///
///     fn after_run<'a>(&'a self, ran: AfterRun<'a>) -> HookFuture<'a, AfterRunAnswer> {
///         Box::pin(async move {
///             let mut output = ran.output.clone();
///             output.head = output.head.lines().last().unwrap_or_default().to_owned();
///             Ok(AfterRunAnswer { output: Some(output), notes: None })
///         })
///     }
/// }
/// let tool = bsh::BashTool::builder(bsh::runner::EchoRunner::new("/tmp")).after_run(LastLine).build();
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let result = tool.call(bsh::BashRequest::new("one\ntwo"), &bsh::Control::new()).await;
/// assert_eq!(result.report.output.unwrap().head, "two");
/// # });
/// ```
pub trait AfterRunHook: Send + Sync {
    /// Names the hook in reports of its failures.
    fn id(&self) -> &str;

    /// Answers for one run.
    fn after_run<'a>(&'a self, ran: AfterRun<'a>) -> HookFuture<'a, AfterRunAnswer>;
}
