//! The limits of the command line and of the environment.

use crate::harness::bsh;

#[test]
fn variables_set_limits_and_a_flag_wins() {
    let timeout_of = |args: &[&str]| {
        let ran = bsh(args)
            .env("BSH_DEFAULT_TIMEOUT", "7s")
            .env("BSH_MAX_LINES", "")
            .run();
        ran.code(0).report().run.expect("it ran").timeout_ms
    };
    assert_eq!(timeout_of(&["--json", "true"]), 7_000);
    assert_eq!(
        timeout_of(&["--json", "--default-timeout", "8s", "true"]),
        8_000
    );
    assert_eq!(timeout_of(&["--json", "-t", "9s", "true"]), 9_000);
}

#[test]
fn an_invalid_variable_is_named() {
    let ran = bsh(["true"]).env("BSH_MAX_CAPTURE", "much").run().code(125);
    ran.complains("bsh: BSH_MAX_CAPTURE: much is not a size over 0 such as 30000, 30kB or 10MiB\n");
}

#[test]
fn a_default_above_a_maximum_that_was_set_is_lowered() {
    let ran = bsh(["--json", "--max-timeout", "1s", "true"]).run().code(0);
    let report = ran.report();
    assert_eq!(report.run.as_ref().map(|run| run.timeout_ms), Some(1_000));
    assert!(report.notes.is_empty(), "{ran}");
}

#[test]
fn exactly_the_cap_is_not_over_it() {
    let all = bsh(["--json", "--max-capture", "10", "printf 1234567890"])
        .run()
        .code(0)
        .report();
    assert_eq!(all.output.map(|output| output.total_bytes), Some(10));
    let over = bsh(["--json", "--max-capture", "9", "printf 1234567890"])
        .run()
        .code(125)
        .report();
    assert_eq!(over.error_code(), ("OUTPUT_CAP", "run"));
    assert_eq!(
        over.run.as_ref().and_then(|run| run.stopped_by.as_deref()),
        Some("output-cap")
    );
    assert_eq!(
        over.output.map(|output| (output.total_bytes, output.head)),
        Some((9, "123456789".into()))
    );
}
