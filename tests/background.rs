//! A process that outlives its shell: named, kept or ended, and never waited for.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::harness::Mirror;
use crate::harness::bsh;

/// The processes that the note names.
fn named(report: &Mirror) -> Vec<Value> {
    let note = report.note("background-processes").expect("the note");
    let data = note.data.as_ref().expect("its data");
    data["processes"].as_array().expect("a list").clone()
}

/// Ends a process that a test has left running on purpose. It is still there: nobody but its end frees its pid.
fn end(process: &Value) {
    let pid = process["pid"].as_i64().expect("a pid");
    let pid = Pid::from_raw(i32::try_from(pid).expect("a pid"));
    kill(pid, Signal::SIGKILL).expect("it goes on running");
}

#[test]
fn one_that_holds_the_output_is_named_and_goes_on() {
    for line in ["sleep 97 & echo done", "setsid sleep 97 & echo done"] {
        let ran = bsh(["--json", "-t", "50s", line]).run().code(0);
        let report = ran.report();
        assert_eq!(
            report.output.as_ref().map(|output| output.head.as_str()),
            Some("done\n")
        );
        let processes = named(&report);
        assert_eq!(processes.len(), 1, "{ran}");
        assert_eq!(processes[0]["holdsOutput"], true, "{ran}");
        end(&processes[0]);
    }
}

#[test]
fn one_that_holds_no_output_is_named_too() {
    let lines = [
        "sleep 98 >/dev/null 2>&1 </dev/null & echo done",
        "nohup sleep 98 >/dev/null 2>&1 & disown; echo done",
        // An orphan in a session of its own; the shell waits for all that ends by itself.
        "(setsid sh -c 'sleep 98 & :' >/dev/null 2>&1); echo done",
    ];
    for line in lines {
        let ran = bsh(["--json", "-t", "50s", line]).run().code(0);
        let processes = named(&ran.report());
        assert_eq!(
            processes.last().map(|one| &one["holdsOutput"]),
            Some(&Value::Bool(false)),
            "{ran}"
        );
        processes.iter().for_each(end);
    }
}

#[test]
fn ended_when_that_was_asked_for() {
    let args = [
        "--json",
        "--background",
        "stop",
        "-t",
        "50s",
        "sleep 96 & echo done; exit 3",
    ];
    let ran = bsh(args).run().code(3);
    let report = ran.report();
    assert_eq!(report.status, "failed");
    assert!(
        !report.run.as_ref().expect("it ran").unconfirmed_stop,
        "{ran}"
    );
    assert!(report.note("background-processes").is_none(), "{ran}");
}

#[test]
fn usage_is_told_beside_it() {
    let ran = bsh(["--json", "--usage", "sleep 95 >/dev/null 2>&1 & exit 0"])
        .run()
        .code(0);
    let report = ran.report();
    assert_eq!(
        report.note_codes(),
        ["background-processes", "usage"],
        "{ran}"
    );
    named(&report).iter().for_each(end);
}

#[test]
fn zombies_are_reaped_while_the_command_runs() {
    // Each orphan comes to the watcher. The last word counts the zombies that it has.
    let line = "for i in $(seq 100); do (setsid sh -c ':' &); done; \
                for try in $(seq 200); do read -r left < <(ps -o stat= --ppid $PPID | grep -c Z); \
                [ \"$left\" = 0 ] && break; done; echo \"$left\"";
    let ran = bsh(["--view", "-t", "50s", line]).run().code(0);
    assert!(ran.stdout.ends_with("\n0\n"), "{ran}");
}
