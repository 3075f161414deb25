//! Runs the call, and turns signals and a reader that goes away into its abort.

use std::io::Read as _;
use std::time::Duration;

use anyhow::Context as _;
use bsh::control::Wish;
use bsh::format::TextFormatter;
use bsh::hooks::HookRuns;
use bsh::process::{Signals, Taken, become_subreaper, share_one_heap, stop_self};
use bsh::runner::local::LocalRunner;
use bsh::runner::ssh::SshRunner;
use bsh::watch::Watched;
use bsh::{BashTool, Control, Input, ShellResult, stdio};
use tokio::pin;
use tokio::time::timeout;

use crate::cli::{Asked, Print};
use crate::session::events::Events;
use crate::session::print::{rendered, write_out};
use crate::session::{Exit, hooks};

/// What SIGPIPE is on Linux.
const SIGPIPE: i32 = 13;
/// What the runner may take to hold the tree before bsh itself is held; a whole tree takes a few ms.
const HOLDING: Duration = Duration::from_millis(500);

/// Runs what was asked, prints its report, and says how bsh ends.
///
/// # Errors
/// The system has no descriptors for signals or the runtime.
pub fn run(asked: Asked) -> anyhow::Result<Exit> {
    share_one_heap();
    let signals = Signals::take().context("cannot take signals")?;
    // Without it a watcher that is killed leaves orphans to somebody else; nothing else is lost.
    let _ = become_subreaper();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        // Three descriptors are waited for; the default makes room for a thousand.
        .max_io_events_per_tick(16)
        .build()
        .context("cannot start the runtime")?;
    let print = asked.print;
    // Its thread is there only when it was asked for.
    let events = match print {
        Print::Events => Some(Events::begin().context("cannot start a thread")?),
        _ => None,
    };
    let called = runtime.block_on(call(asked, &signals, events.as_ref()))?;
    runtime.shutdown_background();
    signals.give_back();
    if called.reader_gone {
        return Ok(Exit::BySignal(SIGPIPE));
    }
    let exit = Exit::of(&called.result.report, called.aborted_by);
    if let Some(events) = events {
        return Ok(events.end(&called.result, exit));
    }
    Ok(write_out(&rendered(&called.result, print), exit))
}

struct Called {
    result: ShellResult,
    /// The first signal that aborted the call.
    aborted_by: Option<i32>,
    reader_gone: bool,
}

async fn call(asked: Asked, signals: &Signals, events: Option<&Events>) -> anyhow::Result<Called> {
    let runs = HookRuns::default();
    let control = Control::new();
    if asked.lifeline {
        hold_lifeline(control.clone());
    }
    let incoming = Watched::for_reading(signals).context("cannot wait for signals")?;
    let mut asked = asked;
    let input = std::mem::replace(&mut asked.input, Input::Text(Vec::new()));
    let calling = async {
        tool(asked, &control, &runs, events)
            .await
            .call(input, &control)
            .await
    };
    let reader = reader_of_stdout();
    pin!(calling, reader);
    let mut aborted_by = None;
    let mut reader_gone = false;
    let result = loop {
        tokio::select! {
            biased;
            result = &mut calling => break result,
            () = &mut reader, if !reader_gone => {
                reader_gone = true;
                control.abort();
            }
            taken = next_signal(signals, &incoming) => match taken {
                Taken::Abort(number) => {
                    aborted_by.get_or_insert(number);
                    control.abort();
                }
                Taken::Suspend => {
                    control.suspend();
                    // The tree is held first, and this process last.
                    tokio::select! {
                        biased;
                        result = &mut calling => break result,
                        _ = timeout(HOLDING, control.held()) => {}
                    }
                    stop_self();
                    control.resume();
                }
            },
        }
    };
    // A hook whose call was aborted is still being stopped.
    let over = runs.over();
    pin!(over);
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
    if let Some(events) = events {
        tool = tool.observer(events.observer(&asked.masks));
    }
    tool.build()
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
