//! Turns `src/meaning/exit-meanings.tsv` into static tables, and refuses a malformed row.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, process};

const TABLE: &str = "src/meaning/exit-meanings.tsv";
const HEADER: &str = "command\twhen\tcode\tis_error\tmeaning";

/// All texts of the table in one string, so that rows hold small numbers and no pointers.
#[derive(Default)]
struct Texts {
    all: String,
    places: HashMap<String, usize>,
}

impl Texts {
    fn place(&mut self, text: &str) -> Result<String, String> {
        let at = match self.places.get(text) {
            Some(&at) => at,
            None => {
                let at = self.all.len();
                self.all.push_str(text);
                self.places.insert(text.to_owned(), at);
                at
            }
        };
        let start = u16::try_from(at).map_err(|_| "the texts are over 64 KiB".to_owned())?;
        let length = u8::try_from(text.len()).map_err(|_| format!("too long: {text}"))?;
        Ok(format!("Text {{ start: {start}, length: {length} }}"))
    }
}

fn codes(text: &str) -> Option<(u8, u8)> {
    match text.split_once('-') {
        Some((low, high)) => {
            let (low, high) = (low.parse().ok()?, high.parse().ok()?);
            (low < high).then_some((low, high))
        }
        None => text.parse().ok().map(|code| (code, code)),
    }
}

/// What the rows are sorted by.
type Key = (String, String, u8, u8);

/// Key and Rust literal of a row.
fn row(line: &str, texts: &mut Texts) -> Result<(Key, String), String> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [command, when, code, is_error, meaning] = fields.as_slice() else {
        return Err("five fields are needed".to_owned());
    };
    if command.is_empty() || command.contains([' ', '/']) {
        return Err(format!("not a command name: {command}"));
    }
    if when.split(' ').any(str::is_empty) && !when.is_empty() {
        return Err("conditions are separated by one blank".to_owned());
    }
    let (low, high) = codes(code).ok_or_else(|| format!("not a code or range: {code}"))?;
    let is_error = match *is_error {
        "yes" => true,
        "no" => false,
        other => return Err(format!("yes or no is needed, not {other}")),
    };
    if meaning.is_empty() || meaning.ends_with('.') {
        return Err(format!("a meaning without a period is needed: {meaning}"));
    }
    let literal = format!(
        "Row {{ command: {}, when: {}, meaning: {}, low: {low}, high: {high}, is_error: {is_error} }}",
        texts.place(command)?,
        texts.place(when)?,
        texts.place(meaning)?,
    );
    let key = ((*command).to_owned(), (*when).to_owned(), low, high);
    Ok((key, literal))
}

fn generate(table: &str) -> Result<String, String> {
    let mut lines = table.lines().enumerate();
    if lines.next().map(|(_, line)| line) != Some(HEADER) {
        return Err(format!("line 1: the header is not {HEADER:?}"));
    }
    let mut texts = Texts::default();
    let mut rows = String::new();
    let mut count = 0;
    let mut last = None;
    for (index, line) in lines {
        let number = index + 1;
        let (key, literal) =
            row(line, &mut texts).map_err(|error| format!("line {number}: {error}"))?;
        if last.as_ref().is_some_and(|last| *last >= key) {
            return Err(format!("line {number}: out of order, or there twice"));
        }
        last = Some(key);
        count += 1;
        writeln!(rows, "    {literal},").map_err(|error| error.to_string())?;
    }
    Ok(format!(
        "pub(super) static TEXTS: &str = {:?};\n\npub(super) static ROWS: [Row; {count}] = [\n{rows}];\n",
        texts.all
    ))
}

/// Linux has all that the proof of a stopped tree needs: subreapers, pidfds, `/proc`. Other systems get
/// the process group; so does Linux when BSH_PORTABLE is set, to try that out.
fn choose_runner() {
    println!("cargo::rustc-check-cfg=cfg(linux_tree)");
    println!("cargo::rerun-if-env-changed=BSH_PORTABLE");
    let is_linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    if is_linux && env::var_os("BSH_PORTABLE").is_none() {
        println!("cargo::rustc-cfg=linux_tree");
    }
}

fn main() {
    choose_runner();
    println!("cargo::rerun-if-changed={TABLE}");
    println!("cargo::rerun-if-changed=build.rs");
    let written = fs::read_to_string(TABLE)
        .map_err(|error| error.to_string())
        .and_then(|table| generate(&table))
        .and_then(|code| {
            let folder = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
            let target = Path::new(&folder).join("exit_meanings.rs");
            fs::write(target, code).map_err(|error| error.to_string())
        });
    if let Err(error) = written {
        println!("cargo::error={TABLE}: {error}");
        process::exit(1);
    }
}
