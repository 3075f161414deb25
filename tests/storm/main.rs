//! A storm of random process trees, stopped in random ways, several at once. After each nothing may be
//! left, and the report has to be true.
//!
//! `BSH_STORM_TREES` or `BSH_STORM_SECONDS` say how long, `BSH_STORM_AT_ONCE` how many at a time. What
//! fails prints a seed and a number: `BSH_STORM_SEED=… BSH_STORM_ONLY=…` makes the same tree again.
//!
//! This is the one test that waits in short steps: of processes that hide from their parents there is no
//! event to wait for.

#[path = "../harness/mirror.rs"]
mod mirror;
mod random;
mod shape;
mod traces;
mod truth;

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant, SystemTime};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use mirror::Mirror;
use random::Random;
use shape::{Shape, Stop};
use traces::{Left, Pipe, children, marked};
use truth::Said;

/// Nothing here takes this long, on however busy a machine; it only keeps the storm from hanging.
const GUARD: Duration = Duration::from_secs(60);
/// Between two looks at what is left.
const STEP: Duration = Duration::from_millis(3);

struct Storm {
    seed: u64,
    next: AtomicU64,
    trees: u64,
    until: Option<Instant>,
    failed: AtomicBool,
    tally: Mutex<BTreeMap<String, u64>>,
}

fn main() -> ExitCode {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let seed = number("BSH_STORM_SEED").unwrap_or(clock.map_or(1, |now| now.as_micros() as u64));
    let seconds = number("BSH_STORM_SECONDS").map(Duration::from_secs);
    let only = number("BSH_STORM_ONLY");
    let storm = Storm {
        seed,
        next: AtomicU64::new(only.unwrap_or(0)),
        trees: match (only, seconds) {
            (Some(only), _) => only + 1,
            (None, Some(_)) => u64::MAX,
            (None, None) => number("BSH_STORM_TREES").unwrap_or(60),
        },
        until: seconds.map(|seconds| Instant::now() + seconds),
        failed: AtomicBool::new(false),
        tally: Mutex::default(),
    };
    let at_once = number("BSH_STORM_AT_ONCE").unwrap_or(6);
    println!("storm: seed {seed}, {at_once} at once");
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| storm.work());
        }
    });
    for (what, count) in storm.tally.lock().expect("nobody panicked").iter() {
        println!("storm: {count:6} {what}");
    }
    match storm.failed.into_inner() {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}

impl Storm {
    fn work(&self) {
        while !self.failed.load(Ordering::Relaxed) {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let over = self.until.is_some_and(|until| Instant::now() >= until);
            if index >= self.trees || over {
                return;
            }
            let mark = format!("bsh-storm-{}-{}-{index}.", std::process::id(), self.seed);
            let shape = Shape::random(&mut Random::of(self.seed, index));
            match Call::new(&shape, &mark).run() {
                Ok(outcome) => self.count(&outcome),
                Err(problem) => {
                    self.failed.store(true, Ordering::Relaxed);
                    println!(
                        "storm: {problem}\nrepeat with BSH_STORM_SEED={} BSH_STORM_ONLY={index}\n{shape:#?}",
                        self.seed
                    );
                }
            }
            self.count("trees");
        }
    }

    fn count(&self, what: &str) {
        let mut tally = self.tally.lock().expect("nobody panicked");
        *tally.entry(what.to_owned()).or_default() += 1;
    }
}

/// One call under way.
struct Call<'a> {
    shape: &'a Shape,
    mark: &'a str,
    pipe: Pipe,
}

impl<'a> Call<'a> {
    fn new(shape: &'a Shape, mark: &'a str) -> Self {
        let pipe = Pipe::new(mark);
        Self { shape, mark, pipe }
    }

    /// What came of it, in a few words, or what is wrong.
    fn run(mut self) -> Result<String, String> {
        let began = Instant::now();
        let mut child = self.start();
        let stdout = child.stdout.take().expect("a pipe");
        let (sender, line) = mpsc::channel();
        if self.shape.stop == Stop::CloseStdout {
            std::thread::sleep(Duration::from_millis(self.shape.delay_ms));
            drop(stdout);
            drop(sender);
        } else {
            std::thread::spawn(move || {
                let mut line = String::new();
                let _ = BufReader::new(stdout).read_line(&mut line);
                let _ = sender.send(line);
            });
            self.disturb(&child);
        }
        let mut received = line.recv_timeout(GUARD / 6);
        if received.is_err() && matches!(self.shape.stop, Stop::SuspendBsh(_)) {
            // A SIGCONT that comes between the last look for it and the stop is lost, whoever does this.
            let _ = kill(Pid::from_raw(child.id() as i32), Signal::SIGCONT);
        }
        if received == Err(mpsc::RecvTimeoutError::Timeout) {
            received = line.recv_timeout(GUARD);
        }
        let line = match received {
            Ok(line) => line,
            Err(mpsc::RecvTimeoutError::Disconnected) => String::new(),
            Err(mpsc::RecvTimeoutError::Timeout) => return Err(self.hangs(&mut child, "")),
        };
        if self.shape.stop == Stop::CloseStdout && ended(&mut child).is_none() {
            return Err(self.hangs(&mut child, ""));
        }
        // The report has just come: what it says has to be true now, not a little later.
        let held = self.pipe.is_held();
        let left = marked(self.mark);
        let status = match ended(&mut child) {
            Some(status) => status,
            None => return Err(self.hangs(&mut child, &line)),
        };
        let wall_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let outcome = self.judge(&line, status, wall_ms, held, &left);
        self.clean_up(outcome)
    }

    fn start(&self) -> Child {
        let shape = self.shape;
        let bsh = Path::new(env!("CARGO_BIN_EXE_bsh"));
        let member = bsh.with_file_name("examples").join("member");
        let line = format!(
            "export member='{}'; exec 9>'{}'\n{}",
            member.display(),
            self.pipe.path.display(),
            shape.line
        );
        let mut command = Command::new(bsh);
        command
            .args(["--json", "-e", &format!("BSH_STORM_MARK={}", self.mark)])
            .args(["-t", &format!("{}ms", shape.timeout_ms)])
            .args(["-k", &format!("{}ms", shape.grace_ms)])
            .args(["--max-capture", &shape.cap_bytes.to_string()]);
        if shape.stop_background {
            command.args(["--background", "stop"]);
        }
        if shape.usage {
            command.arg("--usage");
        }
        command
            .args(["--", &line])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("bsh starts")
    }

    /// Does to bsh what is to be done. It is not reaped before, so its pid is its own.
    fn disturb(&self, child: &Child) {
        let pid = Pid::from_raw(child.id() as i32);
        let send = |signal| {
            let _ = kill(pid, signal);
        };
        let pause = |ms| std::thread::sleep(Duration::from_millis(ms));
        pause(self.shape.delay_ms);
        match self.shape.stop {
            Stop::Timeout | Stop::OutputCap | Stop::Nothing | Stop::CloseStdout => {}
            Stop::Abort(signal) => {
                wait_for_signals(child.id());
                send(signal);
            }
            Stop::AbortTwice(first, second) => {
                wait_for_signals(child.id());
                send(first);
                pause(self.shape.delay_ms / 4);
                send(second);
            }
            Stop::KillBsh => send(Signal::SIGKILL),
            Stop::FreezeBsh(ms) => {
                send(Signal::SIGSTOP);
                pause(ms);
                send(Signal::SIGCONT);
            }
            Stop::SuspendBsh(ms) => {
                wait_for_signals(child.id());
                send(Signal::SIGTSTP);
                pause(ms);
                send(Signal::SIGCONT);
            }
            Stop::FreezeWatcher => signal_watcher(child.id(), Signal::SIGSTOP),
            Stop::KillWatcher => signal_watcher(child.id(), Signal::SIGKILL),
        }
    }

    fn judge(
        &mut self,
        line: &str,
        status: ExitStatus,
        wall_ms: u64,
        held: bool,
        left: &[Left],
    ) -> Result<String, String> {
        let shape = self.shape;
        let may_go_on = shape.may_end && !shape.stop_background;
        if line.is_empty() {
            let expected = match shape.stop {
                Stop::KillBsh => status.signal() == Some(Signal::SIGKILL as i32),
                // It may have written its report before.
                Stop::CloseStdout => {
                    status.code().is_some() || status.signal() == Some(Signal::SIGPIPE as i32)
                }
                // One that comes while the report is written ends bsh at once.
                Stop::Abort(signal) => status.signal() == Some(signal as i32),
                Stop::AbortTwice(first, second) => {
                    [Some(first as i32), Some(second as i32)].contains(&status.signal())
                }
                _ => false,
            };
            if !expected {
                return Err(format!("no report: {status}"));
            }
            if !may_go_on {
                self.wait_until_gone()?;
            }
            return Ok(format!("{}: no report", kind(shape.stop)));
        }
        let shown: String = line.chars().take(3_000).collect();
        let report = Mirror::read(line).map_err(|problem| format!("{problem}\n{shown}"))?;
        let shown = told(&report);
        let said = Said {
            shape,
            report: &report,
            status,
            wall_ms,
        };
        said.check()
            .map_err(|problem| format!("{problem}\n{status}\n{shown}"))?;
        let run = report.run.as_ref();
        let stopped = run.is_some_and(|run| run.stopped_by.is_some())
            || report.status == "error"
            || shape.stop_background;
        let unconfirmed = run.is_some_and(|run| run.unconfirmed_stop);
        if stopped && !unconfirmed && (held || !left.is_empty()) {
            return Err(format!(
                "the stop was confirmed, and these run (pipe held: {held}): {left:?}\n{shown}"
            ));
        }
        let background = report.note("background-processes").is_some();
        if !stopped && !left.is_empty() && !background {
            return Err(format!("no word of {left:?}\n{shown}"));
        }
        if unconfirmed && !may_go_on {
            self.wait_until_gone()?;
        }
        let error = report.error.as_ref().map_or("", |error| &error.code);
        let more = if unconfirmed { " unconfirmed" } else { "" };
        let status = &report.status;
        Ok(format!("{}: {status} {error}{more}", kind(shape.stop)))
    }

    fn wait_until_gone(&mut self) -> Result<(), String> {
        let until = Instant::now() + GUARD;
        loop {
            let left = marked(self.mark);
            let held = self.pipe.is_held();
            if left.is_empty() && !held {
                return Ok(());
            }
            if Instant::now() >= until {
                return Err(format!("left for good (pipe held: {held}): {left:?}"));
            }
            std::thread::sleep(STEP);
        }
    }

    /// Ends what was meant to go on, and what a failure left.
    fn clean_up(mut self, outcome: Result<String, String>) -> Result<String, String> {
        let until = Instant::now() + GUARD;
        loop {
            let left = marked(self.mark);
            if left.is_empty() && !self.pipe.is_held() {
                return outcome;
            }
            if Instant::now() >= until {
                return outcome.and(Err(format!("cannot be ended: {left:?}")));
            }
            for process in &left {
                let _ = kill(Pid::from_raw(process.pid), Signal::SIGKILL);
            }
            std::thread::sleep(STEP);
        }
    }

    fn hangs(self, child: &mut Child, line: &str) -> String {
        let state = std::fs::read_to_string(format!("/proc/{}/stat", child.id()));
        let below = children(child.id());
        let problem = format!(
            "bsh hangs: {state:?}, its children {below:?}, left {:?}\n{line}",
            marked(self.mark)
        );
        let _ = child.kill();
        let _ = child.wait();
        self.clean_up(Err(problem))
            .unwrap_or_else(|problem| problem)
    }
}

/// Its status, within the guard.
fn ended(child: &mut Child) -> Option<ExitStatus> {
    let until = Instant::now() + GUARD;
    loop {
        match child.try_wait().expect("bsh is our child") {
            Some(status) => return Some(status),
            None if Instant::now() >= until => return None,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Waits until bsh has blocked SIGTERM, and so takes signals; before that they end it without a report,
/// and without anything started.
fn wait_for_signals(pid: u32) {
    let until = Instant::now() + GUARD;
    while Instant::now() < until {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let blocked = status
            .lines()
            .find_map(|line| line.strip_prefix("SigBlk:"))
            .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        match blocked {
            Some(mask) if mask & (1 << (Signal::SIGTERM as i32 - 1)) == 0 => {}
            // It takes them, or has ended.
            _ => return,
        }
        let state = status.lines().find_map(|line| line.strip_prefix("State:"));
        if state.is_some_and(|state| state.trim_start().starts_with('Z')) {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Sends a signal to the watcher of this bsh, if there is one yet or still.
fn signal_watcher(pid: u32, signal: Signal) {
    for _ in 0..100 {
        if let Some(&watcher) = children(pid).first() {
            let _ = kill(Pid::from_raw(watcher), signal);
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A report without what is long in it.
fn told(report: &Mirror) -> String {
    let notes: Vec<String> = report
        .notes
        .iter()
        .map(|note| format!("{} {}", note.code, note.data.clone().unwrap_or_default()))
        .collect();
    let run = report.run.as_ref().map(|run| {
        format!(
            "code {:?}, signal {:?}, {} ms, by {:?}, unconfirmed {}",
            run.exit_code, run.signal, run.duration_ms, run.stopped_by, run.unconfirmed_stop
        )
    });
    let error = report.error.as_ref().map(|error| &error.message);
    format!("{} {error:?} {run:?} {notes:#?}", report.status)
}

fn kind(stop: Stop) -> String {
    let shown = format!("{stop:?}");
    let end = shown.find('(').unwrap_or(shown.len());
    shown[..end].to_owned()
}
