//! Programs as hooks: what they are told, what they may answer, and what becomes of those that fail.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::harness::bsh;
use crate::harness::script::{folder, script};

fn path(path: &Path) -> &str {
    path.to_str().expect("a path of the test")
}

/// A hook that keeps its question in a file, and answers this.
fn keeps(name: &str, answer: &Value) -> (std::path::PathBuf, std::path::PathBuf) {
    let kept = folder(&format!("{name}-kept")).join("question");
    let text = format!(
        "#!/bin/sh\ncat > '{}'\ncat <<'END'\n{answer}\nEND\n",
        kept.display()
    );
    (script(name, &text), kept)
}

fn read(file: &Path) -> Value {
    let text = std::fs::read_to_string(file).expect("the question");
    serde_json::from_str(&text).expect("one JSON object")
}

#[test]
fn each_hook_is_told_what_it_needs_and_its_answer_counts() {
    let note = json!({ "code": "seen", "severity": "info", "message": "looked at it" });
    let (first, first_kept) = keeps(
        "before-1",
        &json!({ "allow": true, "command": "echo two", "notes": [note] }),
    );
    let (second, second_kept) = keeps(
        "before-2",
        &json!({ "allow": true, "command": "echo two; echo more" }),
    );
    let (judge, judge_kept) = keeps("judge", &json!({ "allow": true }));
    let changed = json!({
        "head": "changed\n", "tail": null, "totalBytes": 9, "totalLines": 1, "omittedBytes": 0,
        "omittedLines": 0, "stdoutBytes": 9, "stderrBytes": 0, "spill": null
    });
    let (after, after_kept) = keeps("after-1", &json!({ "output": changed }));
    let (last, last_kept) = keeps("after-2", &json!({ "notes": [] }));
    let here = folder("hook-folder");
    std::fs::create_dir(here.join("sub")).expect("a folder");
    let ran = bsh([
        "--json",
        "-t",
        "9s",
        "-C",
        "sub",
        "--before-run",
        path(&first),
        "--before-run",
        path(&second),
        "--authorize",
        path(&judge),
        "--after-run",
        path(&after),
        "--after-run",
        path(&last),
        "echo one",
    ])
    .folder(&here)
    .run()
    .code(0);
    let report = ran.report();
    let sub = here.join("sub");
    let request = json!({ "command": "echo one", "timeoutMs": 9000, "cwd": "sub" });
    let planned =
        |command: &str| json!({ "command": command, "cwd": path(&sub), "timeoutMs": 9000 });
    assert_eq!(
        read(&first_kept),
        json!({ "hook": "beforeRun", "request": request, "run": planned("echo one") })
    );
    assert_eq!(read(&second_kept)["run"], planned("echo two"));
    assert_eq!(
        read(&judge_kept),
        json!({
            "hook": "authorize", "request": request, "run": planned("echo two; echo more"),
            "displayPath": "sub"
        })
    );
    let asked = read(&after_kept);
    let keys: Vec<&String> = asked.as_object().expect("an object").keys().collect();
    assert_eq!(
        keys,
        ["hook", "request", "run", "status", "output", "notes"]
    );
    assert_eq!(asked["hook"], "afterRun");
    assert_eq!(asked["status"], "ok");
    assert_eq!(asked["run"]["exitCode"], 0);
    assert_eq!(asked["output"]["head"], "two\nmore\n");
    assert_eq!(asked["notes"], json!([note]));
    assert_eq!(read(&last_kept)["output"], changed);
    assert_eq!(report.status, "ok");
    assert_eq!(
        report.output.as_ref().map(|it| it.head.as_str()),
        Some("changed\n")
    );
    assert!(report.notes.is_empty(), "{ran}");
}

#[test]
fn refusals_are_no_failures() {
    let note = json!({ "code": "no-rm", "severity": "info", "message": "rm is not for you", "data": { "word": "rm" } });
    let (refuses, _) = keeps("refuses", &json!({ "allow": false, "note": note }));
    for (flag, error) in [
        ("--before-run", ("REFUSED", "beforeRun")),
        ("--authorize", ("DENIED", "authorize")),
    ] {
        let ran = bsh(["--json", flag, path(&refuses), "touch never"])
            .run()
            .code(125);
        let report = ran.report();
        assert_eq!(report.error_code(), error, "{ran}");
        assert_eq!(report.note_codes(), ["no-rm"], "{ran}");
        assert!(report.run.is_none());
    }
}

#[test]
fn every_failure_names_its_phase_and_what_was_expected() {
    let megabyte = "head -c 1100000 /dev/zero | tr '\\0' ' '; echo '{}'";
    let cases = [
        ("exit 3", "ended with exit code 3. Expected 0"),
        ("kill -9 $$", "was ended by SIGKILL. Expected exit code 0"),
        ("true", "answered nothing. Expected {"),
        (
            "echo nonsense",
            "its answer is not valid JSON: expected ident at line 1 column 2. Expected {",
        ),
        (
            "echo '{\"allow\":1,\"notes\":[]}'",
            "its answer is not as expected: ",
        ),
        (
            "echo '{\"allow\":true}{}'; echo '{\"output\":3}'",
            "its answer is ",
        ),
        (
            megabyte,
            "its answer is over 1 MiB, so it was stopped. Expected one JSON object",
        ),
        (
            "sleep 1000",
            "did not end within 0.3 s, so it was stopped. Expected an answer and exit code 0",
        ),
    ];
    for (index, (body, sentence)) in cases.into_iter().enumerate() {
        let hook = script(&format!("fails-{index}"), &format!("#!/bin/sh\n{body}\n"));
        for (flag, phase) in [
            ("--before-run", "beforeRun"),
            ("--authorize", "authorize"),
            ("--after-run", "afterRun"),
        ] {
            let timeout = if body.starts_with("sleep") {
                "300ms"
            } else {
                "60s"
            };
            let line = [
                "--json",
                "--hook-timeout",
                timeout,
                flag,
                path(&hook),
                "echo kept",
            ];
            let ran = bsh(line).run().code(125);
            let report = ran.report();
            assert_eq!(report.error_code(), ("EXTENSION_FAILED", phase), "{ran}");
            let message = report.error.as_ref().map(|error| error.message.as_str());
            assert!(
                message.is_some_and(|message| message.contains(sentence)),
                "{ran}"
            );
            let head = report.output.as_ref().map(|output| output.head.as_str());
            assert_eq!(head, (phase == "afterRun").then_some("kept\n"), "{ran}");
        }
    }
}

#[test]
fn a_hook_that_cannot_be_started_is_refused_before_anything_runs() {
    let here = folder("no-hooks");
    std::fs::write(here.join("plain"), "#!/bin/sh\n").expect("a file");
    let no_line = script("no-line", "echo '{}'\n");
    let no_interpreter = script("no-interpreter", "#!/no/such/shell\n");
    let cases = [
        ("./missing".to_owned(), "there is no such file"),
        (path(&here).to_owned(), "it is a folder"),
        ("./plain".to_owned(), "it may not be executed"),
        (
            path(&no_line).to_owned(),
            "it is a script without a first line such as #!/bin/sh",
        ),
        (
            path(&no_interpreter).to_owned(),
            "its interpreter /no/such/shell is missing",
        ),
    ];
    for (hook, reason) in cases {
        for flag in ["--before-run", "--authorize", "--after-run"] {
            let ran = bsh([flag, &hook, "touch ran"])
                .folder(&here)
                .run()
                .code(125);
            ran.complains(&format!(
                "bsh: {flag}: {hook} cannot be started: {reason}\n"
            ));
        }
    }
    assert!(!here.join("ran").exists());
}

#[test]
fn standard_error_of_a_hook_is_shown_and_input_that_it_leaves_hangs_nothing() {
    let hook = script(
        "talks",
        "#!/bin/sh\necho 'asked you know who' >&2\necho '{\"allow\":true}'\n",
    );
    let long = format!("true # {}", "x".repeat(300_000));
    let request = json!({ "command": long }).to_string();
    let ran = bsh(["--view", "--before-run", path(&hook), "--request", "-"])
        .stdin(request)
        .run()
        .code(0);
    ran.prints("Exit code 0 · 0 s\n(no output)\n")
        .complains("asked you know who\n");
}

/// A hook that says it is ready on a pipe that its whole tree holds, a child in a session of its own too.
fn waits(name: &str) -> (std::path::PathBuf, std::path::PathBuf) {
    let fifo = folder(&format!("{name}-pipe")).join("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).expect("a pipe with a name");
    let text = format!(
        "#!/bin/sh\nexec 9>'{}'\nsetsid sleep 1000 &\necho ready >&9\nwait\n",
        fifo.display()
    );
    (script(name, &text), fifo)
}

#[test]
fn an_abort_reaches_a_hook_in_its_phase_and_leaves_nothing() {
    for (flag, phase) in [
        ("--before-run", "beforeRun"),
        ("--authorize", "authorize"),
        ("--after-run", "afterRun"),
    ] {
        let (hook, fifo) = waits(&format!("waits{flag}"));
        let running = bsh(["--json", flag, path(&hook), "echo kept"]).start();
        let mut pipe = File::open(&fifo).expect("the hook opens the other end");
        let mut ready = [0; 6];
        pipe.read_exact(&mut ready).expect("the hook is ready");
        running.signal(Signal::SIGTERM);
        let ran = running.end().signal(Signal::SIGTERM);
        // bsh ends only when the whole tree of the hook is gone, so nothing holds the pipe any more.
        let flags = nix::fcntl::OFlag::O_NONBLOCK;
        nix::fcntl::fcntl(&pipe, nix::fcntl::FcntlArg::F_SETFL(flags)).expect("a flag");
        let mut rest = Vec::new();
        pipe.read_to_end(&mut rest).expect("the end of the pipe");
        let report = ran.report();
        assert_eq!(report.error_code(), ("ABORTED", phase), "{ran}");
        assert_eq!(report.output.is_some(), phase == "afterRun", "{ran}");
    }
}

#[test]
fn a_hook_that_is_too_slow_is_stopped_with_its_whole_tree() {
    let (hook, fifo) = waits("too-slow");
    let line = [
        "--json",
        "--hook-timeout",
        "500ms",
        "--authorize",
        path(&hook),
        "true",
    ];
    let running = bsh(line).start();
    let mut pipe = File::open(&fifo).expect("the hook opens the other end");
    let ran = running.end().code(125);
    assert_eq!(
        ran.report().error_code(),
        ("EXTENSION_FAILED", "authorize"),
        "{ran}"
    );
    let mut rest = Vec::new();
    pipe.read_to_end(&mut rest).expect("the pipe can be read");
}

#[test]
fn counts_that_contradict_each_other_are_nonsense() {
    let output = json!({
        "head": "", "tail": null, "totalBytes": 9, "totalLines": 1, "omittedBytes": 0,
        "omittedLines": 0, "stdoutBytes": 1, "stderrBytes": 0, "spill": null
    });
    let (hook, _) = keeps("contradicts", &json!({ "output": output }));
    let ran = bsh(["--json", "--after-run", path(&hook), "echo kept"])
        .run()
        .code(125);
    let report = ran.report();
    assert_eq!(
        report.error_code(),
        ("EXTENSION_FAILED", "afterRun"),
        "{ran}"
    );
    assert_eq!(
        report.output.map(|it| it.head),
        Some("kept\n".to_owned()),
        "what is known is kept"
    );
}
