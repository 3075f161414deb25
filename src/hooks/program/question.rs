//! What a program is asked: one object, its keys in this order.

use serde::Serialize;

use crate::hooks::{AfterRun, Authorization, Planned};
use crate::report::{Note, ShellError, ShellOutput, ShellRun, Status};
use crate::request::{BashRequest, whole_millis};

/// Before a run: what is planned.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Before<'a> {
    hook: &'static str,
    request: &'a BashRequest,
    run: PlannedRun<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_path: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PlannedRun<'a> {
    command: &'a str,
    cwd: String,
    timeout_ms: u64,
}

/// After a run: what happened.
#[derive(Serialize)]
pub(super) struct After<'a> {
    hook: &'static str,
    request: &'a BashRequest,
    run: &'a ShellRun,
    status: Status,
    output: &'a ShellOutput,
    notes: &'a [Note],
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a ShellError>,
}

pub(super) fn before_run<'a>(planned: &Planned<'a>) -> Before<'a> {
    before("beforeRun", planned, None)
}

pub(super) fn authorize<'a>(asked: &Authorization<'a>) -> Before<'a> {
    before("authorize", &asked.planned, Some(asked.display_path))
}

pub(super) fn after_run<'a>(ran: &AfterRun<'a>) -> After<'a> {
    After {
        hook: "afterRun",
        request: ran.request,
        run: ran.run,
        status: ran.status,
        output: ran.output,
        notes: ran.notes,
        error: ran.error,
    }
}

fn before<'a>(
    hook: &'static str,
    planned: &Planned<'a>,
    display_path: Option<&'a str>,
) -> Before<'a> {
    Before {
        hook,
        request: planned.request,
        run: PlannedRun {
            command: planned.command,
            cwd: planned.cwd.to_string_lossy().into_owned(),
            timeout_ms: whole_millis(planned.timeout),
        },
        display_path,
    }
}
