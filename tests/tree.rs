//! Nothing of a command is ever left behind, whatever its tree looks like and however it is stopped.

use nix::sys::signal::Signal;

use crate::harness::process::bsh_under;
use crate::harness::tree::{Tree, command};

/// How a run is stopped.
#[derive(Debug, Clone, Copy)]
enum Stop {
    Timeout,
    Abort(Signal),
    OutputCap,
    /// SIGKILL of bsh itself.
    Kill,
}

const ALL: [Stop; 7] = [
    Stop::Timeout,
    Stop::Abort(Signal::SIGTERM),
    Stop::Abort(Signal::SIGINT),
    Stop::Abort(Signal::SIGHUP),
    Stop::Abort(Signal::SIGQUIT),
    Stop::OutputCap,
    Stop::Kill,
];

/// Builds the tree anew for each way to stop it, and sees it gone, and said so.
fn stops(name: &str, line: &str, count: usize) {
    for stop in ALL {
        stop_one(&format!("{name}-{stop:?}"), line, count, stop);
    }
}

fn stop_one(name: &str, line: &str, count: usize, stop: Stop) {
    let name: String = name
        .chars()
        .filter(|letter| letter.is_alphanumeric() || *letter == '-')
        .collect();
    let timeout = if matches!(stop, Stop::Timeout) {
        "700ms"
    } else {
        "100s"
    };
    let args = [
        "--json",
        "-k",
        "150ms",
        "--max-capture",
        "200kB",
        "-t",
        timeout,
    ];
    if matches!(stop, Stop::Timeout) {
        // The clock may be faster than the tree: whatever stands by then has to go.
        let tree = Tree::start(&name, &args, line, 0);
        let ran = tree.gone().end().code(124);
        let report = ran.report();
        assert_eq!(report.status, "timeout", "{ran}");
        let run = report.run.as_ref().expect("it ran");
        assert!(!run.unconfirmed_stop && run.duration_ms >= 700, "{ran}");
        assert!(report.note("stopped-processes").is_some(), "{ran}");
        return;
    }
    let mut tree = Tree::start(&name, &args, line, count);
    match stop {
        Stop::Abort(signal) => tree.running.signal(signal),
        Stop::Kill => tree.running.signal(Signal::SIGKILL),
        Stop::OutputCap => tree.go(),
        Stop::Timeout => {}
    }
    let ran = tree.gone().end();
    match stop {
        Stop::Abort(signal) => {
            let ran = ran.signal(signal);
            let report = ran.report();
            assert_eq!(report.error_code(), ("ABORTED", "run"), "{ran}");
            assert!(
                !report.run.as_ref().expect("it ran").unconfirmed_stop,
                "{ran}"
            );
            assert!(report.note("stopped-processes").is_some(), "{ran}");
        }
        Stop::OutputCap => {
            let report = ran.report();
            assert_eq!(report.error_code(), ("OUTPUT_CAP", "run"), "{ran}");
            assert!(
                !report.run.as_ref().expect("it ran").unconfirmed_stop,
                "{ran}"
            );
        }
        Stop::Kill => {
            let ran = ran.signal(Signal::SIGKILL);
            assert!(ran.stdout.is_empty(), "{ran}");
        }
        Stop::Timeout => {}
    }
}

#[test]
fn a_child_in_the_background() {
    stops("child", "\"$member\" hang &", 1);
}

#[test]
fn a_grandchild() {
    stops("grandchild", "\"$member\" chain 2 hang &", 1);
}

#[test]
fn a_session_of_its_own() {
    stops("session", "\"$member\" session hang &", 1);
}

#[test]
fn a_group_of_its_own() {
    stops(
        "group",
        "\"$member\" group hang & set -m; \"$member\" hang &",
        2,
    );
}

#[test]
fn a_daemon_that_is_nobodys_child() {
    stops("daemon", "\"$member\" session orphan orphan hang", 1);
}

#[test]
fn nohup_and_disown() {
    stops(
        "nohup",
        "nohup \"$member\" hang >/dev/null 2>&1 & disown -a",
        1,
    );
}

#[test]
fn signals_ignored_by_the_leader() {
    stops("leader", "trap '' TERM INT HUP QUIT; \"$member\" hang &", 1);
}

#[test]
fn signals_ignored_by_a_member() {
    stops("ignoring", "\"$member\" ignore hang &", 1);
}

#[test]
fn signals_ignored_by_a_daemon() {
    stops(
        "ignoring-daemon",
        "\"$member\" session orphan ignore hang",
        1,
    );
}

#[test]
fn a_stopped_process() {
    stops("stopped", "\"$member\" stop &", 1);
}

#[test]
fn a_stopped_session() {
    stops("stopped-session", "\"$member\" session chain 1 stop &", 1);
}

#[test]
fn a_process_that_respawns_itself() {
    stops("respawn", "\"$member\" respawn &", 1);
}

#[test]
fn names_with_spaces_brackets_and_newlines() {
    stops(
        "names",
        "\"$member\" name ') S 1 (' hang & \"$member\" name $'a\\nb' hang &",
        2,
    );
}

#[test]
fn a_chain_of_sixty() {
    stops("chain", "\"$member\" chain 60 hang &", 1);
}

#[test]
fn two_hundred_children() {
    stops("children", "\"$member\" times 200 hang &", 200);
}

#[test]
fn a_hundred_sessions_of_three() {
    stops(
        "sessions",
        "\"$member\" times 100 session chain 2 hang &",
        100,
    );
}

#[test]
fn two_thousand_children() {
    let line = "\"$member\" times 2000 hang &";
    stop_one("crowd-abort", line, 2000, Stop::Abort(Signal::SIGTERM));
    stop_one("crowd-kill", line, 2000, Stop::Kill);
}

#[test]
fn killed_by_name() {
    // What `killall -9 NAME` and `pkill -9 -x NAME` do: whoever has the name, all in one moment. It is a name of
    // this test, so that nobody else has it.
    let name = format!("named-{}", std::process::id());
    let link = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(&name);
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_bsh"), &link).expect("a link");
    let script = format!("exec '{}' \"$@\"", link.display());
    let lines = [
        ("child", "\"$member\" hang &", 1),
        ("ignoring", "\"$member\" session ignore hang &", 1),
        ("daemon", "\"$member\" session orphan orphan ignore hang", 1),
        ("stopped", "\"$member\" session chain 1 stop &", 1),
        ("respawn", "\"$member\" respawn &", 1),
        (
            "children",
            "trap '' TERM; \"$member\" times 100 hang &",
            100,
        ),
    ];
    for (tree, line, count) in lines {
        let (line, ready, go) = command(&format!("killed-by-name-{tree}"), line);
        let args = ["--json", "-k", "150ms", "--", &line];
        let bsh = bsh_under(&["bash", "-c", &script], args);
        let tree = Tree::of(bsh, &ready, &go, count);
        let named = processes_named(&name);
        let bsh = tree.running.child.id() as i32;
        assert!(named.iter().any(|pid| pid.as_raw() == bsh), "{named:?}");
        for pid in named {
            // One may have gone with another.
            let _ = nix::sys::signal::kill(pid, Signal::SIGKILL);
        }
        let ran = tree.gone().end().signal(Signal::SIGKILL);
        assert!(ran.stdout.is_empty(), "{ran}");
    }
    std::fs::remove_file(&link).expect("the link is there");
}

/// All processes that have this name.
fn processes_named(name: &str) -> Vec<nix::unistd::Pid> {
    let all = std::fs::read_dir("/proc").expect("/proc is there");
    all.filter_map(|entry| {
        let entry = entry.ok()?;
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let comm = std::fs::read_to_string(entry.path().join("comm")).ok()?;
        (comm.trim_end() == name).then(|| nix::unistd::Pid::from_raw(pid))
    })
    .collect()
}
