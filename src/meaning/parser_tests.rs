//! The parser against bash itself, and against hostile text.

use super::parser::parse;
use super::syntax::End;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const CASES: &str = include_str!("../../tests/data/shell-cases.tsv");

fn lines() -> impl Iterator<Item = String> {
    CASES
        .lines()
        .skip(1)
        .filter_map(|row| row.split('\t').next())
        .map(|line| {
            line.replace("\\n", "\n")
                .replace("\\r", "\r")
                .replace("\\t", "\t")
        })
}

/// Whether bash accepts the text; [`None`] where there is no bash.
fn bash_accepts(text: &str) -> Option<bool> {
    Command::new("bash")
        .args(["--norc", "-n", "-c", "--", text])
        .env_clear()
        .env("PATH", std::env::var_os("PATH")?)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()
        .map(|status| status.success())
}

fn compare(text: &str) -> Result<(), String> {
    let Some(accepted) = bash_accepts(text) else {
        return Ok(());
    };
    match (parse(text).end, accepted) {
        (End::Complete, false) => Err(format!("bash refuses what was parsed: {text:?}")),
        (End::Broken, true) => Err(format!("bash accepts what was refused: {text:?}")),
        _ => Ok(()),
    }
}

/// A small generator, so that a failure comes again.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit.max(1)
    }
}

const TOKENS: [&str; 44] = [
    "|",
    "&&",
    "||",
    ";",
    "&",
    "(",
    ")",
    "{ ",
    " }",
    "\n",
    "'",
    "\"",
    "`",
    "$(",
    "${",
    "}",
    "if ",
    " then ",
    " fi",
    " do ",
    " done",
    "case x in ",
    " esac",
    ";;",
    "<<E\n",
    "\nE\n",
    ">",
    "<",
    "2>&1",
    "! ",
    "\\",
    "#",
    " ",
    "[[ ",
    " ]]",
    "((",
    "))",
    "x=(",
    "for i in ",
    "f() ",
    "while ",
    "time ",
    "$((",
    "<(",
];

fn mutate(text: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(2) {
        let at = random.below(chars.len() + 1);
        match random.below(3) {
            0 if at < chars.len() => {
                chars.remove(at);
            }
            1 if at < chars.len() => {
                let to = (at + 1 + random.below(6)).min(chars.len());
                chars.drain(at..to);
            }
            _ => {
                let token = TOKENS[random.below(TOKENS.len())];
                chars.splice(at..at, token.chars());
            }
        }
    }
    chars.into_iter().collect()
}

#[test]
fn agrees_with_bash() {
    if bash_accepts(":").is_none() {
        println!("skipped: there is no bash");
        return;
    }
    let rounds: usize = std::env::var("BSH_TEST_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    let mut random = Random(1);
    let mut errors = Vec::new();
    let mut undecided = 0;
    let mut all = 0;
    for line in lines().filter(|line| line.len() < 2_000) {
        errors.extend(compare(&line).err());
        for _ in 0..rounds {
            let text = mutate(&line, &mut random);
            all += 1;
            undecided += usize::from(parse(&text).end == End::Unknown);
            errors.extend(compare(&text).err());
        }
    }
    println!(
        "{all} changed texts, {undecided} undecided, {} wrong",
        errors.len()
    );
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn hostile_text_is_cheap() {
    let texts = [
        "{ ".repeat(5_000),
        "$(".repeat(20_000),
        "{ ".repeat(150_000),
        "$(".repeat(150_000),
        "(".repeat(30_000),
        "((".repeat(30_000),
        "\"$(".repeat(20_000),
        "${x:-".repeat(12_000),
        "`".repeat(60_000),
        "if ".repeat(20_000),
        "case x in a) ".repeat(4_000),
        "f() { ".repeat(10_000),
        "a=(".repeat(20_000),
        "<<E ".repeat(15_000),
        "\\\n".repeat(30_000),
        "x && ".repeat(12_000),
        "\u{3000}".repeat(20_000),
        "[[ ".repeat(20_000),
        "cat <<E\n".repeat(8_000),
        "a|".repeat(30_000),
        ";".repeat(60_000),
    ];
    for text in texts {
        let start = Instant::now();
        parse(&text);
        assert!(
            start.elapsed() < Duration::from_millis(500),
            "{:?}…",
            text.chars().take(8).collect::<String>()
        );
    }
}
