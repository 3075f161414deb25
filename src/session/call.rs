//! Runs the call, and turns signals and a reader that goes away into its abort.

use std::io::{IsTerminal as _, Read as _};
use std::pin::pin;
use std::time::Duration;

use anyhow::Context as _;
use bsh::control::Wish;
use bsh::format::TextFormatter;
use bsh::hooks::HookRuns;
use bsh::process::{Signals, Taken, run_commands_only, stop_self};
use bsh::runner::local::{LocalRunner, StdinSource};
use bsh::runner::ssh::SshRunner;
use bsh::watch::Watched;
use bsh::{BashTool, Control, Input, ShellResult, Status, stdio, terminal};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, timeout};

use crate::cli::screen::When;
use crate::cli::{Asked, Print};
use crate::session::events::{Events, Watching};
use crate::session::exit::means_no_error;
use crate::session::hint::hint_at_timeout;
use crate::session::print::{Look, rendered, write_out};
use crate::session::screen::{Phase, Screen, ScreenWatcher};
use crate::session::{Exit, hooks};

/// A command that is quick has no status line.
const QUIET: Duration = Duration::from_millis(500);
/// Between two drawings of the status line.
const BETWEEN_TICKS: Duration = Duration::from_millis(100);
/// What the runner may take to hold the tree before bsh itself is held; a whole tree takes a few ms.
const HOLDING: Duration = Duration::from_millis(500);

/// Runs what was asked, prints its report, and says how bsh ends.
///
/// # Errors
/// The system has no descriptors for signals or the runtime.
pub fn run(asked: Asked) -> anyhow::Result<Exit> {
    run_commands_only();
    let signals = Signals::take().context("cannot take signals")?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        // Three descriptors are waited for; the default makes room for a thousand.
        .max_io_events_per_tick(16)
        .build()
        .context("cannot start the runtime")?;
    let (print, shown, limits) = (asked.print, asked.shown, asked.limits);
    let exit_by_meaning = asked.exit_by_meaning;
    let screen = Screen::new(shown.progress == When::Always);
    let watcher = ScreenWatcher::new(screen.clone(), shown.live);
    // Its thread is there only when it was asked for.
    let events = match print {
        Print::Events => Some(Events::begin().context("cannot start a thread")?),
        _ => None,
    };
    // Pinned here, since a future that is handed on is copied.
    let called = {
        let calling = pin!(call(asked, &signals, watcher, events.as_ref()));
        runtime.block_on(calling)?
    };
    // What it holds goes with the process, which is about to end.
    std::mem::forget(runtime);
    signals.give_back();
    let all_written = screen.finish();
    if called.reader_gone {
        return Ok(Exit::READER_GONE);
    }
    let report = &called.result.report;
    let exit = match exit_by_meaning && means_no_error(report) {
        true => Exit::Fine,
        false => Exit::of(report, called.aborted_by),
    };
    if let Some(events) = events {
        return Ok(events.end(&called.result, exit));
    }
    let look = match print {
        Print::Text | Print::View => Look::of(shown, all_written, print == Print::Text),
        Print::Json | Print::PrettyJson | Print::Events => Look::default(),
    };
    let exit = write_out("the report", &rendered(&called.result, print, look), exit);
    if matches!(print, Print::Text | Print::View) && report.status == Status::Timeout {
        hint_at_timeout(&limits);
    }
    Ok(exit)
}

struct Called {
    result: ShellResult,
    /// The first signal that aborted the call.
    aborted_by: Option<i32>,
    reader_gone: bool,
}

async fn call(
    asked: Asked,
    signals: &Signals,
    watcher: ScreenWatcher,
    events: Option<&Events>,
) -> anyhow::Result<Called> {
    let is_typed_to = asked.local.stdin == StdinSource::Inherit && std::io::stdin().is_terminal();
    let mut ticks = progress_ticks(asked.shown.progress, is_typed_to);
    let runs = HookRuns::default();
    let control = Control::new();
    if asked.lifeline {
        hold_lifeline(control.clone());
    }
    let incoming = Watched::for_reading(signals).context("cannot wait for signals")?;
    let mut asked = asked;
    let input = std::mem::replace(&mut asked.input, Input::Text(Vec::new()));
    let calling = async {
        tool(asked, &control, &runs, watcher.clone(), events)
            .await
            .call(input, &control)
            .await
    };
    let reader = reader_of_stdout();
    let unwritable = async {
        match events {
            Some(events) => events.broken().await,
            None => std::future::pending().await,
        }
    };
    tokio::pin!(calling, reader, unwritable);
    let mut aborted_by = None;
    let mut reader_gone = false;
    let mut is_unwritable = false;
    let result = loop {
        tokio::select! {
            biased;
            result = &mut calling => break result,
            () = &mut reader, if !reader_gone => {
                reader_gone = true;
                control.abort();
            }
            () = &mut unwritable, if !is_unwritable => {
                is_unwritable = true;
                control.abort();
            }
            taken = next_signal(signals, &incoming) => match taken {
                Taken::Abort(number) => {
                    aborted_by.get_or_insert(number);
                    control.abort();
                }
                Taken::Suspend => {
                    control.suspend();
                    watcher.screen.hide();
                    // The tree is held first, and this process last.
                    tokio::select! {
                        biased;
                        result = &mut calling => break result,
                        _ = timeout(HOLDING, control.held()) => {}
                    }
                    // What came meanwhile is looked at before, since nothing is seen afterwards.
                    let mut go_on = false;
                    while let Some(taken) = signals.next() {
                        match taken {
                            Taken::Suspend => go_on = false,
                            Taken::Continue => go_on = true,
                            Taken::Snapshot => control.ask_snapshot(),
                            Taken::Abort(number) => {
                                aborted_by.get_or_insert(number);
                                control.abort();
                            }
                        }
                    }
                    if !go_on && aborted_by.is_none() {
                        stop_self();
                    }
                    control.resume();
                    watcher.screen.reveal();
                }
                Taken::Snapshot => match watcher.phase() {
                    Phase::Before => watcher.screen.write("The command has not started yet.\n"),
                    Phase::Running => control.ask_snapshot(),
                    Phase::After => watcher.screen.write("The command has ended.\n"),
                },
                Taken::Continue => {}
            },
            () = tick(&mut ticks) => control.ask_progress(),
        }
    };
    // A hook whose call was aborted is still being stopped.
    let over = runs.over();
    tokio::pin!(over);
    loop {
        if control.state().wish == Wish::AbortNow {
            runs.hurry();
        }
        tokio::select! {
            biased;
            () = &mut over => break,
            taken = next_signal(signals, &incoming) => if let Taken::Abort(number) = taken {
                aborted_by.get_or_insert(number);
                runs.hurry();
            },
        }
    }
    Ok(Called {
        result,
        aborted_by,
        reader_gone,
    })
}

/// The tool that was asked for. Connects first when it runs commands elsewhere.
async fn tool(
    asked: Asked,
    control: &Control,
    runs: &HookRuns,
    watcher: ScreenWatcher,
    events: Option<&Events>,
) -> BashTool {
    let tool = match asked.far {
        None => BashTool::builder(LocalRunner::new(asked.local)).env(asked.env),
        Some(settings) => {
            let aborted = || SshRunner::unreachable(settings.clone(), "the call was aborted");
            let runner = tokio::select! {
                biased;
                () = control.aborted() => aborted(),
                // Boxed, so that a command here does not make room for it.
                runner = Box::pin(SshRunner::connect(settings.clone())) => runner,
            };
            let env = runner.env(&asked.env.edits);
            BashTool::builder(runner).env(env)
        }
    };
    let mut tool = tool
        .limits(asked.limits)
        .masks(asked.masks.clone())
        .formatter(TextFormatter {
            notes: asked.print != Print::View,
        });
    if let Some(spill) = asked.spill {
        tool = tool.spill(spill);
    }
    if !asked.hooks.is_empty() {
        tool = hooks::add(tool, asked.hooks, &asked.masks, runs);
    }
    tool = match events {
        None => tool.observer(watcher),
        Some(events) => tool.observer(Watching {
            screen: watcher,
            events: events.observer(&asked.masks),
        }),
    };
    tool.build()
}

/// When the status line is drawn; never, where nobody looks.
fn progress_ticks(when: When, is_typed_to: bool) -> Option<Interval> {
    let wanted = match when {
        // What a person types to the command would get into the line.
        When::Auto => terminal::is_stderr_terminal() && !terminal::is_dumb() && !is_typed_to,
        When::Always => true,
        When::Never => false,
    };
    wanted.then(|| {
        let mut ticks = interval_at(Instant::now() + QUIET, BETWEEN_TICKS);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ticks
    })
}

async fn tick(ticks: &mut Option<Interval>) {
    match ticks {
        Some(ticks) => {
            ticks.tick().await;
        }
        None => std::future::pending().await,
    }
}

async fn next_signal(signals: &Signals, incoming: &Watched) -> Taken {
    loop {
        if let Some(taken) = signals.next() {
            return taken;
        }
        if incoming.changed().await.is_err() {
            // The event loop outlives this call; without it no signal could come either.
            std::future::pending::<()>().await;
        }
    }
}

/// Returns when nobody will read the report any more; never for a file or a terminal.
async fn reader_of_stdout() {
    let stdout = std::io::stdout();
    let pipe = !stdio::stdout_was_closed() && stdio::has_another_end(&stdout);
    // Nothing is written while the command runs, so this wakes when the other end changes, and no more.
    if let Some(watched) = pipe.then(|| Watched::for_writing(&stdout).ok()).flatten() {
        while !stdio::is_reader_gone(&stdout) {
            if watched.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
        return;
    }
    std::future::pending().await
}

/// Aborts the call when standard input ends. A thread, since a terminal or a file in its place would
/// not do in an event loop; it ends with the process.
fn hold_lifeline(control: Control) {
    std::thread::spawn(move || {
        let mut thrown_away = [0; 4096];
        let mut stdin = std::io::stdin().lock();
        loop {
            match stdin.read(&mut thrown_away) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        control.abort();
    });
}
