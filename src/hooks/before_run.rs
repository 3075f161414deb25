//! Hooks before the run: check a command, or rewrite it.

use crate::hooks::{HookFuture, Planned};
use crate::report::Note;

/// What a before-run hook answers.
#[derive(Debug, Clone, PartialEq)]
pub enum BeforeRunAnswer {
    /// Go on.
    Allow {
        /// A command in place of the planned one; a blank one or one with NUL is nonsense.
        command: Option<String>,
        /// Remarks for the report.
        notes: Vec<Note>,
    },
    /// Do not run it: `REFUSED`.
    Refuse {
        /// The note of the refusal; without one the report says which hook refused.
        note: Option<Note>,
    },
}

impl BeforeRunAnswer {
    /// Go on with the command as it is.
    pub fn allow() -> Self {
        Self::Allow {
            command: None,
            notes: Vec::new(),
        }
    }
}

/// Checks or rewrites a command. Hooks run in order, and a rewrite feeds the next.
///
/// ```
/// use bsh::hooks::{BeforeRunAnswer, BeforeRunHook, HookFuture, Planned};
///
/// /// Runs everything at a low priority.
/// struct Nice;
///
/// impl BeforeRunHook for Nice {
///     fn id(&self) -> &str {
///         "nice"
///     }
///
///     fn before_run<'a>(&'a self, planned: Planned<'a>) -> HookFuture<'a, BeforeRunAnswer> {
///         Box::pin(async move {
///             let command = Some(format!("nice {}", planned.command));
///             Ok(BeforeRunAnswer::Allow { command, notes: vec![] })
///         })
///     }
/// }
/// let tool = bsh::BashTool::builder(bsh::runner::EchoRunner::new("/tmp")).before_run(Nice).build();
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let result = tool.call(bsh::BashRequest::new("make"), &bsh::Control::new()).await;
/// assert_eq!(result.report.run.unwrap().command, "nice make");
/// # });
/// ```
pub trait BeforeRunHook: Send + Sync {
    /// Names the hook in reports of its refusals and failures.
    fn id(&self) -> &str;

    /// Answers for one planned run.
    fn before_run<'a>(&'a self, planned: Planned<'a>) -> HookFuture<'a, BeforeRunAnswer>;
}
