//! The local runner.

use std::path::PathBuf;
use std::sync::Arc;

#[cfg(linux_tree)]
use crate::runner::local::execute::run;
#[cfg(not(linux_tree))]
use crate::runner::local::group::run;
use crate::runner::local::settings::LocalSettings;
use crate::runner::{ChunkSink, Job, RunFuture, Runner, Surroundings};

/// Runs commands on this machine.
#[derive(Debug, Clone, Default)]
pub struct LocalRunner {
    settings: Arc<LocalSettings>,
}

impl LocalRunner {
    /// A runner with these settings.
    pub fn new(settings: LocalSettings) -> Self {
        Self {
            settings: Arc::new(settings),
        }
    }

    /// Its settings.
    pub fn settings(&self) -> &LocalSettings {
        &self.settings
    }
}

impl Runner for LocalRunner {
    fn id(&self) -> &str {
        "local"
    }

    fn default_folder(&self) -> std::io::Result<PathBuf> {
        std::env::current_dir()
    }

    fn surroundings(&self) -> Surroundings {
        let shell = std::path::Path::new(&self.settings.shell).file_name();
        Surroundings {
            shell: shell.unwrap_or_default().to_string_lossy().into_owned(),
            is_this_machine: true,
        }
    }

    fn run(&self, job: Job, output: ChunkSink) -> RunFuture {
        let settings = Arc::clone(&self.settings);
        Box::pin(run(job, settings, output))
    }
}
