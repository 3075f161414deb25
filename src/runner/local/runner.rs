//! The local runner: gives each job a thread, and is the bridge between it and the future.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use crate::runner::local::launch;
use crate::runner::local::settings::LocalSettings;
use crate::runner::local::shared::Shared;
use crate::runner::local::supervise;
use crate::runner::{Chunk, ChunkSink, Exit, Job, Order, RunFuture, Runner, Surroundings};
use crate::sys::clock::Moment;

/// Batches of output under way between the thread and the future.
const BATCHES: usize = 4;
/// Bytes of stack for the thread of a run.
const STACK_BYTES: usize = 256 * 1024;

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
        Box::pin(async move {
            match start(job, settings) {
                Ok(run) => run.relay(output).await,
                Err(exit) => *exit,
            }
        })
    }
}

/// A run whose thread is under way. Dropping it stops the tree; the thread sees to the rest alone.
struct Run {
    shared: Arc<Shared>,
    orders: crate::runner::StopOrders,
    batches: mpsc::Receiver<Vec<Chunk>>,
    exit: oneshot::Receiver<Exit>,
    ended: bool,
}

fn start(job: Job, settings: Arc<LocalSettings>) -> Result<Run, Box<Exit>> {
    let began = Moment::now();
    let failed = |what: &str, error: std::io::Error| {
        launch::spawn_failed(format!("{what}: {}", launch::reason(&error)))
    };
    let orders = job.orders.clone();
    let shared =
        Shared::new(job.held.clone()).map_err(|error| failed("no event could be made", error))?;
    let shared = Arc::new(shared);
    let (batch_sender, batches) = mpsc::channel(BATCHES);
    let (exit_sender, exit) = oneshot::channel();
    let mut supervisor =
        supervise::prepare(job, settings, Arc::clone(&shared), batch_sender, began)?;
    std::thread::Builder::new()
        .name("bsh-run".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            // Nobody may be waiting any more.
            let _ = exit_sender.send(supervisor.run());
            // Only now: the rest is not waited for.
            drop(supervisor);
        })
        .map_err(|error| failed("no thread could be made", error))?;
    Ok(Run {
        shared,
        orders,
        batches,
        exit,
        ended: false,
    })
}

impl Run {
    /// Passes orders to the thread and output from it, until it has told how the run ended.
    async fn relay(mut self, output: ChunkSink) -> Exit {
        let mut steered = true;
        let exit = loop {
            tokio::select! {
                biased;
                changed = self.orders.changed(), if steered => {
                    // A caller that is gone gives no more orders.
                    steered = changed.is_ok();
                    self.shared.give(*self.orders.borrow_and_update());
                }
                exit = &mut self.exit => break exit,
                Some(batch) = self.batches.recv() => {
                    self.pass_on(&output, batch, &mut steered).await;
                }
            }
        };
        self.ended = true;
        // All output was sent before the end was told.
        while let Ok(batch) = self.batches.try_recv() {
            self.pass_on(&output, batch, &mut steered).await;
        }
        exit.unwrap_or_else(|_| *launch::spawn_failed("the runner's thread ended early".to_owned()))
    }

    /// Sends chunks on; orders are passed on too while there is no room for them.
    async fn pass_on(&mut self, output: &ChunkSink, batch: Vec<Chunk>, steered: &mut bool) {
        self.shared.made_room();
        for chunk in batch {
            let mut sending = std::pin::pin!(output.send(chunk.stream, chunk.bytes));
            loop {
                tokio::select! {
                    biased;
                    _ = &mut sending => break,
                    changed = self.orders.changed(), if *steered => {
                        *steered = changed.is_ok();
                        self.shared.give(*self.orders.borrow_and_update());
                    }
                }
            }
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if !self.ended {
            self.shared.give(Order::Stop);
        }
    }
}
