//! A run without `bsh` on the other side: a script of POSIX sh starts the command, and watches the
//! connection and the process group.

use std::os::unix::ffi::OsStrExt as _;
use std::time::Duration;

use tokio::time::Instant;

use crate::runner::local::Background;
use crate::runner::ssh::client::{AfterMark, Connection, Heard, Input, is_stderr, nonce};
use crate::runner::ssh::far::{Steering, farewell, lost, no_connection};
use crate::runner::ssh::markers::{Markers, Piece};
use crate::runner::ssh::settings::SshSettings;
use crate::runner::{Chunk, ChunkSink, Exit, Job, Order, StartReason, Stream};
use crate::sys::signal_names;

/// What is started there.
const SCRIPT: &str = include_str!("watchdog.sh");
/// The longest command in bytes: there it is one argument (execve(2), MAX_ARG_STRLEN).
const LONGEST_COMMAND: usize = 128 * 1024 - 1;
/// After the shell's end, reading goes on until so long nothing came.
const SILENCE: Duration = Duration::from_millis(200);
/// And at most so long after that end.
const LONGEST_DRAIN: Duration = Duration::from_secs(1);

/// What the watchdog has told.
#[derive(Default)]
struct Told {
    started: bool,
    failed: Option<Exit>,
    code: Option<i32>,
    /// The shell had ended before it was told to stop.
    ended_before_stop: bool,
    /// The stop is over; false when something is left.
    stopped: Option<bool>,
}

/// Runs a job there.
pub(super) async fn run(settings: &SshSettings, job: Job, output: ChunkSink) -> Exit {
    if job.command.len() > LONGEST_COMMAND {
        let detail = "a command over 128 KiB needs bsh on the other side".to_owned();
        return Exit::not_started(StartReason::SpawnFailed, Some(detail));
    }
    let nonce = nonce();
    let mut connection = match Connection::open(settings, &script(settings, &job, &nonce)) {
        Ok(connection) => connection,
        Err(exit) => return *exit,
    };
    let input = connection.input();
    let mut steering = Steering::new(job.orders.clone());
    let (mut mark, mut markers) = (AfterMark::new(&nonce), Markers::new(&nonce));
    let mut told = Told::default();
    let mut stop_sent = false;
    // When reading ends whatever else: after silence, and at the latest.
    let mut drain: Option<(Instant, Instant)> = None;
    loop {
        let over = drain.map(|(quiet, latest)| quiet.min(latest));
        let heard = tokio::select! {
            biased;
            order = steering.changed() => {
                pass(&input, order);
                stop_sent |= matches!(order, Order::Stop | Order::Kill);
                if stop_sent && !told.started {
                    return no_connection(&connection, "the connection was not up when the stop came");
                }
                continue;
            }
            heard = connection.next() => heard,
            () = until(over) => break,
        };
        let chunk = match heard {
            Heard::End => break,
            Heard::Chunk(chunk) => chunk,
        };
        let mut pieces = Vec::new();
        if is_stderr(&chunk) {
            for piece in markers.take(&chunk.bytes) {
                match piece {
                    Piece::Word(word) => {
                        hear(&mut told, &word, stop_sent, &job);
                        if word.starts_with("ended") && !stop_sent {
                            stop_sent = settings.background == Background::Stop;
                            let last = if stop_sent { "stop\n" } else { "bye\n" };
                            input.send(last.as_bytes().to_vec());
                        }
                    }
                    Piece::Bytes(bytes) if told.started => pieces.push((Stream::Stderr, bytes)),
                    Piece::Bytes(bytes) => connection.take_words(&bytes),
                }
            }
        } else {
            let bytes = mark.take(chunk.bytes);
            pieces.extend((!bytes.is_empty()).then_some((Stream::Stdout, bytes)));
        }
        for (stream, bytes) in pieces {
            let chunk = Chunk { stream, bytes };
            let send = output.send(chunk.stream, chunk.bytes);
            steering
                .pass_on(send, |order| {
                    stop_sent |= matches!(order, Order::Stop | Order::Kill);
                    pass(&input, order);
                })
                .await;
        }
        if let Some(exit) = told.failed.take() {
            return exit;
        }
        let is_over = told.code.is_some() && (!stop_sent || told.stopped.is_some());
        if is_over {
            let now = Instant::now();
            let latest = drain.map_or(now + LONGEST_DRAIN, |(_, latest)| latest);
            drain = Some((now + SILENCE, latest));
        }
    }
    let late = markers.rest();
    if told.started && !late.is_empty() {
        output.send(Stream::Stderr, late).await;
    }
    let Some(code) = told.code else {
        return lost(&connection, told.started, "");
    };
    farewell(connection).await;
    let mut exit = Exit::with_code(code);
    exit.findings.ended_before_stop = told.ended_before_stop;
    // A stop that was not said to be over is not confirmed.
    if stop_sent && told.stopped != Some(true) {
        exit.findings.unconfirmed = Some(Vec::new());
    }
    exit
}

/// Takes one word of the watchdog.
fn hear(told: &mut Told, word: &str, stop_sent: bool, job: &Job) {
    let failed = |reason, detail: &str| Some(Exit::not_started(reason, Some(detail.to_owned())));
    match word.split_once(' ').unwrap_or((word, "")) {
        ("started", _) => {
            told.started = true;
            job.started.send_replace(true);
        }
        ("held", _) => {
            job.held.send_replace(true);
        }
        ("ended", code) => {
            told.code = code.parse().ok();
            told.ended_before_stop = !stop_sent;
        }
        ("stopped", _) => told.stopped = Some(true),
        ("left", _) => told.stopped = Some(false),
        ("failed", "missing-folder") => told.failed = failed(StartReason::CwdNotFound, ""),
        ("failed", "no-folder") => told.failed = failed(StartReason::CwdNotADirectory, ""),
        ("failed", "folder") => {
            told.failed = failed(StartReason::SpawnFailed, "the folder may not be entered");
        }
        ("failed", _) => {
            told.failed = failed(StartReason::SpawnFailed, "the shell is not there");
        }
        _ => {}
    }
}

fn pass(input: &Input, order: Order) {
    let word = match order {
        Order::Run => "go\n",
        Order::Suspend => "hold\n",
        Order::Stop => "stop\n",
        Order::Kill => "kill\n",
    };
    input.send(word.as_bytes().to_vec());
}

/// Returns at this moment; never, when there is none.
async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// The script with all that it needs, bytes that are not UTF-8 too.
fn script(settings: &SshSettings, job: &Job, nonce: &str) -> Vec<u8> {
    let ticks = job.grace.as_millis().div_ceil(100);
    let signal = signal_names::name(settings.stop_signal.number());
    let signal = signal.strip_prefix("SIG").unwrap_or(&signal);
    let mut script =
        format!("printf '\\n%s\\n' {nonce}; mark={nonce}; sig={signal}; ticks={ticks}; shell=")
            .into_bytes();
    quote(&mut script, &[settings.shell.as_bytes()]);
    script.extend(b"; dir=");
    quote(&mut script, &[job.cwd.as_os_str().as_bytes()]);
    script.extend(b"; cmd=");
    quote(&mut script, &[job.command.as_bytes()]);
    script.extend(b"\nwith_environment() { exec env -i ");
    for (name, value) in &*job.env {
        quote(&mut script, &[name.as_bytes(), b"=", value.as_bytes()]);
        script.push(b' ');
    }
    script.extend(b"\"$@\"; }\n");
    script.extend(SCRIPT.as_bytes());
    script
}

/// Adds one word in single quotes, in which a shell changes nothing.
fn quote(script: &mut Vec<u8>, parts: &[&[u8]]) {
    script.push(b'\'');
    for &byte in parts.iter().copied().flatten() {
        match byte {
            b'\'' => script.extend(br"'\''"),
            byte => script.push(byte),
        }
    }
    script.push(b'\'');
}
