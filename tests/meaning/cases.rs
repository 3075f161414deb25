//! Lines that were run in bash: the right command or no claim, never a wrong one.

use bsh::meaning::interpret;

const CASES: &str = include_str!("../data/shell-cases.tsv");
const TABLE: &str = include_str!("../../src/meaning/exit-meanings.tsv");

pub struct Case<'a> {
    pub line: String,
    pub code: i32,
    /// Names that are right, or `ambiguous`, or `shell`.
    pub deciders: Vec<&'a str>,
    pub is_error: bool,
}

pub fn cases() -> Vec<Case<'static>> {
    let mut lines = CASES.lines();
    assert_eq!(lines.next(), Some("line\tcode\tdecider\tis_error"));
    lines
        .map(|row| {
            let fields: Vec<&str> = row.split('\t').collect();
            let [line, code, decider, is_error] = fields.as_slice() else {
                panic!("four fields are needed: {row}");
            };
            // A lone bar is the name of no command.
            Case {
                line: decode(line),
                code: code.parse().expect("a code"),
                deciders: decider.split('|').collect(),
                is_error: *is_error == "yes",
            }
        })
        .collect()
}

/// Decodes `\n`, `\r` and `\t`, and nothing else.
fn decode(text: &str) -> String {
    text.replace("\\n", "\n")
        .replace("\\r", "\r")
        .replace("\\t", "\t")
}

/// Whether the table has any row for the command and code.
fn has_meaning(case: &Case) -> bool {
    // A constant has no meaning of its own.
    let Some(&decider) = case.deciders.first().filter(|name| **name != "exit") else {
        return false;
    };
    if decider == "shell" {
        return case.code != 0;
    }
    let name = if decider.starts_with("python") {
        "python"
    } else {
        decider
    };
    TABLE.lines().skip(1).any(|row| {
        let fields: Vec<&str> = row.split('\t').collect();
        let [command, _, code, ..] = fields.as_slice() else {
            return false;
        };
        let (low, high) = code.split_once('-').unwrap_or((code, code));
        let number = |text: &str| text.parse::<i32>().expect("a code");
        *command == name && (number(low)..=number(high)).contains(&case.code)
    })
}

#[test]
fn never_a_wrong_word() {
    let cases = cases();
    let (mut right, mut silent, mut expected, mut met) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for case in &cases {
        let meaning = interpret(&case.line, case.code, "", "");
        let needed = has_meaning(case);
        expected += usize::from(needed);
        if !meaning.is_claim() {
            silent += 1;
            assert_eq!(meaning.is_error, case.code != 0);
            assert_eq!(meaning.command, None);
            continue;
        }
        let message = meaning.message.as_deref().unwrap_or_default();
        let of_shell = message == "Command not found"
            || message.starts_with("Found but")
            || meaning.command.is_none();
        let named = match meaning.command.as_deref() {
            Some(command) => case.deciders.contains(&command),
            // The shell's own word names no command.
            None => !case.deciders.contains(&"ambiguous"),
        };
        let by_shell = of_shell && case.deciders.contains(&"shell");
        if (named || by_shell) && meaning.is_error == case.is_error {
            right += 1;
            met += usize::from(needed);
        } else {
            wrong.push(format!(
                "{:?} gives {}: {:?} expected, got {meaning:?}",
                case.line, case.code, case.deciders
            ));
        }
    }
    println!(
        "{} lines: {right} right, {silent} without a claim, {} wrong; \
         {met} of {expected} with a known meaning were claimed",
        cases.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(met * 100 >= expected * 95, "{met} of {expected}");
}
