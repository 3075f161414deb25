//! A command is tied to no thread of its host: threads come and go while it runs.

use std::sync::Arc;

use bsh::runner::local::{LocalRunner, LocalSettings};
use bsh::{BashRequest, BashTool, Control, ShellResult};
use tokio::runtime::{self, Runtime};
use tokio::sync::oneshot;

use crate::harness::bsh;
use crate::harness::gate::Gate;
use crate::harness::process::GUARD;

#[test]
fn the_thread_that_began_a_call_may_end_before_it() {
    let runtime = runtime::Builder::new_multi_thread().enable_time().build();
    let runtime = runtime.expect("a runtime");
    let gate = Arc::new(Gate::new("first-thread"));
    let tool = BashTool::new(LocalRunner::new(LocalSettings::default()));
    let control = Control::new();
    let command = format!("{}; echo survived", gate.pass());
    let request = BashRequest::new(command).with_timeout(GUARD);
    let call = Box::pin(tool.call(request, &control));
    // A thread takes the call as far as a command that runs, and ends.
    let call = std::thread::scope(|scope| {
        let first = scope.spawn(|| begin(&runtime, call, Arc::clone(&gate)));
        first.join().expect("no panic")
    });
    gate.open();
    let report = runtime.block_on(call).report;
    let output = report.output.as_ref().expect("it ran");
    assert_eq!(output.head, "survived\n", "{report:?}");
    assert_eq!(report.status, bsh::Status::Ok, "{report:?}");
}

/// Drives a call until its command stands at the gate.
fn begin<F: Future<Output = ShellResult> + Unpin>(
    runtime: &Runtime,
    mut call: F,
    gate: Arc<Gate>,
) -> F {
    let (at_gate, stands) = oneshot::channel();
    std::thread::spawn(move || {
        gate.await_ready();
        at_gate.send(())
    });
    runtime.block_on(async {
        tokio::select! {
            result = &mut call => panic!("it ended: {result:?}"),
            stood = stands => stood.expect("it stands"),
        }
    });
    call
}

#[test]
fn a_command_survives_the_threads_of_bsh() {
    // Output in bulk gives the run another thread; then the command is silent for as long as it likes.
    let gate = Gate::new("threads-of-bsh");
    let line = format!("seq 300000; {}; seq 300000; echo survived", gate.pass());
    let running = bsh(["--json", "-t", "10m", &line]).start();
    gate.await_ready();
    gate.open();
    let report = running.end().code(0).report();
    let output = report.output.expect("it ran");
    assert_eq!(output.total_lines, 600_001);
    assert!(
        output
            .tail
            .is_some_and(|tail| tail.ends_with("\nsurvived\n"))
    );
}
