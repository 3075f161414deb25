//! The ssh runner: what was found there, and which way a command is run.

use std::path::PathBuf;
use std::sync::Arc;

use crate::environment::{EnvEdit, EnvVars, edited_env};
use crate::hooks::{EnvSource, HookFuture, Planned};
use crate::runner::ssh::connect::{self, Far};
use crate::runner::ssh::settings::SshSettings;
use crate::runner::ssh::{far, watchdog};
use crate::runner::{ChunkSink, Exit, Job, RunFuture, Runner, StartReason, Surroundings};

/// Runs commands on another machine through `ssh`. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SshRunner {
    id: Arc<str>,
    settings: Arc<SshSettings>,
    far: Arc<Result<Far, String>>,
}

impl SshRunner {
    /// Connects, and finds out what is there. It never fails: a runner without a connection reports the
    /// reason as `SPAWN_FAILED` when it is used. Dropping the future ends the connection.
    pub async fn connect(settings: SshSettings) -> Self {
        let far = connect::ask(&settings).await;
        Self::with(settings, far)
    }

    /// A runner that has no connection, for this reason.
    pub fn unreachable(settings: SshSettings, reason: impl Into<String>) -> Self {
        Self::with(settings, Err(reason.into()))
    }

    fn with(settings: SshSettings, far: Result<Far, String>) -> Self {
        Self {
            id: format!("ssh:{}", settings.host.as_str()).into(),
            settings: Arc::new(settings),
            far: Arc::new(far),
        }
    }

    /// Whether a `bsh` there does the work.
    pub fn has_bsh(&self) -> bool {
        self.far.as_ref().as_ref().is_ok_and(|far| far.has_bsh)
    }

    /// The environment there with the defaults and these edits. [`EnvEdit::Pass`] takes a variable of
    /// *this* process; nothing else of this machine's environment is sent.
    pub fn env(&self, edits: &[EnvEdit]) -> FarEnv {
        let base = match self.far.as_ref() {
            Ok(far) => far.env.clone(),
            Err(_) => Vec::new(),
        };
        let edits = edits.iter().map(|edit| match edit {
            EnvEdit::Pass(name) => match std::env::var_os(name) {
                Some(value) => EnvEdit::Set(name.clone(), value),
                None => EnvEdit::Unset(name.clone()),
            },
            other => other.clone(),
        });
        FarEnv {
            base,
            edits: edits.collect(),
        }
    }
}

impl Runner for SshRunner {
    fn id(&self) -> &str {
        &self.id
    }

    /// The folder in which a session there begins.
    fn default_folder(&self) -> std::io::Result<PathBuf> {
        match self.far.as_ref() {
            Ok(far) => Ok(far.folder.clone()),
            Err(reason) => Err(std::io::Error::new(
                std::io::ErrorKind::NotConnected,
                reason.clone(),
            )),
        }
    }

    fn surroundings(&self) -> Surroundings {
        let shell = std::path::Path::new(&self.settings.shell).file_name();
        Surroundings {
            shell: shell.unwrap_or_default().to_string_lossy().into_owned(),
            is_this_machine: false,
        }
    }

    fn run(&self, job: Job, output: ChunkSink) -> RunFuture {
        let (settings, far) = (Arc::clone(&self.settings), Arc::clone(&self.far));
        Box::pin(async move {
            match far.as_ref() {
                Ok(far) if far.has_bsh => far::run(&settings, job, output).await,
                Ok(_) => watchdog::run(&settings, job, output).await,
                Err(reason) => Exit::not_started(StartReason::SpawnFailed, Some(reason.clone())),
            }
        })
    }
}

/// The environment of a command on another machine.
#[derive(Debug, Clone)]
pub struct FarEnv {
    base: EnvVars,
    edits: Vec<EnvEdit>,
}

impl EnvSource for FarEnv {
    fn id(&self) -> &str {
        "far-env"
    }

    fn env<'a>(&'a self, _: Planned<'a>) -> HookFuture<'a, EnvVars> {
        Box::pin(async { Ok(edited_env(self.base.clone(), &self.edits)) })
    }
}
