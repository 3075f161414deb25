//! Where the environment of a command comes from.

use crate::environment::{EnvEdit, EnvVars, edited_env};
use crate::hooks::{HookFuture, Planned};

/// Gives the whole environment of a command; nothing is added to it.
///
/// ```
/// use bsh::hooks::{EnvSource, HookFuture, Planned};
///
/// struct Bare;
///
/// impl EnvSource for Bare {
///     fn id(&self) -> &str {
///         "bare"
///     }
///
///     fn env<'a>(&'a self, _: Planned<'a>) -> HookFuture<'a, bsh::EnvVars> {
///         Box::pin(async { Ok(vec![("PATH".into(), "/usr/bin:/bin".into())]) })
///     }
/// }
/// let tool = bsh::BashTool::builder(bsh::runner::EchoRunner::new("/tmp")).env(Bare).build();
/// ```
pub trait EnvSource: Send + Sync {
    /// Names the source in reports of its failures.
    fn id(&self) -> &str;

    /// The environment of one run. A name that is empty or has `=` or NUL is nonsense.
    fn env<'a>(&'a self, planned: Planned<'a>) -> HookFuture<'a, EnvVars>;
}

/// The environment of this process, read anew at each call, under the defaults and edits in order.
#[derive(Debug, Clone, Default)]
pub struct ShellEnv {
    /// Later ones win, and all win over the defaults.
    pub edits: Vec<EnvEdit>,
}

impl EnvSource for ShellEnv {
    fn id(&self) -> &str {
        "shell-env"
    }

    fn env<'a>(&'a self, _: Planned<'a>) -> HookFuture<'a, EnvVars> {
        Box::pin(async { Ok(edited_env(std::env::vars_os().collect(), &self.edits)) })
    }
}
