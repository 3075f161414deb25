//! The notes of a run, each with its words and its facts, in the order of the contract.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use crate::meaning::Meaning;
use crate::messages::{Message, ShellMessages, cut_to, one_line};
use crate::output::OmittedErrors;
use crate::report::{Note, Severity, Status};
use crate::runner::{
    BackgroundProcess, Findings, OwnSignal, ProcessState, StoppedProcess, UnconfirmedProcess,
    UnconfirmedReason, Usage,
};
use crate::units::{format_bytes, format_duration};

/// A list in a note names at most so many.
const MOST_LISTED: usize = 20;
/// Commands in a list are cut to so many characters.
const COMMAND_LENGTH: usize = 200;
/// The sentence of a note names fewer than its data, and shorter.
const MOST_NAMED: usize = 5;
const NAMED_LENGTH: usize = 80;

pub(super) fn note(
    code: &str,
    severity: Severity,
    message: String,
    data: impl Into<Option<Value>>,
) -> Note {
    Note {
        code: code.to_owned(),
        severity,
        message: one_line(&message),
        data: data.into(),
    }
}

/// A timeout was cut to the maximum.
pub(super) fn clamped(messages: &ShellMessages, requested_ms: u64, max_ms: u64) -> Note {
    let words = |ms| format_duration(Duration::from_millis(ms));
    let message = messages.render(
        Message::Clamped,
        &[("requested", &words(requested_ms)), ("max", &words(max_ms))],
    );
    let data = json!({ "param": "timeoutMs", "requested": requested_ms, "max": max_ms });
    note("clamped", Severity::Info, message, data)
}

/// What the notes of a run are made of.
pub(super) struct Facts<'a> {
    pub status: Status,
    pub spill_failure: Option<String>,
    pub findings: &'a Findings,
    /// What may still run; `Some` of nothing when nothing is known.
    pub unconfirmed: Option<&'a [UnconfirmedProcess]>,
    pub omitted_errors: &'a OmittedErrors,
    /// The exit code and what it means, when that is known.
    pub meaning: Option<(i32, Meaning)>,
}

/// The exit code has a known meaning.
fn exit_meaning(messages: &ShellMessages, code: i32, meaning: &Meaning) -> Note {
    let command = meaning.command.as_deref().unwrap_or_default();
    let words = meaning.message.as_deref().unwrap_or_default();
    let code_text = code.to_string();
    let message = messages.render(
        Message::ExitMeaning,
        &[
            ("code", &code_text),
            ("command", command),
            ("message", words),
        ],
    );
    let severity = match meaning.is_error {
        true => Severity::Warning,
        false => Severity::Info,
    };
    let data = json!({ "command": meaning.command, "exitCode": code, "isError": meaning.is_error });
    note("exit-meaning", severity, message, data)
}

/// From `spill-failed` to `usage`.
pub(super) fn of_run(messages: &ShellMessages, facts: &Facts<'_>) -> Vec<Note> {
    let findings = facts.findings;
    let mut notes = Vec::new();
    if let Some(detail) = &facts.spill_failure {
        let kinds = (Message::SpillFailed, Message::SpillFailedDetail);
        let detail = Some(detail.as_str()).filter(|detail| !detail.is_empty());
        notes.push(detailed(messages, "spill-failed", kinds, detail));
    }
    if let Some(detail) = &findings.incomplete {
        let kinds = (Message::OutputIncomplete, Message::OutputIncompleteDetail);
        let detail = Some(detail.as_str()).filter(|detail| !detail.is_empty());
        notes.push(detailed(messages, "output-incomplete", kinds, detail));
    }
    let own = findings.own_signals.iter().take(MOST_LISTED);
    notes.extend(own.map(|signal| own_signal(messages, signal)));
    if let Some(processes) = facts.unconfirmed {
        notes.push(unconfirmed_stop(messages, processes));
    }
    if let Some((code, meaning)) = &facts.meaning {
        notes.push(exit_meaning(messages, *code, meaning));
    }
    if facts.status != Status::Ok && facts.omitted_errors.count > 0 {
        notes.push(omitted_errors(messages, facts.omitted_errors));
    }
    if let Some((count, processes)) = &findings.stopped
        && *count > 0
    {
        notes.push(stopped_processes(messages, *count, processes));
    }
    if let Some((count, processes)) = &findings.background
        && *count > 0
    {
        notes.push(background_processes(messages, *count, processes));
    }
    if let Some(used) = &findings.usage {
        notes.push(usage(messages, used));
    }
    notes
}

/// A warning that has a detail or has none.
fn detailed(
    messages: &ShellMessages,
    code: &str,
    (plain, with_detail): (Message, Message),
    detail: Option<&str>,
) -> Note {
    let Some(detail) = detail else {
        return note(code, Severity::Warning, messages.plain(plain), None);
    };
    let detail = one_line(detail.trim_end_matches('.'));
    let message = messages.render(with_detail, &[("detail", &detail)]);
    note(
        code,
        Severity::Warning,
        message,
        json!({ "detail": detail }),
    )
}

fn own_signal(messages: &ShellMessages, own: &OwnSignal) -> Note {
    let message = match own.pid {
        Some(pid) => messages.render(
            Message::OwnSignalPid,
            &[("signal", &own.signal), ("pid", &pid.to_string())],
        ),
        None => messages.render(Message::OwnSignal, &[("signal", &own.signal)]),
    };
    note("own-signal", Severity::Info, message, json_of(own))
}

fn unconfirmed_stop(messages: &ShellMessages, processes: &[UnconfirmedProcess]) -> Note {
    let mut processes = processes[..processes.len().min(MOST_LISTED)].to_vec();
    processes.iter_mut().for_each(|it| cut(&mut it.command));
    let named = processes.iter().map(|it| {
        let reason = messages.plain(match it.reason {
            UnconfirmedReason::OtherUser => Message::ReasonOtherUser,
            UnconfirmedReason::Unkillable => Message::ReasonUnkillable,
            UnconfirmedReason::Unknown => Message::ReasonUnknown,
        });
        let more = [("reason", reason.as_str())];
        named(
            messages,
            Message::ProcessUnconfirmed,
            &it.command,
            it.pid,
            &more,
        )
    });
    let message = if processes.is_empty() {
        messages.plain(Message::UnconfirmedStop)
    } else {
        let count = processes.len() as u64;
        listed(
            messages,
            Message::UnconfirmedStopList,
            count,
            named.collect(),
        )
    };
    let data = json!({ "processes": json_of(&processes) });
    note("unconfirmed-stop", Severity::Warning, message, data)
}

fn omitted_errors(messages: &ShellMessages, omitted: &OmittedErrors) -> Note {
    let lines = omitted.lines.iter().map(|it| {
        let line = it.line.to_string();
        messages.render(
            Message::OmittedErrorLine,
            &[("line", &line), ("text", &it.text)],
        )
    });
    let lines = lines.collect::<Vec<_>>().join(" · ");
    let kind = match omitted.count {
        1 => Message::OmittedError,
        _ => Message::OmittedErrors,
    };
    let count = omitted.count.to_string();
    let message = messages.render(kind, &[("lines", &lines), ("count", &count)]);
    note("omitted-errors", Severity::Info, message, json_of(omitted))
}

fn stopped_processes(messages: &ShellMessages, count: u64, all: &[StoppedProcess]) -> Note {
    let mut processes = all[..all.len().min(MOST_LISTED)].to_vec();
    processes.iter_mut().for_each(|it| cut(&mut it.command));
    let named = processes.iter().map(|it| {
        let state = messages.plain(match it.state {
            ProcessState::Running => Message::StateRunning,
            ProcessState::Sleeping => Message::StateSleeping,
            ProcessState::DiskWait => Message::StateDiskWait,
            ProcessState::Stopped => Message::StateStopped,
            ProcessState::Traced => Message::StateTraced,
            ProcessState::Zombie => Message::StateZombie,
        });
        let more = [("state", state.as_str())];
        named(
            messages,
            Message::ProcessStopped,
            &it.command,
            it.pid,
            &more,
        )
    });
    let message = listed(messages, Message::StoppedProcesses, count, named.collect());
    let data = json!({ "count": count, "processes": json_of(&processes) });
    note("stopped-processes", Severity::Info, message, data)
}

fn background_processes(messages: &ShellMessages, count: u64, all: &[BackgroundProcess]) -> Note {
    let mut processes = all[..all.len().min(MOST_LISTED)].to_vec();
    processes.iter_mut().for_each(|it| cut(&mut it.command));
    let named = processes.iter().map(|it| {
        let kind = match it.holds_output {
            true => Message::ProcessHoldsOutput,
            false => Message::ProcessBackground,
        };
        named(messages, kind, &it.command, it.pid, &[])
    });
    let message = listed(
        messages,
        Message::BackgroundProcesses,
        count,
        named.collect(),
    );
    let data = json!({ "count": count, "processes": json_of(&processes) });
    note("background-processes", Severity::Info, message, data)
}

fn usage(messages: &ShellMessages, used: &Usage) -> Note {
    let words = |ms| format_duration(Duration::from_millis(ms));
    let message = messages.render(
        Message::Usage,
        &[
            ("user", &words(used.user_ms)),
            ("system", &words(used.system_ms)),
            ("rss", &format_bytes(used.max_rss_bytes)),
        ],
    );
    note("usage", Severity::Info, message, json_of(used))
}

fn named(
    messages: &ShellMessages,
    kind: Message,
    command: &str,
    pid: i32,
    more: &[(&str, &str)],
) -> String {
    let (command, pid) = (cut_to(command, NAMED_LENGTH), pid.to_string());
    let mut values = vec![("command", command.as_str()), ("pid", pid.as_str())];
    values.extend(more);
    messages.render(kind, &values)
}

fn listed(messages: &ShellMessages, kind: Message, count: u64, mut names: Vec<String>) -> String {
    names.truncate(MOST_NAMED);
    let more = count.saturating_sub(names.len() as u64);
    let mut processes = names.join(", ");
    if more > 0 {
        let values = [
            ("processes", processes.as_str()),
            ("count", &more.to_string()),
        ];
        processes = messages.render(Message::ProcessesMore, &values);
    }
    messages.render(
        kind,
        &[("processes", &processes), ("count", &count.to_string())],
    )
}

fn cut(command: &mut String) {
    *command = cut_to(&one_line(command), COMMAND_LENGTH);
}

/// Plain structs of strings and numbers always become JSON.
fn json_of(facts: &impl Serialize) -> Value {
    serde_json::to_value(facts).unwrap_or_default()
}
