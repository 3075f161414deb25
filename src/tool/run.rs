//! The run itself: bytes come, time passes, the caller wishes, and the end is seen once.
//!
//! The runner does the work; here are its clock, its cap and its orders.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::Receiver;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::control::{Control, State, Wish};
use crate::environment::EnvVars;
use crate::report::StoppedBy;
use crate::runner::{Chunk, ChunkSink, Exit, Job, Order, Runner};
use crate::tool::capture::Capture;
use crate::tool::clock::Clock;
use crate::tool::guard::catching;
use crate::tool::watching::Watching;

/// Chunks on their way from the runner; then its sends wait.
const CHUNKS_UNDER_WAY: usize = 16;
/// What a runner may take after SIGKILL to confirm the end.
const CONFIRMATION: Duration = Duration::from_secs(1);
/// A runner that needs all of [`CONFIRMATION`] can still report first.
const MARGIN: Duration = Duration::from_millis(150);
/// How long chunks are taken before others have a turn.
const TURN: Duration = Duration::from_millis(1);
/// As good as never, and far from the end of the clock.
const FAR: Duration = Duration::from_secs(365 * 24 * 3600);

/// How a run ended, as the tool saw it.
pub(super) struct Ended {
    /// What the runner said; none when it did not come back in time.
    pub exit: Option<Exit>,
    /// The runner panicked.
    pub panicked: bool,
    /// The first reason for which the run was told to stop.
    pub stop: Option<StoppedBy>,
    /// Time since the start, without suspended time.
    pub elapsed: Duration,
}

/// What is needed to run.
pub(super) struct Start<'a> {
    pub runner: &'a dyn Runner,
    pub command: String,
    pub cwd: std::path::PathBuf,
    pub env: Arc<EnvVars>,
    pub grace: Duration,
    pub timeout: Duration,
}

/// Runs a command to its end or to the end of the tool's patience.
pub(super) async fn run(
    start: Start<'_>,
    capture: &mut Capture,
    control: &Control,
    watching: Option<&Watching<'_>>,
) -> Ended {
    let (sink, mut chunks) = ChunkSink::channel(CHUNKS_UNDER_WAY);
    let (orders, receiver) = watch::channel(Order::Run);
    let started = watch::Sender::new(false);
    let job = Job {
        command: start.command,
        cwd: start.cwd,
        env: start.env,
        grace: start.grace,
        orders: receiver,
        held: control.held_sender(),
        started: started.clone(),
    };
    let mut start_seen = watching
        .filter(|watching| watching.observer.asks_for_start())
        .map(|_| started.subscribe());
    drop(started);
    let mut steering = Steering {
        orders,
        clock: Clock::start(),
        timeout: start.timeout,
        grace: start.grace,
        stop: None,
        give_up_at: None,
    };
    let mut wishes = control.watch();
    let mut answered = *wishes.borrow_and_update();
    steering.follow(answered);
    // Boxed, so that dropping this future drops the runner's, which stops the tree.
    let mut running = Box::pin(catching(async { start.runner.run(job, sink).await }));
    let mut chunks_open = true;
    let mut turn = Instant::now();
    let mut timer = Box::pin(sleep_until(Instant::now() + FAR));
    let mut timer_set_to = None;
    let exit = loop {
        let wake_at = steering.next_wake();
        if wake_at != timer_set_to {
            timer
                .as_mut()
                .reset(wake_at.unwrap_or_else(|| Instant::now() + FAR));
            timer_set_to = wake_at;
        }
        // What is being stopped is read to its end, however far behind whoever watches is.
        let behind = steering.stop.is_none()
            && watching.is_some_and(|watching| watching.observer.is_behind());
        let may_take = chunks_open && !capture.is_full() && !behind;
        tokio::select! {
            // First the end: seen at once with the timeout, the end wins. Then wishes and the clock,
            // which a pipe that is never empty must not keep waiting.
            biased;
            exit = &mut running => break Some(exit),
            Ok(()) = wishes.changed() => {
                let state = *wishes.borrow_and_update();
                steering.follow(state);
                if let Some(watching) = watching {
                    watching.answer(answered, state, &steering, capture);
                }
                answered = state;
            }
            () = &mut timer => {
                timer_set_to = None;
                if steering.tick() == Tick::GiveUp {
                    break None;
                }
            }
            () = said(&mut start_seen), if start_seen.is_some() => {
                start_seen = None;
                capture.started();
            }
            () = caught_up(watching), if behind => {}
            () = capture.progress(), if capture.is_spilling() => {}
            chunk = chunks.recv(), if may_take => match chunk {
                Some(chunk) => {
                    steering.take(capture, chunk);
                    // Output that never pauses must not keep the caller's own future from its turn.
                    if turn.elapsed() >= TURN {
                        tokio::task::yield_now().await;
                        turn = Instant::now();
                    }
                }
                None => chunks_open = false,
            },
        }
    };
    let elapsed = steering.clock.elapsed();
    if exit.is_some() {
        take_the_rest(&mut steering, capture, &mut chunks).await;
    }
    let panicked = matches!(exit, Some(Err(_)));
    Ended {
        exit: exit.and_then(Result::ok),
        panicked,
        stop: steering.stop,
        elapsed,
    }
}

/// Returns when the runner says that the command has started; a runner that never does keeps it waiting.
async fn said(started: &mut Option<watch::Receiver<bool>>) {
    if let Some(seen) = started
        && seen.wait_for(|started| *started).await.is_ok()
    {
        return;
    }
    std::future::pending().await
}

/// Waits until whoever watches can take more.
async fn caught_up(watching: Option<&Watching<'_>>) {
    if let Some(watching) = watching {
        watching.observer.caught_up().await;
    }
}

/// Takes what was sent before the runner returned.
async fn take_the_rest(
    steering: &mut Steering,
    capture: &mut Capture,
    chunks: &mut Receiver<Chunk>,
) {
    while let Ok(chunk) = chunks.try_recv() {
        while capture.is_full() {
            // A sink that is slow is given up after a second, so this ends.
            capture.progress().await;
        }
        steering.take(capture, chunk);
    }
}

#[derive(PartialEq)]
enum Tick {
    GoOn,
    GiveUp,
}

/// Turns the clock, the cap and the caller's wishes into orders.
pub(super) struct Steering {
    orders: watch::Sender<Order>,
    pub(super) clock: Clock,
    pub(super) timeout: Duration,
    grace: Duration,
    pub(super) stop: Option<StoppedBy>,
    give_up_at: Option<Instant>,
}

impl Steering {
    fn next_wake(&self) -> Option<Instant> {
        match self.stop {
            None => self.clock.deadline(self.timeout),
            Some(_) => self.give_up_at,
        }
    }

    fn tick(&mut self) -> Tick {
        let passed = |at: Option<Instant>| at.is_some_and(|at| at <= Instant::now());
        if self.stop.is_some() {
            return match passed(self.give_up_at) {
                true => Tick::GiveUp,
                false => Tick::GoOn,
            };
        }
        if passed(self.clock.deadline(self.timeout)) {
            self.stop(StoppedBy::Timeout);
        }
        Tick::GoOn
    }

    fn follow(&mut self, state: State) {
        match state.wish {
            Wish::Run => {}
            Wish::Abort => return self.stop(StoppedBy::Abort),
            Wish::AbortNow => return self.kill(),
        }
        if self.stop.is_some() {
            // A stop is never taken back, and goes on when the caller is continued.
            return;
        }
        let order = if state.suspended {
            self.clock.pause();
            Order::Suspend
        } else {
            self.clock.resume();
            Order::Run
        };
        self.order(order);
    }

    fn take(&mut self, capture: &mut Capture, chunk: Chunk) {
        capture.take(chunk);
        if capture.is_over_cap() {
            self.stop(StoppedBy::OutputCap);
        }
    }

    /// The first reason counts; a second one changes nothing.
    fn stop(&mut self, reason: StoppedBy) {
        if self.stop.is_some() {
            return;
        }
        self.stop = Some(reason);
        self.clock.resume();
        self.give_up_at = Instant::now().checked_add(self.grace + CONFIRMATION + MARGIN);
        self.order(Order::Stop);
    }

    fn kill(&mut self) {
        self.stop.get_or_insert(StoppedBy::Abort);
        self.clock.resume();
        let soon = Instant::now() + CONFIRMATION + MARGIN;
        self.give_up_at = Some(self.give_up_at.map_or(soon, |at| at.min(soon)));
        self.order(Order::Kill);
    }

    fn order(&self, order: Order) {
        self.orders.send_if_modified(|current| {
            let changed = *current != order;
            *current = order;
            changed
        });
    }
}
