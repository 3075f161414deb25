//! `--spill`: every raw byte, whatever is shown.

use std::path::{Path, PathBuf};

use crate::harness::bsh;

#[test]
fn every_raw_byte_is_saved_and_the_gap_says_where() {
    let file = fresh("every-byte").join("out");
    let path = file.to_str().expect("a path of the test");
    let ran = bsh([
        "--spill",
        path,
        "--max-lines",
        "10",
        "seq 3000; printf '\\033[1m\\377'",
    ])
    .run();
    let ran = ran.code(0);
    let gap = format!("[… 2991 lines and 13.9 KB left out, all of it is in {path} …]\n");
    assert!(ran.stdout.contains(&gap), "{ran}");
    let saved = std::fs::read(&file).expect("the file");
    let expected: String = (1..=3000).map(|number| format!("{number}\n")).collect();
    assert_eq!(saved, [expected.as_bytes(), b"\x1b[1m\xff"].concat());
}

#[test]
fn a_folder_gets_a_new_file_each_time() {
    let folder = fresh("new-file");
    let path = folder.to_str().expect("a path of the test");
    let spill_of = || {
        let report = bsh(["--json", "--spill-dir", path, "echo hi"])
            .run()
            .code(0)
            .report();
        PathBuf::from(
            report
                .output
                .and_then(|output| output.spill)
                .expect("a path"),
        )
    };
    let (first, second) = (spill_of(), spill_of());
    assert_ne!(first, second);
    assert_eq!(std::fs::read(first).expect("the file"), b"hi\n");
}

#[test]
fn a_spill_that_cannot_be_written_is_a_note() {
    for target in ["/no/such/folder/file", "/dev/full"] {
        let ran = bsh(["--json", "--spill", target, "echo hi"]).run().code(0);
        let report = ran.report();
        assert_eq!(report.note_codes(), ["spill-failed"], "{ran}");
        let output = report.output.as_ref().expect("it ran");
        assert_eq!(
            (output.head.as_str(), output.spill.as_deref()),
            ("hi\n", None),
            "{ran}"
        );
    }
}

#[test]
fn a_command_that_did_not_start_leaves_no_file() {
    let file = fresh("no-file").join("out");
    let path = file.to_str().expect("a path of the test");
    bsh(["--spill", path, "-C", "/no/such", "true"])
        .run()
        .code(125);
    assert!(!file.exists());
}

/// A fresh folder of this test.
fn fresh(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("spill")
        .join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder of the test");
    folder
}
