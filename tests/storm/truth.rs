//! Whether a report is true: what it says agrees with itself, with how bsh ended, and with what was done.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use nix::sys::signal::Signal;

use crate::mirror::Mirror;
use crate::shape::{Shape, Stop};

/// A report and how its `bsh` ended.
pub struct Said<'a> {
    pub shape: &'a Shape,
    pub report: &'a Mirror,
    pub status: ExitStatus,
    /// Milliseconds from before the start to after the end, as the storm saw it.
    pub wall_ms: u64,
}

impl Said<'_> {
    /// The first thing that is not true.
    pub fn check(&self) -> Result<(), String> {
        let (report, shape) = (self.report, self.shape);
        let Some(run) = &report.run else {
            return law(self.ends_with(125), "without a run the exit code is 125");
        };
        let stopped_by = run.stopped_by.as_deref();
        let error = report.error.as_ref().map(|error| error.code.as_str());
        law(
            run.exit_code.is_none() || run.signal.is_none(),
            "a code or a signal",
        )?;
        law(
            run.duration_ms <= self.wall_ms + 1,
            "no longer than it took",
        )?;
        match report.status.as_str() {
            "ok" => law(
                run.exit_code == Some(0) && self.ends_with(0) && stopped_by.is_none(),
                "ok is code 0",
            )?,
            "failed" => {
                law(stopped_by.is_none(), "failed was not stopped")?;
                match run.exit_code {
                    Some(code) => law(code != 0 && self.ends_with(code), "the command's code")?,
                    None => law(
                        run.signal.is_some() && (self.code() > 128 || self.was_killed()),
                        "a signal is 128 and more",
                    )?,
                }
            }
            "timeout" => {
                law(stopped_by == Some("timeout"), "stopped by the timeout")?;
                law(self.ends_with(124), "a timeout is 124")?;
                law(
                    run.duration_ms >= shape.timeout_ms,
                    "a timeout is never early",
                )?;
            }
            _ => match error {
                Some("ABORTED") => {
                    law(stopped_by == Some("abort"), "stopped by the abort")?;
                    law(self.status.signal().is_some(), "dies of the signal")?;
                }
                Some("OUTPUT_CAP") => {
                    law(stopped_by == Some("output-cap"), "stopped by the cap")?;
                    let total = report.output.as_ref().map(|output| output.total_bytes);
                    law(total == Some(shape.cap_bytes), "exactly the cap is counted")?;
                    law(self.ends_with(125), "an error is 125")?;
                }
                Some("RUNNER_LOST") => {
                    law(shape.may_lose_watcher, "nobody killed the watcher")?;
                    law(self.ends_with(125), "an error is 125")?;
                }
                other => return Err(format!("unexpected error {other:?}")),
            },
        }
        law(
            run.unconfirmed_stop == report.note("unconfirmed-stop").is_some(),
            "unconfirmedStop and its note",
        )?;
        law(
            report.status != "error"
                || report.text().contains("was stopped")
                || run.unconfirmed_stop,
            "a confirmed stop is said",
        )?;
        for (code, at_most) in [("stopped-processes", 20), ("background-processes", 20)] {
            if let Some(note) = report.note(code) {
                let data = note.data.as_ref().ok_or("a list has data")?;
                let count = data["count"].as_u64().ok_or("a count")?;
                let listed = data["processes"].as_array().map_or(0, Vec::len) as u64;
                law(
                    count > 0 && listed == count.min(at_most),
                    "a list is its count",
                )?;
            }
        }
        law(
            report.note("usage").is_some() == shape.usage
                || run.unconfirmed_stop
                || shape.may_lose_watcher
                // A watcher that did not answer in time was killed, and knew both alone.
                || (run.exit_code.is_none() && run.signal.is_none()),
            "usage when it was asked for",
        )?;
        self.fits()
    }

    /// Whether this can come of what was done.
    fn fits(&self) -> Result<(), String> {
        let status = self.report.status.as_str();
        let error = self.report.error.as_ref().map(|error| error.code.as_str());
        let natural = self.shape.may_end && matches!(status, "ok" | "failed");
        // A member may flood the output, whatever else is done.
        let capped = error == Some("OUTPUT_CAP");
        let lost = error == Some("RUNNER_LOST");
        let fits = match self.shape.stop {
            Stop::Timeout | Stop::FreezeBsh(_) | Stop::SuspendBsh(_) | Stop::FreezeWatcher => {
                status == "timeout"
            }
            Stop::Abort(_) | Stop::AbortTwice(..) => error == Some("ABORTED"),
            Stop::OutputCap => capped,
            Stop::KillWatcher => lost,
            Stop::Nothing => natural,
            Stop::KillBsh | Stop::CloseStdout => true,
        };
        law(
            fits || natural || capped || lost,
            "the report fits what was done",
        )
    }

    fn ends_with(&self, code: i32) -> bool {
        self.code() == code || self.was_killed()
    }

    /// The storm's signal came when the report was written and before the exit.
    fn was_killed(&self) -> bool {
        let by = self.status.signal();
        let is = |signal: Signal| by == Some(signal as i32);
        match self.shape.stop {
            Stop::KillBsh => is(Signal::SIGKILL),
            Stop::Abort(signal) => is(signal),
            Stop::AbortTwice(first, second) => is(first) || is(second),
            _ => false,
        }
    }

    fn code(&self) -> i32 {
        self.status.code().unwrap_or(-1)
    }
}

fn law(holds: bool, law: &str) -> Result<(), String> {
    match holds {
        true => Ok(()),
        false => Err(format!("not true: {law}")),
    }
}
