//! The run as the library sees it: clock, cap, orders and the verdict, with a scripted runner.

use std::time::Duration;

use bsh::runner::{
    BackgroundProcess, Exit, Findings, Order, OwnSignal, ProcessState, StartReason, StoppedProcess,
    UnconfirmedProcess, UnconfirmedReason, Usage,
};
use bsh::{BashRequest, Control, LimitOverrides, resolve_shell_limits};

use crate::harness::scripted::{Scripted, Then, call};

fn one_second() -> BashRequest {
    BashRequest::new("x").with_timeout(Duration::from_secs(1))
}

#[tokio::test(start_paused = true)]
async fn a_runner_that_does_not_come_back_is_left_after_the_grace_and_a_second() {
    let script = Scripted::new(Then::Hang).printing("before\n");
    let start = tokio::time::Instant::now();
    let report = call(script.tool(), one_second(), &Control::new()).await;
    assert_eq!(report.status, "timeout");
    let run = report.run.as_ref().expect("it ran");
    assert!(run.unconfirmed_stop);
    assert_eq!((run.exit_code, run.signal.as_deref()), (None, None));
    assert_eq!(run.stopped_by.as_deref(), Some("timeout"));
    assert_eq!(report.note_codes(), ["unconfirmed-stop"]);
    assert_eq!(report.text().lines().next(), Some("Timed out after 1 s."));
    let took = start.elapsed();
    assert!(
        took >= Duration::from_secs(4) && took < Duration::from_millis(4_500),
        "{took:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_stop_that_the_runner_confirms() {
    let script = Scripted::new(Then::EndOnStop(Exit::with_signal("SIGTERM")));
    let report = call(script.tool(), one_second(), &Control::new()).await;
    assert_eq!(report.status, "timeout");
    let run = report.run.as_ref().expect("it ran");
    assert_eq!(
        (run.signal.as_deref(), run.duration_ms),
        (Some("SIGTERM"), 1_000)
    );
    assert!(!run.unconfirmed_stop);
    assert_eq!(*script.orders.lock().expect("orders"), [Order::Stop]);
}

#[tokio::test(start_paused = true)]
async fn seen_at_once_the_end_wins() {
    let end = Then::EndAfter(Duration::from_secs(1), Exit::with_code(0));
    let report = call(Scripted::new(end).tool(), one_second(), &Control::new()).await;
    assert_eq!(report.status, "ok");
    let mut exit = Exit::with_code(4);
    exit.findings.ended_before_stop = true;
    let script = Scripted::new(Then::EndOnStop(exit));
    let report = call(script.tool(), one_second(), &Control::new()).await;
    assert_eq!(report.status, "failed");
    assert_eq!(report.run.expect("it ran").stopped_by, None);
}

#[tokio::test(start_paused = true)]
async fn suspended_time_does_not_count() {
    let control = Control::new();
    let end = Then::EndAfter(Duration::from_millis(10_500), Exit::with_code(0));
    let script = Scripted::new(end);
    let calling = call(script.tool(), one_second(), &control);
    let steering = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        control.suspend();
        tokio::time::sleep(Duration::from_secs(10)).await;
        control.resume();
    };
    let (report, ()) = tokio::join!(calling, steering);
    assert_eq!(report.status, "ok");
    let duration = report.run.expect("it ran").duration_ms;
    assert!(duration < 1_000, "{duration}");
    assert_eq!(
        script.orders.lock().expect("orders").first(),
        Some(&Order::Suspend)
    );
}

#[tokio::test(start_paused = true)]
async fn a_second_abort_skips_the_grace() {
    let control = Control::new();
    let script = Scripted::new(Then::Hang);
    let start = tokio::time::Instant::now();
    let (report, ()) = tokio::join!(
        call(script.tool(), BashRequest::new("x"), &control),
        async {
            tokio::time::sleep(Duration::from_secs(3)).await;
            control.abort();
            control.abort();
        }
    );
    assert_eq!(report.error_code(), ("ABORTED", "run"));
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
    assert!(report.run.expect("it ran").unconfirmed_stop);
}

#[tokio::test]
async fn bytes_past_the_cap_are_in_no_count_and_no_view() {
    let limits = LimitOverrides {
        max_capture_bytes: Some(5),
        ..LimitOverrides::default()
    };
    let limits = resolve_shell_limits(limits).expect("valid limits");
    let script = Scripted::new(Then::EndOnStop(Exit::with_signal("SIGTERM")))
        .printing("abc")
        .printing("defg")
        .printing("hij");
    let report = call(
        script.tool().limits(limits),
        BashRequest::new("x"),
        &Control::new(),
    )
    .await;
    assert_eq!(report.error_code(), ("OUTPUT_CAP", "run"));
    let output = report.output.as_ref().expect("it ran");
    assert_eq!((output.head.as_str(), output.total_bytes), ("abcde", 5));
    assert_eq!(
        report.error.expect("an error").message,
        "The command wrote more than 5 B, so it was stopped."
    );
}

#[tokio::test]
async fn what_a_runner_found_becomes_notes_in_their_order() {
    let findings = Findings {
        own_signals: vec![OwnSignal {
            signal: "SIGTERM".into(),
            pid: Some(7),
        }],
        stopped: Some((
            30,
            vec![
                StoppedProcess {
                    pid: 1,
                    command: format!("sleep\n{}", "9".repeat(300)),
                    state: ProcessState::DiskWait,
                };
                30
            ],
        )),
        background: Some((
            1,
            vec![BackgroundProcess {
                pid: 2,
                command: "sleep 1".into(),
                holds_output: true,
            }],
        )),
        unconfirmed: Some(vec![UnconfirmedProcess {
            pid: 3,
            command: "sudo x".into(),
            reason: UnconfirmedReason::OtherUser,
        }]),
        incomplete: Some("the pipe was still open".into()),
        usage: Some(Usage {
            user_ms: 400,
            system_ms: 0,
            max_rss_bytes: 1_800_000,
        }),
        ..Findings::default()
    };
    let exit = Exit {
        findings,
        ..Exit::with_signal("SIGTERM")
    };
    let request = one_second().with_timeout(Duration::from_secs(900));
    let report = call(Scripted::ending(exit).tool(), request, &Control::new()).await;
    let expected = [
        "clamped",
        "output-incomplete",
        "own-signal",
        "unconfirmed-stop",
        "stopped-processes",
        "background-processes",
        "usage",
    ];
    assert_eq!(report.note_codes(), expected);
    let data = |code| {
        report
            .note(code)
            .and_then(|note| note.data.clone())
            .expect("data")
    };
    assert_eq!(
        data("own-signal").to_string(),
        r#"{"signal":"SIGTERM","pid":7}"#
    );
    assert_eq!(
        data("unconfirmed-stop").to_string(),
        r#"{"processes":[{"pid":3,"command":"sudo x","reason":"other-user"}]}"#
    );
    let stopped = data("stopped-processes");
    assert_eq!(stopped["count"], 30);
    let processes = stopped["processes"].as_array().expect("a list");
    assert_eq!(processes.len(), 20);
    let command = processes[0]["command"].as_str().expect("a text");
    assert_eq!(command.chars().count(), 200);
    assert_eq!(processes[0]["state"], "disk-wait");
    assert_eq!(
        report.note("usage").map(|note| note.message.as_str()),
        Some("CPU time: 0.4 s user, 0 s system. Largest process: 1.8 MB.")
    );
}

#[tokio::test]
async fn failed_starts_and_lost_runners() {
    let cases = [
        (StartReason::CwdNotFound, "CWD_NOT_FOUND"),
        (StartReason::CwdNotADirectory, "CWD_NOT_A_DIRECTORY"),
        (StartReason::SpawnFailed, "SPAWN_FAILED"),
    ];
    for (reason, code) in cases {
        let exit = Exit::not_started(reason, Some("no".into()));
        let report = call(Scripted::ending(exit).tool(), one_second(), &Control::new()).await;
        assert_eq!(report.error_code(), (code, "run"));
        assert!(report.run.is_none() && report.request.is_some());
    }
    let mut lost = Exit::default();
    lost.findings.watcher_lost = true;
    for script in [Scripted::ending(lost), Scripted::new(Then::Panic)] {
        let report = call(script.tool(), one_second(), &Control::new()).await;
        assert_eq!(report.error_code(), ("RUNNER_LOST", "run"));
        assert!(report.run.is_some());
        assert_eq!(
            report.text().lines().next(),
            Some("Lost after 0 s. The process tree was stopped.")
        );
    }
}

#[test]
fn a_call_can_move_between_threads() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_time()
        .build();
    let runtime = runtime.expect("a runtime");
    let tool = Scripted::ending(Exit::with_code(0)).tool().build();
    let calling =
        runtime.spawn(async move { tool.call(BashRequest::new("x"), &Control::new()).await });
    let result = runtime.block_on(calling).expect("no panic");
    assert_eq!(result.report.status, bsh::Status::Ok);
}
