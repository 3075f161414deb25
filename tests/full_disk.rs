//! A disk that is full: the command goes on undisturbed, and what could not be saved is said.
//!
//! The disk is a small tmpfs in a mount namespace of its own, so it is gone with the last process of the test,
//! however the test ends.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::harness::process::{Ran, bsh_under};
use crate::harness::script::folder;
use crate::harness::tools::skip;

/// What the disk holds.
const SIZE: usize = 256 * 1024;

/// A disk of its own for a test.
struct SmallDisk {
    folder: PathBuf,
    mount: String,
}

impl SmallDisk {
    /// None, and a word about it, where nothing may be mounted.
    fn new(test: &str) -> Option<Self> {
        Self::with(test, &format!("size={SIZE}"))
    }

    fn with(test: &str, options: &str) -> Option<Self> {
        let folder = folder(test);
        let path = folder.display();
        let mount = format!("mount -t tmpfs -o {options} none '{path}' && cd '{path}'");
        let disk = Self { folder, mount };
        let tried = Command::new("unshare")
            .args(&disk.words("true")[1..])
            .arg("true")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        match tried {
            Ok(status) if status.success() => Some(disk),
            _ => {
                skip(test, "nothing can be mounted here");
                None
            }
        }
    }

    /// The words that mount it and run a line of bash there, to which what follows are `$0`, `$1`…
    fn words(&self, line: &str) -> [String; 5] {
        // Whoever is not root is root in a namespace of its own, where that is allowed.
        let flags = match nix::unistd::geteuid().is_root() {
            true => "-m",
            false => "-Urm",
        };
        let line = format!("{} || exit 99; {line}", self.mount);
        [
            "unshare".to_owned(),
            flags.into(),
            "bash".into(),
            "-c".into(),
            line,
        ]
    }

    fn path(&self) -> &str {
        self.folder.to_str().expect("UTF-8")
    }

    /// Runs `bsh` by a line of bash: `"$0" "$@"` is `bsh` and its arguments.
    fn run(&self, line: &str, args: &[&str]) -> Ran {
        let words = self.words(line);
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        bsh_under(&words, args).run()
    }
}

/// Runs `bsh`, then prints how many bytes were saved on standard error.
const AND_LOOK: &str = "\"$0\" \"$@\"; code=$?; cat ./* | wc -c >&2; exit $code";

/// A line that fills the disk to the last byte, and one file more is there to write to.
const FILLED: &str = ": >report && ! cat /dev/zero >filled 2>/dev/null || exit 99;";

/// The report of a command whose output found no room.
#[track_caller]
fn not_saved(ran: &Ran, detail: &str) -> crate::harness::Mirror {
    let report = ran.report();
    let note = report.note("spill-failed");
    let data = note.and_then(|note| note.data.clone()).expect("its data");
    assert_eq!(data["detail"], detail, "{ran}");
    assert_eq!(report.output.as_ref().expect("it ran").spill, None, "{ran}");
    report
}

const FULL: &str = "No space left on device; what was saved is incomplete";

#[test]
fn the_command_and_its_report_are_whole_without_room_for_the_output() {
    let Some(disk) = SmallDisk::new("full-spill") else {
        return;
    };
    let file = format!("{}/out", disk.path());
    for spill in [["--spill", &file], ["--spill-dir", disk.path()]] {
        let line = "seq 200000; exit 3";
        let ran = disk.run(AND_LOOK, &[&["--json"], &spill[..], &[line]].concat());
        let ran = ran.code(3).complains(&format!("{SIZE}\n"));
        let report = not_saved(&ran, FULL);
        assert_eq!(report.status, "failed", "{ran}");
        assert_eq!(report.note_codes(), ["spill-failed"], "{ran}");
        let output = report.output.expect("it ran");
        assert!(output.head.starts_with("1\n2\n3\n"), "{}", output.head);
        let tail = output.tail.expect("a part was left out");
        assert!(tail.ends_with("199999\n200000\n"), "{tail}");
        assert_eq!(output.total_lines, 200_000);
    }
}

#[test]
fn an_endless_command_is_stopped_at_its_cap_all_the_same() {
    let Some(disk) = SmallDisk::new("full-endless") else {
        return;
    };
    let args = ["--json", "--spill-dir", disk.path(), "--max-capture", "3MB"];
    let ran = disk.run(AND_LOOK, &[&args[..], &["yes"]].concat());
    let ran = ran.code(125).complains(&format!("{SIZE}\n"));
    let report = not_saved(&ran, FULL);
    assert_eq!(report.error_code(), ("OUTPUT_CAP", "run"), "{ran}");
    let run = report.run.expect("it ran");
    assert!(!run.unconfirmed_stop);
    assert_eq!(run.stopped_by.as_deref(), Some("output-cap"));
    assert_eq!(report.output.expect("it ran").total_bytes, 3_000_000);
}

#[test]
fn no_room_for_one_more_file() {
    // The folder itself is the only file that this disk has room for.
    let Some(disk) = SmallDisk::with("full-of-files", "nr_inodes=1") else {
        return;
    };
    let file = format!("{}/out", disk.path());
    for spill in [["--spill", &file], ["--spill-dir", disk.path()]] {
        let args = [&["--json"], &spill[..], &["echo hi; exit 3"]].concat();
        let ran = disk.run("exec \"$0\" \"$@\"", &args).code(3).complains("");
        let report = not_saved(&ran, &format!("{}: No space left on device", spill[1]));
        assert_eq!(report.note_codes(), ["spill-failed"], "{ran}");
        assert_eq!(report.output.expect("it ran").head, "hi\n");
    }
}

#[test]
fn a_report_that_finds_no_room_is_one_sentence() {
    let Some(disk) = SmallDisk::new("full-report") else {
        return;
    };
    let after = format!("{}/after", env!("CARGO_TARGET_TMPDIR"));
    let command = format!("seq 5000; echo after >'{after}'; exit 3");
    for form in ["--view", "--json", "--pretty"] {
        let _ = std::fs::remove_file(&after);
        let ran = disk.run(
            &format!("{FILLED} exec \"$0\" \"$@\" >report"),
            &[form, &command],
        );
        no_room(ran, "report");
        // The command itself ran to its end.
        assert!(Path::new(&after).exists(), "{form}");
    }
    let _ = std::fs::remove_file(&after);
    // Events come while the command runs, which ends for want of a reader.
    let line = format!("{FILLED} exec \"$0\" \"$@\" >report");
    no_room(disk.run(&line, &["--events", "sleep 100"]), "events");
}

#[test]
fn a_report_that_finds_room_for_its_beginning_is_one_sentence_too() {
    let Some(disk) = SmallDisk::new("full-part") else {
        return;
    };
    // One block of the disk is free again; the report takes several.
    let line = format!(
        "{FILLED} truncate -s -4096 filled || exit 99; \"$0\" \"$@\" >report; code=$?; \
         head -c 4 report; wc -c <report; exit $code"
    );
    let ran = disk.run(&line, &["--view", "seq 5000"]);
    no_room(ran, "report").prints("Exit4096\n");
}

/// 125, and a sentence.
#[track_caller]
fn no_room(ran: Ran, what: &str) -> Ran {
    ran.code(125).complains(&format!(
        "bsh: cannot write the {what} to standard output: No space left on device\n"
    ))
}
