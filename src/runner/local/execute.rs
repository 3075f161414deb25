//! One run on Linux: its steps are taken here or left to a thread, and this is the bridge to its future.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

#[cfg(feature = "cli")]
use crate::runner::local::inline;
use crate::runner::local::launch;
use crate::runner::local::prepare::prepare;
use crate::runner::local::settings::LocalSettings;
use crate::runner::local::shared::Shared;
use crate::runner::local::supervise::Supervisor;
use crate::runner::{Chunk, ChunkSink, Exit, Job, Order, StopOrders};
use crate::sys::clock::Moment;
use crate::sys::failure::reason;

/// Batches of output under way between a thread and the future.
const BATCHES: usize = 4;
/// Bytes of stack for the thread of a run.
const STACK_BYTES: usize = 256 * 1024;

/// Runs a job to its end.
pub(super) async fn run(job: Job, settings: Arc<LocalSettings>, output: ChunkSink) -> Exit {
    let began = Moment::now();
    let orders = job.orders.clone();
    let shared = match Shared::new(job.held.clone()) {
        Ok(shared) => Arc::new(shared),
        Err(error) => {
            let detail = format!("no event could be made: {}", reason(&error));
            return *launch::spawn_failed(detail);
        }
    };
    #[cfg_attr(not(feature = "cli"), allow(unused_mut))]
    let mut steering = Steering {
        shared: Arc::clone(&shared),
        orders,
        is_steered: true,
        is_over: false,
        output,
    };
    let is_alone = settings.adopt_orphans;
    let prepared = match prepare(job, settings, shared, began) {
        Ok(prepared) => prepared,
        Err(exit) => return *exit,
    };
    #[cfg(feature = "cli")]
    if is_alone {
        let mut supervisor = match prepared.start_here() {
            Ok(supervisor) => supervisor,
            Err(exit) => return *exit,
        };
        return if inline::drive(&mut supervisor, &mut steering).await {
            steering.is_over = true;
            supervisor.take_exit()
        } else {
            in_a_thread(supervisor, steering, is_alone).await
        };
    }
    match prepared.fork(|_| {}) {
        Ok(supervisor) => in_a_thread(supervisor, steering, is_alone).await,
        Err(exit) => *exit,
    }
}

/// Leaves the run to a thread, and passes on orders to it and output from it.
async fn in_a_thread(supervisor: Supervisor, mut steering: Steering, is_alone: bool) -> Exit {
    let (batch_sender, mut batches) = mpsc::channel(BATCHES);
    let (exit_sender, mut exit) = oneshot::channel();
    // The run is handed over when the thread is there: without one it is still to be ended.
    let (hand_over, handed) = std::sync::mpsc::channel::<Supervisor>();
    let thread = std::thread::Builder::new()
        .name("bsh-run".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let Ok(mut supervisor) = handed.recv() else {
                return;
            };
            // Nobody may be waiting any more.
            let _ = exit_sender.send(supervisor.run(batch_sender));
            // Only now: the rest is not waited for. A process that is alone is about to end, and has its
            // children reaped by the kernel.
            if !is_alone {
                supervisor.reap();
            }
        });
    if let Err(error) = thread {
        if is_alone {
            return stopped_without_a_thread(supervisor, steering).await;
        }
        // The watcher has started nothing yet, and ends with its socket.
        let detail = format!("no thread could be made: {}", reason(&error));
        return *launch::spawn_failed(detail);
    }
    let _ = hand_over.send(supervisor);
    let exit = loop {
        tokio::select! {
            biased;
            () = steering.follow() => {}
            exit = &mut exit => break exit,
            Some(batch) = batches.recv() => steering.pass_on(batch).await,
        }
    };
    steering.is_over = true;
    // All output was sent before the end was told.
    while let Ok(batch) = batches.try_recv() {
        steering.pass_on(batch).await;
    }
    exit.unwrap_or_else(|_| *launch::spawn_failed("the runner's thread ended early".to_owned()))
}

/// The command runs already, and there is no thread to take its steps: it is killed, and that is said.
async fn stopped_without_a_thread(mut supervisor: Supervisor, mut steering: Steering) -> Exit {
    /// Nobody takes output meanwhile, so there has to be room for what a kill takes.
    const ROOM: usize = 1 << 12;
    steering.shared.give(Order::Kill);
    let (batch_sender, mut batches) = mpsc::channel(ROOM);
    let mut exit = supervisor.run(batch_sender);
    steering.is_over = true;
    while let Ok(batch) = batches.try_recv() {
        steering.pass_on(batch).await;
    }
    exit.findings.watcher_lost = true;
    exit
}

/// What passes between the caller and a run. Dropped before the end it stops the tree, and whoever takes
/// the steps of the run sees to the rest.
pub(super) struct Steering {
    shared: Arc<Shared>,
    orders: StopOrders,
    /// The caller may still give orders.
    is_steered: bool,
    is_over: bool,
    output: ChunkSink,
}

impl Steering {
    /// Takes the next order, when there is one.
    pub(super) async fn follow(&mut self) {
        if !self.is_steered {
            return std::future::pending().await;
        }
        self.is_steered = self.orders.changed().await.is_ok();
        self.shared.give(*self.orders.borrow_and_update());
    }

    /// Takes the next order if there is one.
    #[cfg(feature = "cli")]
    pub(super) fn look(&mut self) {
        if self.is_steered && self.orders.has_changed().unwrap_or(false) {
            self.shared.give(*self.orders.borrow_and_update());
        }
    }

    /// Sends chunks on; orders are taken too while there is no room for them.
    pub(super) async fn pass_on(&mut self, batch: Vec<Chunk>) {
        self.shared.made_room();
        for chunk in batch {
            let output = self.output.clone();
            let mut sending = std::pin::pin!(output.send(chunk.stream, chunk.bytes));
            loop {
                tokio::select! {
                    biased;
                    _ = &mut sending => break,
                    () = self.follow() => {}
                }
            }
        }
    }
}

impl Drop for Steering {
    fn drop(&mut self) {
        if !self.is_over {
            self.shared.give(Order::Stop);
        }
    }
}
