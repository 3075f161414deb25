//! `--mask` and `--mask-env`: nothing that is printed has the secret.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::harness::bsh;
use crate::harness::script::{folder, script};

const SECRET: &str = "hunter2-hunter2";

#[test]
fn every_string_of_a_report_is_masked() {
    let here = folder(&format!("in-{SECRET}"));
    let command = format!(
        "echo {SECRET}; echo error: {SECRET} >&2; printf hun; echo ter2-hunter2; sh -c 'sleep 1000; true' x {SECRET}"
    );
    let cases: [&[&str]; 3] = [
        &["--json", "--mask", "hunter2-h[a-z]+2"],
        &["--json", "--mask-env", "SECRET"],
        &["--events", "--mask-env", "SECRET"],
    ];
    for masks in cases {
        let cwd = here.to_str().expect("a path of the test");
        let line = [masks, &["-t", "700ms", "-C", cwd, &command]].concat();
        let ran = bsh(line).env("SECRET", SECRET).run().code(124);
        assert!(!ran.stdout.contains(SECRET), "{ran}");
        for line in ran.stdout.lines() {
            let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
            if let Some(bytes) = value["b64"].as_str() {
                let bytes = STANDARD.decode(bytes).expect("base64");
                let text = String::from_utf8(bytes).expect("text");
                assert!(!text.contains(SECRET), "{text}");
            }
        }
        if masks.first() == Some(&"--json") {
            let report = ran.report();
            let run = report.run.as_ref().expect("it ran");
            assert!(run.cwd.ends_with("in-***"), "{ran}");
            let head = report.output.as_ref().map(|output| output.head.as_str());
            assert_eq!(head, Some("***\nerror: ***\n***\n"), "{ran}");
            let stopped = report.note("stopped-processes").expect("a note");
            assert!(stopped.message.contains("sleep 1000; true x ***"), "{ran}");
        }
    }
}

#[test]
fn a_secret_that_is_cut_off_in_a_list_of_processes_leaves_no_part_of_itself() {
    // The secret begins before the 200th character and ends after it.
    let padding = "x".repeat(165);
    let command = format!("sh -c 'sleep 1000; true' {padding} {SECRET}");
    let line = [
        "--json",
        "-t",
        "500ms",
        "--mask",
        "hunter2-hunter2",
        &command,
    ];
    let ran = bsh(line).run().code(124);
    assert!(!ran.stdout.contains("hunter"), "{ran}");
}

#[test]
fn hooks_see_what_is_hidden_and_the_spill_keeps_it() {
    let here = folder("mask-hooks");
    let kept = here.join("kept");
    let spill = here.join("spill");
    let text = format!(
        "#!/bin/sh\ncat > '{}'\necho {SECRET} >&2\necho '{{}}'\n",
        kept.display()
    );
    let hook = script("keeps-all", &text);
    let [hook, spill] = [&hook, &spill].map(|path| path.to_str().expect("a path of the test"));
    let command = format!("echo {SECRET}; exit 3");
    let line = [
        "--json",
        "--mask",
        SECRET,
        "--spill",
        spill,
        "--after-run",
        hook,
        &command,
    ];
    let ran = bsh(line).run().code(3);
    assert!(!ran.stdout.contains(SECRET), "{ran}");
    assert_eq!(ran.stderr, "***\n", "{ran}");
    let head = ran.report().output.map(|output| output.head);
    assert_eq!(head.as_deref(), Some("***\n"));
    let question = std::fs::read_to_string(kept).expect("the question");
    let question: serde_json::Value = serde_json::from_str(&question).expect("JSON");
    assert_eq!(question["output"]["head"], format!("{SECRET}\n"));
    assert_eq!(question["request"]["command"], command);
    let saved = std::fs::read_to_string(spill).expect("the spill");
    assert_eq!(saved, format!("{SECRET}\n"));
}

#[test]
fn a_sentence_about_a_wrong_flag_is_masked() {
    let line = ["--mask", SECRET, "--background", SECRET, "true"];
    let ran = bsh(line).run().code(125);
    ran.complains("bsh: --background: *** is unknown. Expected keep or stop\n");
}

#[test]
fn a_flag_that_is_not_understood_shows_no_secret() {
    for args in [
        &["--mask", "hunter2", "-c", "echo hunter2"][..],
        &["--mask", "hunter2", "--hunter2", "x"],
        &["--hunter2", "--mask=hunter2", "x"],
        &["--mask-env", "SECRET", "--hunter2", "x"],
        &["--mask", "hunter2", "-lc", "echo hunter2"],
    ] {
        let ran = bsh(args).env("SECRET", "hunter2").run().code(125);
        assert!(!ran.stderr.contains("hunter2"), "{ran}");
        assert!(ran.stderr.contains("***"), "{ran}");
    }
}

#[test]
fn a_mask_that_would_hide_nothing_is_refused() {
    for pattern in ["", "^", "x*", "a|"] {
        let ran = bsh(["--mask", pattern, "echo hi"]).run().code(125);
        assert!(ran.stderr.contains("needs a character"), "{ran}");
    }
}
