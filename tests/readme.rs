//! The console blocks of the README print what they say.

use std::process::Command;

use crate::harness::tools::{has_all, new_folder, with_bsh_on_path};

/// Tools that a block may need beside those of every system.
const TOOLS: [&str; 1] = ["jq"];

/// A command of a block, and what it prints.
struct Step {
    command: String,
    expected: String,
}

fn steps(readme: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in readme.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push(Step {
                    command: command.to_owned(),
                    expected: String::new(),
                }),
                (None, Some(step)) => {
                    step.expected.push_str(line);
                    step.expected.push('\n');
                }
                (None, None) => panic!("output without a command: {line}"),
            },
        }
    }
    steps
}

/// What differs from run to run, made the same: durations and pids.
fn steady(text: &str) -> String {
    let mut steady = String::new();
    for line in text.lines() {
        let mut line = line.to_owned();
        for before in ["(pid ", " · ", "\"durationMs\": "] {
            let mut parts = line.split(before);
            let first = parts.next().unwrap_or_default().to_owned();
            let is_of_number = |char: char| char.is_ascii_digit() || char == '.';
            line = parts.fold(first, |line, part| {
                format!("{line}{before}{}", part.trim_start_matches(is_of_number))
            });
        }
        steady.push_str(&line);
        steady.push('\n');
    }
    steady
}

#[test]
fn the_console_blocks_are_real() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = std::fs::read_to_string(readme).expect("the README");
    let steps = steps(&readme);
    assert!(steps.len() > 8, "only {} commands", steps.len());
    let folder = new_folder("readme");
    for Step { command, expected } in steps {
        let needs: Vec<&str> = TOOLS
            .into_iter()
            .filter(|tool| command.contains(tool))
            .collect();
        if !has_all(&command, &needs) {
            continue;
        }
        let mut shell = Command::new("bash");
        shell.args(["-c", &command]).current_dir(&folder);
        with_bsh_on_path(&mut shell);
        let output = shell.output().expect("bash");
        let printed =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert_eq!(steady(&printed), steady(&expected), "$ {command}");
    }
}
