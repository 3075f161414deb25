//! One run where a process tree cannot be followed: the shell's process group is stopped.
//!
//! What makes a session or a group of its own escapes it, so a stop is never confirmed. The order of the
//! two streams is that in which they became readable.

use std::io::{self, Read, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use crate::runner::local::settings::{Background, LocalSettings, StdinSource};
use crate::runner::{Chunk, ChunkSink, Exit, Job, Order, StartReason, Stream};
use crate::sys::failure::reason;
use crate::sys::{group, signal_names};

/// Chunks under way from the threads that read.
const CHUNKS: usize = 8;
/// Largest read in bytes.
const READ_BYTES: usize = 64 * 1024;
/// After the end of the shell, reading goes on until so long nothing came, and at most so long.
const SILENCE: Duration = Duration::from_millis(200);
const LONGEST_DRAIN: Duration = Duration::from_secs(1);

/// Runs a job to its end.
pub(super) async fn run(mut job: Job, settings: Arc<LocalSettings>, output: ChunkSink) -> Exit {
    let began = Instant::now();
    let mut child = match start(&job, &settings) {
        Ok(child) => child,
        Err(exit) => return *exit,
    };
    let leader = child.id();
    let guard = Guard {
        leader,
        armed: true,
    };
    let (sender, mut chunks) = mpsc::channel(CHUNKS);
    read_in_a_thread(Stream::Stdout, child.stdout.take(), sender.clone());
    read_in_a_thread(Stream::Stderr, child.stderr.take(), sender);
    let (ended_sender, mut ended) = oneshot::channel();
    std::thread::spawn(move || {
        group::wait_unreaped(leader);
        let _ = ended_sender.send(());
    });
    let mut stop = Stop {
        leader,
        signal: settings.stop_signal.number(),
        grace: job.grace,
        kill_at: None,
        was_given: false,
    };
    loop {
        let kill_at = stop
            .kill_at
            .unwrap_or_else(|| Instant::now() + LONGEST_DRAIN);
        tokio::select! {
            biased;
            _ = &mut ended => break,
            Ok(()) = job.orders.changed() => {
                let order = *job.orders.borrow_and_update();
                stop.obey(order);
                job.held.send_replace(order == Order::Suspend);
            }
            () = tokio::time::sleep_until(kill_at.into()), if stop.kill_at.is_some() => stop.kill(),
            Some(chunk) = chunks.recv() => { output.send(chunk.stream, chunk.bytes).await; }
        }
    }
    let duration = began.elapsed();
    let was_stopped = stop.was_given;
    if was_stopped || settings.background == Background::Stop {
        // Members that took no notice of the stop signal; the leader is not reaped yet.
        group::signal(leader, libc::SIGKILL);
    }
    let ended_at = Instant::now();
    let mut last = ended_at;
    let mut incomplete = false;
    loop {
        let until = (last + SILENCE).min(ended_at + LONGEST_DRAIN);
        tokio::select! {
            biased;
            chunk = chunks.recv() => match chunk {
                Some(chunk) => {
                    last = Instant::now();
                    output.send(chunk.stream, chunk.bytes).await;
                }
                None => break,
            },
            () = tokio::time::sleep_until(until.into()) => {
                incomplete = last + SILENCE > ended_at + LONGEST_DRAIN;
                break;
            }
        }
    }
    guard.disarm();
    let mut exit = child.wait().map(exit_of).unwrap_or_default();
    exit.findings.duration = Some(duration);
    exit.findings.ended_before_stop = !was_stopped;
    exit.findings.incomplete =
        incomplete.then(|| "a background process was still writing when reading ended".to_owned());
    // Only the group is known to be gone.
    exit.findings.unconfirmed = was_stopped.then(Vec::new);
    exit
}

fn start(job: &Job, settings: &LocalSettings) -> Result<Child, Box<Exit>> {
    let failed =
        |detail: String| Box::new(Exit::not_started(StartReason::SpawnFailed, Some(detail)));
    if !job.cwd.exists() {
        return Err(Box::new(Exit::not_started(StartReason::CwdNotFound, None)));
    }
    if !job.cwd.is_dir() {
        return Err(Box::new(Exit::not_started(
            StartReason::CwdNotADirectory,
            None,
        )));
    }
    let stdin = match &settings.stdin {
        StdinSource::Null => Stdio::null(),
        StdinSource::Inherit => Stdio::inherit(),
        StdinSource::File(path) => {
            let file = std::fs::File::open(path);
            file.map_err(|error| {
                failed(format!(
                    "standard input {}: {}",
                    path.display(),
                    reason(&error)
                ))
            })?
            .into()
        }
        StdinSource::Bytes(_) => Stdio::piped(),
        StdinSource::Descriptor(number) => {
            let copy = group::duplicate(*number);
            copy.map_err(|error| failed(format!("descriptor {number}: {}", reason(&error))))?
                .into()
        }
    };
    let mut command = Command::new(&settings.shell);
    if let Some(arguments) = &settings.arguments {
        command.args(arguments);
    } else {
        command.arg("-c");
        if job.command.starts_with(['-', '+']) {
            command.arg("--");
        }
        command.arg(&job.command);
    }
    command
        .current_dir(&job.cwd)
        .env_clear()
        .envs(job.env.iter().cloned());
    command
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    group::separate(&mut command, settings.pass_fds.clone());
    let mut child = command.spawn().map_err(|error| failed(reason(&error)))?;
    if let (StdinSource::Bytes(bytes), Some(mut stdin)) = (&settings.stdin, child.stdin.take()) {
        let bytes = bytes.clone();
        // A thread, since a command that does not read holds nothing up.
        std::thread::spawn(move || stdin.write_all(&bytes));
    }
    Ok(child)
}

fn read_in_a_thread(
    stream: Stream,
    pipe: Option<impl Read + Send + 'static>,
    sender: mpsc::Sender<Chunk>,
) {
    std::thread::spawn(move || {
        let Some(mut pipe) = pipe else { return };
        let mut buffer = vec![0; READ_BYTES];
        loop {
            match pipe.read(&mut buffer) {
                Ok(0) => return,
                Ok(count) => {
                    let bytes = buffer.get(..count).unwrap_or_default().to_vec();
                    if sender.blocking_send(Chunk { stream, bytes }).is_err() {
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    });
}

fn exit_of(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::with_code(code),
        (None, Some(number)) => Exit::with_signal(signal_names::name(number)),
        (None, None) => Exit::default(),
    }
}

/// Obeys orders by signals to the group.
struct Stop {
    leader: u32,
    signal: i32,
    grace: Duration,
    kill_at: Option<Instant>,
    was_given: bool,
}

impl Stop {
    fn obey(&mut self, order: Order) {
        match order {
            Order::Run => group::signal(self.leader, libc::SIGCONT),
            Order::Suspend => group::signal(self.leader, libc::SIGSTOP),
            Order::Stop => {
                self.was_given = true;
                group::signal(self.leader, self.signal);
                group::signal(self.leader, libc::SIGCONT);
                self.kill_at = Instant::now().checked_add(self.grace);
            }
            Order::Kill => self.kill(),
        }
    }

    fn kill(&mut self) {
        self.was_given = true;
        group::signal(self.leader, libc::SIGKILL);
        self.kill_at = None;
    }
}

/// Stops the group when the future of the run is dropped.
struct Guard {
    leader: u32,
    armed: bool,
}

impl Guard {
    fn disarm(mut self) {
        self.armed = false;
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if self.armed {
            group::signal(self.leader, libc::SIGKILL);
        }
    }
}
