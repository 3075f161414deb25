//! `bsh --serve`: the other side of a `bsh` that runs its command here.
//!
//! Reads the job and orders from standard input, whose end is the end of the lifeline, and writes what
//! happens to standard output. Nothing of it is for people.

use std::io::{Read as _, Write as _};

use anyhow::Context as _;
use bsh::process::run_commands_only;
use bsh::runner::local::{LocalRunner, LocalSettings};
use bsh::runner::ssh::{FarJob, Frame, FrameReader, ToFar, from_far};
use bsh::runner::{Chunk, ChunkSink, Job, Order, Runner as _, Stream};
use tokio::sync::{mpsc, oneshot, watch};

use crate::session::Exit;

/// Frames on their way to standard output.
const FRAMES_UNDER_WAY: usize = 4;

/// Serves one job.
///
/// # Errors
/// The system has no descriptors for the runtime, or no threads.
pub fn serve() -> anyhow::Result<Exit> {
    run_commands_only();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()
        .context("cannot start the runtime")?;
    let (orders, receiver) = watch::channel(Order::Run);
    let (job_sender, job) = oneshot::channel();
    let reader = orders.clone();
    std::thread::Builder::new()
        .spawn(move || read(job_sender, &reader))
        .context("cannot start a thread")?;
    let (frames, outgoing) = mpsc::channel(FRAMES_UNDER_WAY);
    let writer = std::thread::Builder::new()
        .spawn(move || write(outgoing, &orders))
        .context("cannot start a thread")?;
    runtime.block_on(async {
        // Without a job there is nobody to serve.
        if let Ok(job) = job.await {
            run(job, receiver, &frames).await;
        }
    });
    drop(frames);
    // What could not be written has no reader any more.
    let _ = writer.join();
    Ok(Exit::Fine)
}

/// Reads until the lifeline ends, which is a stop.
fn read(job: oneshot::Sender<FarJob>, orders: &watch::Sender<Order>) {
    let mut job = Some(job);
    let mut frames = FrameReader::default();
    let mut buffer = vec![0; 64 * 1024];
    let mut stdin = std::io::stdin().lock();
    'reading: loop {
        let count = match stdin.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        frames.push(buffer.get(..count).unwrap_or_default());
        loop {
            match frames.next_frame() {
                Ok(None) => break,
                Ok(Some(frame)) => match (ToFar::of(frame.kind), job.take()) {
                    (Some(ToFar::Job), Some(job)) => match FarJob::decode(&frame.payload) {
                        // Whoever waits for it is there until it has come.
                        Some(decoded) => drop(job.send(decoded)),
                        None => break 'reading,
                    },
                    (Some(ToFar::Order(order)), None) => raise(orders, order),
                    _ => break 'reading,
                },
                Err(()) => break 'reading,
            }
        }
    }
    raise(orders, Order::Stop);
}

/// Passes an order on; a stop is never taken back.
fn raise(orders: &watch::Sender<Order>, order: Order) {
    orders.send_if_modified(|current| {
        let stays = match *current {
            Order::Kill => true,
            Order::Stop => order != Order::Kill,
            Order::Run | Order::Suspend => *current == order,
        };
        if !stays {
            *current = order;
        }
        !stays
    });
}

/// Writes frames until there are no more. Without a reader the command is stopped, and what still comes
/// is thrown away.
fn write(mut frames: mpsc::Receiver<Vec<u8>>, orders: &watch::Sender<Order>) {
    let mut broken = false;
    while let Some(frame) = frames.blocking_recv() {
        let mut stdout = std::io::stdout().lock();
        if !broken
            && stdout
                .write_all(&frame)
                .and_then(|()| stdout.flush())
                .is_err()
        {
            broken = true;
            raise(orders, Order::Stop);
        }
    }
}

async fn run(far: FarJob, orders: watch::Receiver<Order>, frames: &mpsc::Sender<Vec<u8>>) {
    let runner = LocalRunner::new(LocalSettings {
        shell: far.shell.into(),
        stop_signal: far.stop_signal,
        background: far.background,
        usage: far.usage,
        adopt_orphans: true,
        ..LocalSettings::default()
    });
    let started = watch::Sender::new(false);
    let held = watch::Sender::new(false);
    let (mut has_started, mut is_held) = (started.subscribe(), held.subscribe());
    let (sink, mut chunks) = ChunkSink::channel(FRAMES_UNDER_WAY);
    let job = Job {
        command: far.command,
        cwd: far.cwd.into(),
        env: far.env.into(),
        grace: far.grace,
        orders,
        held,
        started,
    };
    let mut running = runner.run(job, sink);
    let mut told = false;
    let send = async |kind, payload: &[u8]| {
        // The writer takes all that comes, for as long as something comes.
        let _ = frames.send(Frame::bytes(kind, payload)).await;
    };
    let exit = loop {
        tokio::select! {
            biased;
            Ok(_) = has_started.wait_for(|started| *started), if !told => {
                told = true;
                send(from_far::STARTED, &[]).await;
            }
            Ok(()) = is_held.changed() => {
                if *is_held.borrow_and_update() {
                    send(from_far::HELD, &[]).await;
                }
            }
            exit = &mut running => break exit,
            Some(chunk) = chunks.recv() => pass_on(chunk, &send).await,
        }
    };
    if exit.error.is_none() && !told {
        send(from_far::STARTED, &[]).await;
    }
    while let Ok(chunk) = chunks.try_recv() {
        pass_on(chunk, &send).await;
    }
    // Plain structs of strings and numbers always become JSON.
    let exit = serde_json::to_vec(&exit).unwrap_or_default();
    send(from_far::EXIT, &exit).await;
}

async fn pass_on(chunk: Chunk, send: &impl AsyncFn(u8, &[u8])) {
    let kind = match chunk.stream {
        Stream::Stdout => from_far::OUT,
        Stream::Stderr => from_far::ERR,
    };
    send(kind, &chunk.bytes).await;
}
