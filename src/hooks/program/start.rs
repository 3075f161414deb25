//! Starts a hook program, reads its answer, and stops it.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use nix::unistd::{AccessFlags, access};
use thiserror::Error;
use tokio::sync::{oneshot, watch};

use crate::hooks::HookFailure;
use crate::hooks::program::HookProgram;
use crate::runner::local::{Background, LocalRunner, LocalSettings, StdinSource};
use crate::runner::{Chunk, ChunkSink, Exit, Job, Order, Runner as _, Stream};
use crate::sys::failure::reason;
use crate::units::format_duration;

/// The longest answer in bytes.
const LONGEST_ANSWER: usize = 1024 * 1024;
/// Chunks on their way from the program.
const CHUNKS_UNDER_WAY: usize = 4;

/// A path at which there is no program.
#[derive(Debug, Error)]
#[error("{} cannot be started: {reason}", path.display())]
pub struct NotAProgram {
    path: PathBuf,
    reason: String,
}

/// Checks what can be checked without starting it.
pub(super) fn check(path: &Path) -> Result<(), NotAProgram> {
    let refused = |reason: String| NotAProgram {
        path: path.to_owned(),
        reason,
    };
    let words = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "it may not be executed".to_owned(),
        _ => reason(&error),
    };
    if path.as_os_str().is_empty() {
        return Err(refused("the path is empty".to_owned()));
    }
    let metadata = std::fs::metadata(path).map_err(|error| refused(words(error)))?;
    if !metadata.is_file() {
        let kind = match metadata.is_dir() {
            true => "it is a folder",
            false => "it is no file",
        };
        return Err(refused(kind.to_owned()));
    }
    access(path, AccessFlags::X_OK).map_err(|error| refused(words(error.into())))?;
    match first_line(path) {
        Some(line) => match line.strip_prefix("#!") {
            None if !line.contains('\0') => Err(refused(
                "it is a script without a first line such as #!/bin/sh".to_owned(),
            )),
            None => Ok(()),
            Some(rest) => {
                let interpreter = rest.split_ascii_whitespace().next().unwrap_or_default();
                match Path::new(interpreter).exists() {
                    true => Ok(()),
                    false => Err(refused(format!("its interpreter {interpreter} is missing"))),
                }
            }
        },
        // Bytes are the kernel's to judge, and a program may be executable and not readable.
        None => Ok(()),
    }
}

/// The first line of a file that begins with text.
fn first_line(path: &Path) -> Option<String> {
    let mut start = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(256).read_to_end(&mut start))
        .ok()?;
    let end = start.iter().position(|byte| *byte == b'\n');
    let line = start.get(..end.unwrap_or(start.len()))?;
    String::from_utf8(line.to_vec()).ok()
}

/// Runs the program on a task of its own, so that its stop goes on when the caller no longer waits.
pub(super) async fn run(hook: &HookProgram, question: Vec<u8>) -> Result<Vec<u8>, HookFailure> {
    let (answer, answered) = oneshot::channel();
    let task = hook.clone();
    let under_way = hook.runs.begin();
    tokio::spawn(async move {
        supervise(&task, question, answer).await;
        drop(under_way);
    });
    answered
        .await
        .unwrap_or_else(|_| Err(HookFailure::new("its run ended early")))
}

/// Why a program was stopped.
enum Stopped {
    TooLate,
    TooLong,
    NobodyWaits,
}

async fn supervise(
    hook: &HookProgram,
    question: Vec<u8>,
    mut answer: oneshot::Sender<Result<Vec<u8>, HookFailure>>,
) {
    let (orders, receiver) = watch::channel(Order::Run);
    let (sink, mut chunks) = ChunkSink::channel(CHUNKS_UNDER_WAY);
    let mut running = runner(hook, question).run(job(hook, receiver), sink);
    let mut late = Box::pin(tokio::time::sleep(hook.timeout));
    let mut said = Vec::new();
    let mut open = true;
    let mut stopped = None;
    let mut take = |chunk: Chunk| match chunk.stream {
        Stream::Stderr => {
            (hook.stderr)(&chunk.bytes);
            false
        }
        // One byte more than allowed is enough to see that it is too long.
        Stream::Stdout => {
            let room = (LONGEST_ANSWER + 1).saturating_sub(said.len());
            said.extend(chunk.bytes.into_iter().take(room));
            said.len() > LONGEST_ANSWER
        }
    };
    let exit = loop {
        tokio::select! {
            biased;
            exit = &mut running => break exit,
            () = answer.closed(), if stopped.is_none() => stopped = Some(Stopped::NobodyWaits),
            () = &mut late, if stopped.is_none() => stopped = Some(Stopped::TooLate),
            () = hook.runs.hurried(), if stopped.is_some() && *orders.borrow() != Order::Kill => {
                orders.send_replace(Order::Kill);
            }
            chunk = chunks.recv(), if open => match chunk {
                Some(chunk) => if take(chunk) {
                    stopped.get_or_insert(Stopped::TooLong);
                },
                None => open = false,
            },
        }
        if stopped.is_some() && *orders.borrow() == Order::Run {
            orders.send_replace(Order::Stop);
        }
    };
    while let Ok(chunk) = chunks.try_recv() {
        if take(chunk) {
            stopped.get_or_insert(Stopped::TooLong);
        }
    }
    (hook.stderr)(&[]);
    // Nobody may wait any more.
    let _ = answer.send(judged(hook, exit, stopped, said));
}

fn judged(
    hook: &HookProgram,
    exit: Exit,
    stopped: Option<Stopped>,
    said: Vec<u8>,
) -> Result<Vec<u8>, HookFailure> {
    let failed = |detail: String| Err(HookFailure::new(detail));
    if let Some(error) = exit.error {
        let detail = error.detail.unwrap_or_default();
        return failed(format!("it could not be started: {detail}"));
    }
    match stopped {
        Some(Stopped::TooLate) => {
            let limit = format_duration(hook.timeout);
            return failed(format!(
                "it did not end within {limit}, so it was stopped. Expected an answer and exit code 0"
            ));
        }
        Some(Stopped::TooLong) => {
            return failed(
                "its answer is over 1 MiB, so it was stopped. Expected one JSON object".to_owned(),
            );
        }
        Some(Stopped::NobodyWaits) => return failed("it was stopped".to_owned()),
        None => {}
    }
    match (exit.code, exit.signal) {
        (Some(0), _) => Ok(said),
        (Some(code), _) => failed(format!("it ended with exit code {code}. Expected 0")),
        (None, Some(signal)) => failed(format!("it was ended by {signal}. Expected exit code 0")),
        (None, None) => failed("its end was lost. Expected exit code 0".to_owned()),
    }
}

fn runner(hook: &HookProgram, question: Vec<u8>) -> LocalRunner {
    LocalRunner::new(LocalSettings {
        shell: hook.path.clone().into_os_string(),
        arguments: Some(Vec::new()),
        stdin: StdinSource::Bytes(question),
        background: Background::Stop,
        adopt_orphans: hook.alone,
        ..LocalSettings::default()
    })
}

fn job(hook: &HookProgram, orders: watch::Receiver<Order>) -> Job {
    Job {
        command: String::new(),
        // The folder of this process, whatever it is called by now.
        cwd: ".".into(),
        env: Arc::new(std::env::vars_os().collect()),
        grace: hook.grace.max(Duration::from_millis(1)),
        orders,
        held: watch::Sender::new(false),
        started: watch::Sender::new(false),
    }
}
