//! The table of meanings, and the row that fits a command and a code.
//!
//! The rows come from `exit-meanings.tsv` beside this file at build time, sorted by command. A row's
//! condition is a list of marks that must all hold for the words of the command:
//!
//! | mark | holds when |
//! | --- | --- |
//! | `diff` | the next operand is that subcommand |
//! | `start\|stop` | it is one of these |
//! | `-q\|--quiet` | one of these options is given |
//! | `!-q\|--quiet` | none of these is given |
//! | `!run` | no operand is that word |
//! | `-m=pytest` | the option is given with this value |
//! | `+` | some operand is a lone plus sign (the end of `-exec … +`) |

use super::arguments::Arguments;

/// A piece of [`TEXTS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Text {
    start: u16,
    length: u8,
}

impl Text {
    fn get(self) -> &'static str {
        let start = usize::from(self.start);
        TEXTS
            .get(start..start + usize::from(self.length))
            .unwrap_or_default()
    }
}

/// One meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    command: Text,
    when: Text,
    meaning: Text,
    low: u8,
    high: u8,
    pub is_error: bool,
}

impl Row {
    pub fn meaning(&self) -> &'static str {
        self.meaning.get()
    }

    /// Whether it stands for "any other failure", of which only the first code is usual.
    pub fn is_general(&self) -> bool {
        self.low == 2 && self.high == 125
    }

    pub fn is_range(&self) -> bool {
        self.low != self.high
    }

    pub fn low(&self) -> u8 {
        self.low
    }
}

include!(concat!(env!("OUT_DIR"), "/exit_meanings.rs"));

/// What the table says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Row(&'static Row),
    None,
    /// A word that is not known before it runs decides which row fits.
    Unsure,
}

/// The name under which a command stands in the table: `python3.11` as `python`.
pub(super) fn canonical(name: &str) -> &str {
    let versioned = |base: &'static str| {
        name.strip_prefix(base).is_some_and(|rest| {
            rest.bytes()
                .all(|b| b.is_ascii_digit() || b == b'.' || b == b'-')
        })
    };
    match name {
        "nodejs" => "node",
        "py.test-3" | "pytest-3" => "pytest",
        "." => "source",
        _ => ["python", "pip", "gcc", "g++", "clang", "lua", "php", "ruby"]
            .into_iter()
            .find(|base| versioned(base))
            .unwrap_or(name),
    }
}

fn rows_of(command: &str) -> &'static [Row] {
    let start = ROWS.partition_point(|row| row.command.get() < command);
    let rest = ROWS.get(start..).unwrap_or_default();
    let length = rest.partition_point(|row| row.command.get() == command);
    rest.get(..length).unwrap_or_default()
}

/// The row that fits best: most marks first, then one code before a range.
pub(super) fn find(command: &str, arguments: &Arguments, code: u8) -> Found {
    let mut best: Option<(usize, &'static Row)> = None;
    let mut unsure = 0;
    for row in rows_of(command) {
        if !(row.low..=row.high).contains(&code) {
            continue;
        }
        let when = row.when.get();
        let rank = 1 + when.split_whitespace().count() * 2 + usize::from(!row.is_range());
        match holds(when, arguments) {
            Some(true) if best.is_none_or(|(other, _)| rank > other) => best = Some((rank, row)),
            None => unsure = unsure.max(rank),
            _ => {}
        }
    }
    match best {
        Some((rank, row)) if rank > unsure => Found::Row(row),
        None if unsure == 0 => Found::None,
        _ => Found::Unsure,
    }
}

/// Whether all marks hold; [`None`] when that cannot be known.
fn holds(when: &str, arguments: &Arguments) -> Option<bool> {
    let mut operand = 0;
    let mut known = true;
    for mark in when.split_whitespace() {
        let (negated, alternatives) = match mark.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, mark),
        };
        let found = if alternatives == "+" {
            Some(arguments.has_operand("+"))
        } else if alternatives.starts_with('-') {
            Some(
                alternatives
                    .split('|')
                    .any(|option| match option.split_once('=') {
                        Some((name, value)) => arguments.has_value(name, value),
                        None => arguments.has(option),
                    }),
            )
        } else if negated {
            // An unknown option may have left its value in front of the subcommand.
            Some(
                arguments
                    .operands()
                    .iter()
                    .any(|word| alternatives.split('|').any(|name| name == word.text)),
            )
        } else {
            let word = arguments.operand(operand);
            operand += 1;
            match word {
                None => Some(false),
                Some(word) => word
                    .constant()
                    .map(|text| alternatives.split('|').any(|name| name == text)),
            }
        };
        match found {
            Some(found) if found == negated => return Some(false),
            Some(_) => {}
            None => known = false,
        }
    }
    known.then_some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meaning::syntax::Word;

    fn meaning(line: &str, code: u8) -> Option<&'static str> {
        let words: Vec<Word> = line.split(' ').map(Word::plain).collect();
        let (name, rest) = words.split_first()?;
        let name = canonical(&name.text);
        match find(name, &Arguments::new(name, rest), code) {
            Found::Row(row) => Some(row.meaning()),
            _ => None,
        }
    }

    #[test]
    fn conditions_look_at_words() {
        assert_eq!(
            meaning("git -C d diff --quiet", 1),
            Some("There are differences")
        );
        assert_eq!(meaning("git -C diff log --quiet", 1), None);
        assert_eq!(
            meaning("git commit -m --dry-run", 1).map(str::len),
            Some(36)
        );
        assert_eq!(meaning("sort -uc f", 1), Some("The input is not in order"));
        assert_eq!(meaning("sort -t c f", 1), None);
        assert_eq!(
            meaning("jq -re .x f", 1),
            Some("Last output is false or null")
        );
        assert_eq!(meaning("jq --arg e -e .x f", 1), None);
        assert_eq!(
            meaning("curl -sSfL u", 22),
            Some("The HTTP status is 400 or above")
        );
        assert_eq!(meaning("curl -o -f u", 22), None);
        assert_eq!(
            meaning("python3 -m pytest -x", 5),
            Some("There were no tests")
        );
        assert_eq!(meaning("python3.11 s.py -m pytest", 5), None);
    }

    #[test]
    fn rows_are_sorted_and_well_formed() {
        for pair in ROWS.windows(2) {
            if let [a, b] = pair {
                assert!(
                    (a.command.get(), a.when.get(), a.low, a.high)
                        < (b.command.get(), b.when.get(), b.low, b.high)
                );
            }
        }
        for row in &ROWS {
            let text = row.meaning();
            assert!(text.split(' ').count() <= 8, "too long: {text}");
            assert!(!text.ends_with('.'), "{text}");
            assert!(!text.starts_with(|c: char| c.is_lowercase()), "{text}");
            for mark in row.when.get().split_whitespace() {
                let body = mark.trim_start_matches('!');
                assert!(!body.is_empty() && body.split('|').all(|part| !part.is_empty()));
            }
        }
    }

    #[test]
    fn the_tables_are_small() {
        let bytes = TEXTS.len() + std::mem::size_of_val(&ROWS);
        println!("{} rows, {bytes} bytes", ROWS.len());
        assert!(bytes < 64 * 1024);
    }
}
