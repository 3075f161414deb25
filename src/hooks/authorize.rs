//! The authorizer: sees what will really run, after every rewrite, and lets it or not.

use crate::hooks::{HookFuture, Planned};
use crate::report::Note;

/// What an authorizer is asked.
#[derive(Debug, Clone, Copy)]
pub struct Authorization<'a> {
    /// The final command, the absolute folder, the timeout.
    pub planned: Planned<'a>,
    /// The folder for a person: relative to the runner's default folder when it lies in it (`.` for
    /// that itself), else absolute.
    pub display_path: &'a str,
}

/// What an authorizer answers.
#[derive(Debug, Clone, PartialEq)]
pub enum AuthorizeAnswer {
    /// Run it.
    Allow {
        /// Remarks for the report.
        notes: Vec<Note>,
    },
    /// Do not run it: `DENIED`.
    Deny {
        /// The note of the refusal; without one the report says who denied it.
        note: Option<Note>,
    },
}

/// Lets a command run or not.
///
/// ```
/// use bsh::hooks::{Authorization, AuthorizeAnswer, Authorizer, HookFuture};
///
/// struct HereOnly;
///
/// impl Authorizer for HereOnly {
///     fn id(&self) -> &str {
///         "here-only"
///     }
///
///     fn authorize<'a>(&'a self, asked: Authorization<'a>) -> HookFuture<'a, AuthorizeAnswer> {
///         Box::pin(async move {
///             Ok(match asked.display_path {
///                 "." => AuthorizeAnswer::Allow { notes: vec![] },
///                 _ => AuthorizeAnswer::Deny { note: None },
///             })
///         })
///     }
/// }
/// let tool = bsh::BashTool::builder(bsh::runner::EchoRunner::new("/tmp")).authorizer(HereOnly).build();
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let request = bsh::BashRequest::new("true").with_cwd("elsewhere");
/// let result = tool.call(request, &bsh::Control::new()).await;
/// assert_eq!(result.report.error.unwrap().message, "The command was not allowed by here-only.");
/// # });
/// ```
pub trait Authorizer: Send + Sync {
    /// Names the authorizer in reports of its refusals and failures.
    fn id(&self) -> &str;

    /// Answers for one final command.
    fn authorize<'a>(&'a self, asked: Authorization<'a>) -> HookFuture<'a, AuthorizeAnswer>;
}
