//! Tells an observer of the run under way.

use std::time::Duration;

use crate::control::State;
use crate::observer::{Observer, Progress, Snapshot};
use crate::output::Masks;
use crate::report::{Note, Report, ShellOutput, ShellRun, Status, StoppedBy};
use crate::request::BashRequest;
use crate::tool::capture::Capture;
use crate::tool::mask::mask_report;
use crate::tool::run::Steering;

/// An observer, and what is known of the run beside its output.
pub(super) struct Watching<'a> {
    pub observer: &'a dyn Observer,
    pub masks: &'a Masks,
    pub request: &'a BashRequest,
    pub command: &'a str,
    pub cwd: &'a str,
    pub notes: &'a [Note],
}

impl Watching<'_> {
    /// The command is about to start.
    pub(super) fn starting(&self, timeout: Duration) {
        let nothing = ShellOutput::default();
        let start = self.snapshot(Duration::ZERO, timeout, None, nothing);
        self.observer.starting(&start);
    }

    /// Answers what the caller asked since `before`.
    pub(super) fn answer(&self, before: State, now: State, run: &Steering, capture: &Capture) {
        if now.progress_asked != before.progress_asked {
            self.observer.progress(&Progress {
                elapsed: run.clock.elapsed(),
                timeout: run.timeout,
                ..capture.progress_so_far()
            });
        }
        if now.snapshots_asked != before.snapshots_asked {
            let (elapsed, output) = (run.clock.elapsed(), capture.output_so_far());
            let snapshot = self.snapshot(elapsed, run.timeout, run.stop, output);
            self.observer.snapshot(&snapshot);
        }
    }

    fn snapshot(
        &self,
        elapsed: Duration,
        timeout: Duration,
        stopped_by: Option<StoppedBy>,
        output: ShellOutput,
    ) -> Snapshot {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        // A report has no status for a command that runs; it is taken apart again at once.
        let mut report = Report {
            tool: "bash",
            status: Status::Ok,
            error: None,
            request: Some(self.request.clone()),
            run: Some(ShellRun {
                command: self.command.to_owned(),
                cwd: self.cwd.to_owned(),
                timeout_ms: millis(timeout),
                exit_code: None,
                signal: None,
                duration_ms: millis(elapsed),
                stopped_by,
                unconfirmed_stop: false,
            }),
            output: Some(output),
            notes: self.notes.to_vec(),
        };
        mask_report(&mut report, self.masks);
        Snapshot {
            request: report.request,
            run: report.run,
            output: report.output,
            notes: report.notes,
        }
    }
}
