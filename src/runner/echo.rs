//! A runner that runs nothing and prints the command: for dry runs, examples and tests of hooks.

use std::path::PathBuf;

use crate::runner::{ChunkSink, Exit, Job, RunFuture, Runner, Stream};

/// Prints the command in place of running it, and exits with 0.
#[derive(Debug, Clone)]
pub struct EchoRunner {
    folder: PathBuf,
}

impl EchoRunner {
    /// An echo with a default folder, which is not looked at.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }
}

impl Runner for EchoRunner {
    fn id(&self) -> &str {
        "echo"
    }

    fn default_folder(&self) -> std::io::Result<PathBuf> {
        Ok(self.folder.clone())
    }

    fn run(&self, job: Job, output: ChunkSink) -> RunFuture {
        Box::pin(async move {
            output.send(Stream::Stdout, job.command + "\n").await;
            Exit::with_code(0)
        })
    }
}
