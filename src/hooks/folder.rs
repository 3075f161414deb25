//! A resolver of the requested folder: aliases, sandboxes, folders of another machine.

use std::path::{Path, PathBuf};

use crate::hooks::HookFuture;
use crate::report::Note;
use crate::request::BashRequest;

/// What a resolver is asked.
#[derive(Debug, Clone, Copy)]
pub struct FolderRequest<'a> {
    /// What was asked, with the timeout in force.
    pub request: &'a BashRequest,
    /// The runner's default folder.
    pub default_folder: &'a Path,
    /// Where the request leads without a resolver: absolute, and not looked at yet.
    pub requested: &'a Path,
}

/// What a resolver answers.
#[derive(Debug, Clone, PartialEq)]
pub enum FolderAnswer {
    /// Run there.
    Folder {
        /// An absolute folder; a relative one is nonsense.
        cwd: PathBuf,
        /// Remarks for the report.
        notes: Vec<Note>,
    },
    /// There is no such folder: `CWD_NOT_FOUND`.
    NotFound,
}

/// Decides in which folder a command runs.
///
/// ```
/// use bsh::hooks::{FolderAnswer, FolderRequest, FolderResolver, HookFuture};
///
/// /// Everything runs under one folder, and `~` is not special.
/// struct Jail;
///
/// impl FolderResolver for Jail {
///     fn id(&self) -> &str {
///         "jail"
///     }
///
///     fn resolve<'a>(&'a self, asked: FolderRequest<'a>) -> HookFuture<'a, FolderAnswer> {
///         Box::pin(async move {
///             Ok(match asked.requested.starts_with("/srv/jail") {
///                 true => FolderAnswer::Folder { cwd: asked.requested.to_owned(), notes: vec![] },
///                 false => FolderAnswer::NotFound,
///             })
///         })
///     }
/// }
/// let tool = bsh::BashTool::builder(bsh::runner::EchoRunner::new("/tmp")).folder_resolver(Jail).build();
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let result = tool.call(bsh::BashRequest::new("true"), &bsh::Control::new()).await;
/// assert_eq!(result.report.error.unwrap().code, bsh::ErrorCode::CwdNotFound);
/// # });
/// ```
pub trait FolderResolver: Send + Sync {
    /// Names the hook in reports of its failures.
    fn id(&self) -> &str;

    /// Answers for one request.
    fn resolve<'a>(&'a self, asked: FolderRequest<'a>) -> HookFuture<'a, FolderAnswer>;
}
