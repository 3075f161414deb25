//! Stand-in without a watcher and a tree, replaced at the merge.

mod settings;

use std::io::Read;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

pub use settings::{Background, LocalSettings, StdinSource, StopSignal, UnknownSignal};
use tokio::sync::mpsc;

use crate::runner::{ChunkSink, Exit, Job, Order, RunFuture, Runner, StartReason, Stream};

/// Runs commands on this machine.
#[derive(Debug, Clone)]
pub struct LocalRunner {
    settings: LocalSettings,
}

impl LocalRunner {
    /// A runner with its settings.
    pub fn new(settings: LocalSettings) -> Self {
        Self { settings }
    }
}

enum Event {
    Bytes(Stream, Vec<u8>),
    Closed,
}

fn follow(mut pipe: impl Read + Send + 'static, stream: Stream, to: mpsc::UnboundedSender<Event>) {
    std::thread::spawn(move || {
        let mut buffer = [0; 65_536];
        while let Ok(count) = pipe.read(&mut buffer) {
            if count == 0
                || to
                    .send(Event::Bytes(stream, buffer[..count].to_vec()))
                    .is_err()
            {
                break;
            }
        }
        let _ = to.send(Event::Closed);
    });
}

impl Runner for LocalRunner {
    fn id(&self) -> &str {
        "local"
    }

    fn default_folder(&self) -> std::io::Result<PathBuf> {
        std::env::current_dir()
    }

    fn run(&self, mut job: Job, output: ChunkSink) -> RunFuture {
        let settings = self.settings.clone();
        Box::pin(async move {
            if !job.cwd.exists() {
                return Exit::not_started(StartReason::CwdNotFound, None);
            }
            if !job.cwd.is_dir() {
                return Exit::not_started(StartReason::CwdNotADirectory, None);
            }
            let spawned = Command::new(&settings.shell)
                .arg("-c")
                .arg(&job.command)
                .current_dir(&job.cwd)
                .env_clear()
                .envs(job.env)
                .stdin(match settings.stdin {
                    StdinSource::Inherit => Stdio::inherit(),
                    _ => Stdio::null(),
                })
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .process_group(0)
                .spawn();
            let mut child = match spawned {
                Ok(child) => child,
                Err(error) => {
                    let detail = format!("{}: {error}", settings.shell.display());
                    return Exit::not_started(StartReason::SpawnFailed, Some(detail));
                }
            };
            let (sender, mut events) = mpsc::unbounded_channel();
            if let Some(pipe) = child.stdout.take() {
                follow(pipe, Stream::Stdout, sender.clone());
            }
            if let Some(pipe) = child.stderr.take() {
                follow(pipe, Stream::Stderr, sender);
            }
            let group = nix::unistd::Pid::from_raw(-(child.id() as i32));
            let signal = |signal| {
                let _ = nix::sys::signal::kill(group, signal);
            };
            let mut open = 2;
            while open > 0 {
                let grace = job.grace;
                let killing = async {
                    tokio::time::sleep(grace).await;
                };
                let stopping = *job.orders.borrow() == Order::Stop;
                tokio::select! {
                    Ok(()) = job.orders.changed() => match *job.orders.borrow_and_update() {
                        Order::Run => signal(nix::sys::signal::Signal::SIGCONT),
                        Order::Suspend => signal(nix::sys::signal::Signal::SIGSTOP),
                        Order::Stop => signal(nix::sys::signal::Signal::SIGTERM),
                        Order::Kill => signal(nix::sys::signal::Signal::SIGKILL),
                    },
                    () = killing, if stopping => signal(nix::sys::signal::Signal::SIGKILL),
                    event = events.recv() => match event {
                        Some(Event::Bytes(stream, bytes)) => { output.send(stream, bytes).await; }
                        Some(Event::Closed) | None => open -= 1,
                    },
                }
            }
            match child.wait() {
                Ok(status) => match (status.code(), status.signal()) {
                    (Some(code), _) => Exit::with_code(code),
                    (None, Some(number)) => Exit::with_signal(crate::sys::signal::name(number)),
                    (None, None) => Exit::default(),
                },
                Err(_) => Exit::default(),
            }
        })
    }
}
