//! Places for policy: what a caller can put between a request and its report.

pub mod after_run;
pub mod authorize;
pub mod before_run;
pub mod env;
pub mod failure;
pub mod folder;
pub mod plan;
pub mod program;
pub mod spill;

pub use after_run::{AfterRun, AfterRunAnswer, AfterRunHook};
pub use authorize::{Authorization, AuthorizeAnswer, Authorizer};
pub use before_run::{BeforeRunAnswer, BeforeRunHook};
pub use env::{EnvSource, ShellEnv};
pub use failure::{HookFailure, HookFuture};
pub use folder::{FolderAnswer, FolderRequest, FolderResolver};
pub use plan::Planned;
pub use program::{HookProgram, HookRuns, NotAProgram};
pub use spill::SpillFactory;
