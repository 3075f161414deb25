//! Makes the pipes and the watcher of a run.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use crate::runner::local::batch::Batch;
use crate::runner::local::capture::{Capture, WriteEnds};
use crate::runner::local::findings::Record;
use crate::runner::local::launch::{self, Launch};
use crate::runner::local::lost;
use crate::runner::local::settings::LocalSettings;
use crate::runner::local::shared::Shared;
use crate::runner::local::supervise::{Phase, Supervisor};
use crate::runner::local::watch::{self, Watch};
use crate::runner::{Exit, Job, Order};
use crate::sys::child::{self, Forked};
use crate::sys::clock::Moment;
use crate::sys::failure::reason;
use crate::sys::{fd, signal};

/// From when on the end of the shell is waited for beside the watcher's word, which for a short command
/// would only wake its reader twice.
pub(super) const PIN_AFTER: Duration = Duration::from_millis(100);

/// A run whose watcher is still to be made.
pub(super) struct Prepared {
    pub(super) supervisor: Supervisor,
    launch: Launch,
    ends: WriteEnds,
    /// The watcher's end of the message pair.
    other: OwnedFd,
    /// Device and inode of the two pipes of the output.
    pipes: [(u64, u64); 2],
}

/// Makes all that a job needs but its watcher.
pub(super) fn prepare(
    job: Job,
    settings: Arc<LocalSettings>,
    shared: Arc<Shared>,
    began: Moment,
) -> Result<Prepared, Box<Exit>> {
    let (capture, ends) =
        Capture::open().map_err(|error| failed("no pipes could be made", error))?;
    let pipes = capture
        .identities()
        .map_err(|error| failed("no pipes could be made", error))?;
    let (control, other) =
        fd::message_pair().map_err(|error| failed("no socket could be made", error))?;
    let launch = launch::prepare(
        &job,
        &settings,
        ends.stdout.as_raw_fd(),
        ends.stderr.as_raw_fd(),
    )?;
    let strangers = if settings.adopt_orphans {
        lost::own_children()
    } else {
        Vec::new()
    };
    let supervisor = Supervisor {
        job,
        settings,
        shared,
        batches: None,
        batch: Batch::default(),
        is_output_wanted: true,
        reader_is_behind: false,
        capture,
        control,
        watcher: None,
        watcher_pid: 0,
        shell_pin: None,
        shell: 0,
        record: Record::new(began),
        given: Order::Run,
        phase: Phase::Running { nudge_at: None },
        strangers,
        pin_from: began.after(PIN_AFTER),
        watcher_is_silent: true,
        watcher_stops: false,
    };
    Ok(Prepared {
        supervisor,
        launch,
        ends,
        other,
        pipes,
    })
}

impl Prepared {
    /// Makes the watcher, which starts the shell when whoever is to read the output says so. What comes
    /// first here afterwards is `first`.
    pub(super) fn fork(mut self, first: impl FnOnce(&Supervisor)) -> Result<Supervisor, Box<Exit>> {
        let Supervisor { job, settings, .. } = &self.supervisor;
        let keep = self.launch.descriptors(self.other.as_raw_fd());
        let watch = Watch {
            program: &self.launch.program,
            keep: &keep,
            control: self.other.as_raw_fd(),
            pipes: self.pipes,
            grace: job.grace,
            stop_signal: settings.stop_signal.number(),
            usage: settings.usage,
        };
        // No handler of the host may run in the watcher.
        let blocked = signal::block_all();
        let forked = match child::fork() {
            Ok(Forked::Child) => watch::run(&watch),
            Ok(Forked::Parent(pid)) => {
                self.supervisor.watcher_pid = pid;
                self.supervisor.pin_watcher();
                first(&self.supervisor);
                Ok(())
            }
            Err(error) => Err(failed("no process could be made", error)),
        };
        signal::set_blocked(&blocked);
        forked?;
        drop(self.ends);
        Ok(self.supervisor)
    }
}

fn failed(what: &str, error: io::Error) -> Box<Exit> {
    launch::spawn_failed(format!("{what}: {}", reason(&error)))
}
