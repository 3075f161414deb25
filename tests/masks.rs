//! `--mask` and `--mask-env`: what is secret is in nothing that is printed.

use crate::harness::bsh;

#[test]
fn secrets_are_in_no_string_of_the_report() {
    let args = [
        "--mask",
        "tok-[0-9]+",
        "--mask-env",
        "SECRET",
        "-C",
        "/",
        "echo tok-12; echo $SECRET; exit 1",
    ];
    let json = bsh([&["--json"], args.as_slice()].concat())
        .env("SECRET", "hunter22")
        .run()
        .code(1);
    assert!(
        !json.stdout.contains("tok-12") && !json.stdout.contains("hunter22"),
        "{json}"
    );
    let report = json.report();
    assert_eq!(
        report.output.map(|output| output.head).as_deref(),
        Some("***\n***\n")
    );
    assert_eq!(
        report.run.map(|run| run.command).as_deref(),
        Some("echo ***; echo $SECRET; exit 1")
    );
    let text = bsh(args).env("SECRET", "hunter22").run().code(1);
    text.prints("Exit code 1 · 0 s\n***\n***\n");
}

#[test]
fn masks_that_cannot_be_used() {
    let refused = |args: &[&str], sentence: &str| {
        let ran = bsh([args, &["touch RAN"]].concat())
            .env("SHORT", "abc")
            .run()
            .code(125);
        assert!(ran.stderr.starts_with(&format!("bsh: {sentence}")), "{ran}");
        assert_eq!(ran.stderr.lines().count(), 1, "{ran}");
    };
    refused(&["--mask", "("], "--mask: mask pattern 1 cannot be used: ");
    refused(
        &["--mask-env", "NO_SUCH_VARIABLE"],
        "--mask-env: NO_SUCH_VARIABLE is not set\n",
    );
    refused(
        &["--mask-env", "SHORT"],
        "--mask-env: SHORT has a value of less than four bytes\n",
    );
}
