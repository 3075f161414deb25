//! Every error code, as the binary reports it: code, phase, exit code, and what is null.

use crate::harness::bsh;

#[test]
fn error_codes() {
    // (arguments, code, phase, whether it ran)
    let cases: &[(&[&str], &str, &str, bool)] = &[
        (&[""], "INVALID_INPUT", "input", false),
        (&["-C", "/no/such", "true"], "CWD_NOT_FOUND", "run", false),
        (
            &["-C", "/etc/passwd", "true"],
            "CWD_NOT_A_DIRECTORY",
            "run",
            false,
        ),
        (
            &["--shell", "/no/such/shell", "true"],
            "SPAWN_FAILED",
            "run",
            false,
        ),
        (
            &["--shell", "/etc/passwd", "true"],
            "SPAWN_FAILED",
            "run",
            false,
        ),
        (&["--max-capture", "10", "yes"], "OUTPUT_CAP", "run", true),
    ];
    for (args, code, phase, started) in cases {
        let ran = bsh([&["--json"], *args].concat())
            .run()
            .code(125)
            .complains("");
        let report = ran.report();
        assert_eq!(report.status, "error", "{ran}");
        assert_eq!(report.error_code(), (*code, *phase), "{ran}");
        assert_eq!(report.run.is_some(), *started, "{ran}");
        let note = report.notes.last().expect("the note of the error");
        assert_eq!(note.code, code.to_lowercase().replace('_', "-"), "{ran}");
        assert!(report.text().ends_with(&note.message), "{ran}");
    }
}
