//! Both streams in the order of their writes, which is that of the numbers that are printed.

use crate::harness::bsh;
use crate::harness::tools::has_all;
use crate::harness::tree::member;

/// A writer that is interrupted between its bytes and the signal for them can be misplaced, on a busy machine
/// once in millions of writes. No byte may be missing, ever.
const TRIES: u32 = 3;

/// Runs a command that counts from zero on both streams.
#[track_caller]
fn counts(words: &[&str], numbers: usize) {
    let lines: Vec<String> = (0..numbers).map(|number| format!("{number}\n")).collect();
    let bytes = lines.iter().map(String::len).sum::<usize>() as u64;
    let expected = lines.concat();
    let options = [
        "--json",
        "--max-output",
        "10MB",
        "--max-lines",
        "1000000",
        "--",
    ];
    let mut misplaced = String::new();
    for _ in 0..TRIES {
        let ran = bsh(options.iter().chain(words)).run().code(0);
        let output = ran.report().output.expect("it ran");
        assert_eq!(output.stdout_bytes + output.stderr_bytes, bytes);
        assert_eq!(output.total_lines, numbers as u64);
        if output.head == expected {
            return;
        }
        let mut pairs = output.head.lines().zip(expected.lines());
        let first = pairs.find(|(line, expected)| line != expected);
        misplaced = format!("{first:?} of {words:?}");
    }
    panic!("{misplaced}");
}

#[test]
fn of_a_shell() {
    for numbers in [2, 4, 4_000] {
        let line = format!(
            "i=0; while ((i < {numbers})); do echo $i; echo $((i + 1)) >&2; ((i += 2)); done; :"
        );
        counts(&[&line], numbers);
    }
}

#[test]
fn of_python() {
    if !has_all("of_python", &["python3"]) {
        return;
    }
    for numbers in [2, 4, 4_000, 100_000] {
        let program =
            format!("import os\nfor i in range({numbers}): os.write(1 + i % 2, b'%d\\n' % i)");
        counts(&["python3", "-c", &program], numbers);
    }
}

#[test]
fn of_a_program_that_writes_as_fast_as_it_can() {
    let member = member();
    let member = member.to_string_lossy();
    // Turns of one write alternate; long ones fill a pipe, for which their writer then waits.
    for longest_turn in ["1", "4", "11", "50"] {
        for numbers in [2, 4, 4_000, 200_000] {
            counts(
                &[&member, "count", &numbers.to_string(), longest_turn],
                numbers,
            );
        }
    }
}

/// What is written through a name of the pipe is no packet, and comes in one read with a packet behind it.
#[test]
fn a_write_through_dev_stdout_takes_nothing_of_the_next_one() {
    // bsh, the parent of the watcher, reads nothing meanwhile.
    let line = "read -r _ _ _ bsh _ <\"/proc/$PPID/stat\"; kill -STOP \"$bsh\"
                printf %3s >/dev/stdout; dd if=/dev/zero bs=4096 count=1 status=none
                printf %70s >/dev/stderr; printf %4095s >&2; kill -CONT \"$bsh\"";
    let output = bsh(["--json", line]).run().code(0).report().output;
    let output = output.expect("it ran");
    assert_eq!((output.stdout_bytes, output.stderr_bytes), (4_099, 4_165));
}
