//! The local runner: gives each job a thread, and is the bridge between it and the future.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use crate::runner::local::launch;
use crate::runner::local::settings::LocalSettings;
use crate::runner::local::shared::Shared;
use crate::runner::local::supervise;
use crate::runner::{Chunk, ChunkSink, Exit, Job, Order, RunFuture, Runner, StartReason};
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
    let supervisor = supervise::prepare(job, settings, Arc::clone(&shared), batch_sender, began)?;
    std::thread::Builder::new()
        .name("bsh-run".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let (exit, watcher) = supervisor.run();
            // Nobody may be waiting any more.
            let _ = exit_sender.send(exit);
            drop(watcher);
        })
        .map_err(|error| failed("no thread could be made", error))?;
    Ok(Run {
        shared,
        orders,
        batches,
        exit,
    })
}

impl Run {
    async fn relay(mut self, output: ChunkSink) -> Exit {
        let mut steered = true;
        loop {
            tokio::select! {
                biased;
                changed = self.orders.changed(), if steered => {
                    // A caller that is gone gives no more orders.
                    steered = changed.is_ok();
                    self.shared.give(*self.orders.borrow_and_update());
                }
                batch = self.batches.recv() => {
                    let Some(batch) = batch else { break };
                    self.shared.made_room();
                    for chunk in batch {
                        self.pass_on(&output, chunk, &mut steered).await;
                    }
                }
            }
        }
        match (&mut self.exit).await {
            Ok(exit) => exit,
            Err(_) => Exit::not_started(
                StartReason::SpawnFailed,
                Some("the runner's thread ended early".to_owned()),
            ),
        }
    }

    /// Sends one chunk on; orders are passed on too while there is no room for it.
    async fn pass_on(&mut self, output: &ChunkSink, chunk: Chunk, steered: &mut bool) {
        let mut sending = std::pin::pin!(output.send(chunk.stream, chunk.bytes));
        loop {
            tokio::select! {
                biased;
                _ = &mut sending => return,
                changed = self.orders.changed(), if *steered => {
                    *steered = changed.is_ok();
                    self.shared.give(*self.orders.borrow_and_update());
                }
            }
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if self.exit.try_recv().is_err() {
            self.shared.give(Order::Stop);
        }
    }
}
