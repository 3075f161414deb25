//! A run with `bsh` on the other side: that one does the work, and what it saw comes back as it is.

use std::time::Duration;

use crate::runner::ssh::client::{AfterMark, Connection, Heard, is_stderr, nonce};
use crate::runner::ssh::settings::SshSettings;
use crate::runner::ssh::wire::{FarJob, FrameReader, PROTOCOL, ToFar, from_far};
use crate::runner::{ChunkSink, Exit, Findings, Job, Order, StartReason, StopOrders, Stream};

/// After the other side has said all, ssh has this long to end by itself.
const FAREWELL: Duration = Duration::from_secs(1);

/// Runs a job there.
pub(super) async fn run(settings: &SshSettings, job: Job, output: ChunkSink) -> Exit {
    let nonce = nonce();
    let script = format!("printf '\\n%s\\n' {nonce}; exec bsh --serve {PROTOCOL}");
    let mut connection = match Connection::open(settings, script.as_bytes()) {
        Ok(connection) => connection,
        Err(exit) => return *exit,
    };
    let input = connection.input();
    input.send(ToFar::Job.frame(&FarJob::of(&job, settings).encode()));
    let mut steering = Steering::new(job.orders.clone());
    let mut mark = AfterMark::new(&nonce);
    let mut frames = FrameReader::default();
    let mut started = false;
    let exit = loop {
        let heard = tokio::select! {
            biased;
            order = steering.changed() => {
                input.send(ToFar::Order(order).frame(&[]));
                if !started && matches!(order, Order::Stop | Order::Kill) && !mark.has_come() {
                    return no_connection(&connection, "the connection was not up when the stop came");
                }
                continue;
            }
            heard = connection.next() => heard,
        };
        let chunk = match heard {
            Heard::End => return lost(&connection, started, ""),
            Heard::Chunk(chunk) => chunk,
        };
        if is_stderr(&chunk) {
            connection.take_words(&chunk.bytes);
            continue;
        }
        frames.push(&mark.take(chunk.bytes));
        let mut ended = None;
        loop {
            let frame = match frames.next_frame() {
                Ok(Some(frame)) => frame,
                Ok(None) => break,
                Err(()) => return lost(&connection, started, "bsh there said nonsense"),
            };
            let stream = match frame.kind {
                from_far::OUT => Stream::Stdout,
                from_far::ERR => Stream::Stderr,
                from_far::STARTED => {
                    started = true;
                    job.started.send_replace(true);
                    continue;
                }
                from_far::HELD => {
                    job.held.send_replace(true);
                    continue;
                }
                from_far::EXIT => {
                    ended = serde_json::from_slice::<Exit>(&frame.payload).ok();
                    continue;
                }
                _ => return lost(&connection, started, "bsh there said nonsense"),
            };
            let send = output.send(stream, frame.payload);
            steering
                .pass_on(send, |order| input.send(ToFar::Order(order).frame(&[])))
                .await;
        }
        if let Some(exit) = ended {
            break exit;
        }
    };
    farewell(connection).await;
    exit
}

/// Lets ssh end by itself; dropping it ends it otherwise.
pub(super) async fn farewell(mut connection: Connection) {
    connection.input().close();
    let end = async { while !matches!(connection.next().await, Heard::End) {} };
    let _ = tokio::time::timeout(FAREWELL, end).await;
}

/// The orders of the tool, each once.
pub(super) struct Steering {
    orders: StopOrders,
    /// A tool that is gone gives no more orders.
    open: bool,
    given: Order,
}

impl Steering {
    pub(super) fn new(orders: StopOrders) -> Self {
        Self {
            orders,
            open: true,
            given: Order::Run,
        }
    }

    /// The next order. Cancel-safe.
    pub(super) async fn changed(&mut self) -> Order {
        loop {
            let order = *self.orders.borrow_and_update();
            if order != self.given {
                self.given = order;
                return order;
            }
            if !self.open {
                std::future::pending::<()>().await;
            }
            self.open = self.orders.changed().await.is_ok();
        }
    }

    /// Waits for a send; orders are passed on while there is no room for it.
    pub(super) async fn pass_on(
        &mut self,
        send: impl Future<Output = bool>,
        mut pass: impl FnMut(Order),
    ) {
        let mut send = std::pin::pin!(send);
        loop {
            tokio::select! {
                biased;
                _ = &mut send => return,
                order = self.changed() => pass(order),
            }
        }
    }
}

/// The command did not start.
pub(super) fn no_connection(connection: &Connection, otherwise: &str) -> Exit {
    let reason = match otherwise {
        "" => connection.reason(),
        words => words.to_owned(),
    };
    Exit::not_started(StartReason::SpawnFailed, Some(reason))
}

/// The connection ended before the other side had said how the command ended.
pub(super) fn lost(connection: &Connection, started: bool, otherwise: &str) -> Exit {
    if !started {
        return no_connection(connection, otherwise);
    }
    let reason = match otherwise {
        "" => connection.reason(),
        words => words.to_owned(),
    };
    Exit {
        findings: Findings {
            watcher_lost: true,
            // Whatever runs there stops itself; nobody can say here that it has.
            unconfirmed: Some(Vec::new()),
            incomplete: Some(format!("the connection was lost: {reason}")),
            ..Findings::default()
        },
        ..Exit::default()
    }
}
