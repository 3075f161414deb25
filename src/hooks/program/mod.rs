//! Programs as hooks: JSON on standard input, JSON on standard output.
//!
//! A program is started without a shell and without arguments, with the environment and the folder of
//! this process. It gets one object, ends with 0, and has answered one object. What it is told is raw,
//! whatever masks hide in print. It runs under a watcher as a command does, and is stopped as one: its
//! whole tree, also what it left in the background.

mod answer;
mod question;
mod runs;
mod start;

pub use runs::HookRuns;
pub use start::NotAProgram;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::hooks::{
    AfterRun, AfterRunAnswer, AfterRunHook, Authorization, AuthorizeAnswer, Authorizer,
    BeforeRunAnswer, BeforeRunHook, HookFailure, HookFuture, Planned,
};

/// How long a hook may take unless it is said otherwise.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// Takes what a program writes to its standard error, as it comes.
type ErrorSink = Arc<dyn Fn(&[u8]) + Send + Sync>;

/// A program that serves as a before-run hook, an authorizer or an after-run hook.
///
/// It needs a tokio runtime, on which a stop goes on after the future of the hook was dropped.
///
/// ```no_run
/// # fn example() -> Result<(), bsh::hooks::NotAProgram> {
/// let policy = bsh::hooks::HookProgram::new("/etc/bsh/policy")?;
/// let runner = bsh::runner::EchoRunner::new("/tmp");
/// let tool = bsh::BashTool::builder(runner).authorizer(policy).build();
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct HookProgram {
    path: PathBuf,
    /// As it was given.
    id: String,
    timeout: Duration,
    grace: Duration,
    alone: bool,
    stderr: ErrorSink,
    runs: HookRuns,
}

impl std::fmt::Debug for HookProgram {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("HookProgram")
            .field("path", &self.path)
            .field("timeout", &self.timeout)
            .field("grace", &self.grace)
            .finish_non_exhaustive()
    }
}

impl HookProgram {
    /// A program, by its path. One that is relative is relative to the folder of this process.
    ///
    /// # Errors
    /// There is no such file, it is a folder, it may not be executed, or it is a script whose first line
    /// names no program.
    pub fn new(path: impl AsRef<Path>) -> Result<Self, NotAProgram> {
        let path = path.as_ref();
        start::check(path)?;
        Ok(Self {
            id: path.to_string_lossy().into_owned(),
            path: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
            timeout: DEFAULT_TIMEOUT,
            grace: Duration::from_secs(2),
            alone: false,
            stderr: Arc::new(|bytes| {
                use std::io::Write as _;
                // Nobody can be told that standard error is gone.
                let _ = std::io::stderr().write_all(bytes);
            }),
            runs: HookRuns::default(),
        })
    }

    /// After this time the program is stopped, and has failed. 30 s unless set.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The time between SIGTERM and SIGKILL. 2 s unless set.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Where its standard error goes, as it comes, and no bytes at its end; that of this process unless
    /// set.
    #[must_use]
    pub fn stderr(mut self, sink: impl Fn(&[u8]) + Send + Sync + 'static) -> Self {
        self.stderr = Arc::new(sink);
        self
    }

    /// Counts its runs among these, so that the end of their stops can be waited for.
    #[must_use]
    pub fn counted_in(mut self, runs: HookRuns) -> Self {
        self.runs = runs;
        self
    }

    /// This process is a subreaper that does nothing but run commands: see
    /// [`crate::runner::local::LocalSettings::adopt_orphans`].
    #[must_use]
    pub fn adopt_orphans(mut self, alone: bool) -> Self {
        self.alone = alone;
        self
    }

    /// Runs the program with this question; its answer is one JSON object.
    async fn ask<Q: serde::Serialize>(&self, question: &Q) -> Result<Vec<u8>, HookFailure> {
        let question = serde_json::to_vec(question)
            .map_err(|error| HookFailure::new(format!("its question is no JSON: {error}")))?;
        start::run(self, question).await
    }
}

impl BeforeRunHook for HookProgram {
    fn id(&self) -> &str {
        &self.id
    }

    fn before_run<'a>(&'a self, planned: Planned<'a>) -> HookFuture<'a, BeforeRunAnswer> {
        Box::pin(async move {
            let answer = self.ask(&question::before_run(&planned)).await?;
            answer::before_run(&answer)
        })
    }
}

impl Authorizer for HookProgram {
    fn id(&self) -> &str {
        &self.id
    }

    fn authorize<'a>(&'a self, asked: Authorization<'a>) -> HookFuture<'a, AuthorizeAnswer> {
        Box::pin(async move {
            let answer = self.ask(&question::authorize(&asked)).await?;
            answer::authorize(&answer)
        })
    }
}

impl AfterRunHook for HookProgram {
    fn id(&self) -> &str {
        &self.id
    }

    fn after_run<'a>(&'a self, ran: AfterRun<'a>) -> HookFuture<'a, AfterRunAnswer> {
        Box::pin(async move {
            let answer = self.ask(&question::after_run(&ran)).await?;
            answer::after_run(&answer)
        })
    }
}
