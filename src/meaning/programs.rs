//! Which codes common commands can give at all.
//!
//! The table says what codes mean; this says which are possible, so that `grep x f && echo y`
//! with 1 is grep's. A command that is not listed can give any code.

use super::arguments::Arguments;
use super::syntax::Word;

/// What is known of a command beside the meanings of its codes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Profile {
    name: &'static str,
    /// All codes it gives by itself.
    pub codes: &'static [u8],
    /// With at most so many operands it only reads standard input, and does not fail.
    pub filter: Option<usize>,
    /// When it fails it names itself on standard error.
    pub speaks: bool,
}

const fn quiet(name: &'static str, codes: &'static [u8]) -> Profile {
    Profile {
        name,
        codes,
        filter: None,
        speaks: false,
    }
}

const fn loud(name: &'static str, codes: &'static [u8]) -> Profile {
    Profile {
        name,
        codes,
        filter: None,
        speaks: true,
    }
}

const fn filter(name: &'static str, codes: &'static [u8], operands: usize) -> Profile {
    Profile {
        name,
        codes,
        filter: Some(operands),
        speaks: true,
    }
}

/// Sorted by name.
const PROFILES: &[Profile] = &[
    quiet("((", &[0, 1]),
    quiet(":", &[0]),
    quiet("[", &[0, 1, 2]),
    quiet("[[", &[0, 1, 2]),
    quiet("alias", &[0, 1]),
    filter("base64", &[0, 1], 0),
    loud("basename", &[0, 1]),
    quiet("bg", &[0, 1]),
    quiet("caller", &[0, 1]),
    filter("cat", &[0, 1], 0),
    loud("chgrp", &[0, 1]),
    loud("chmod", &[0, 1]),
    loud("chown", &[0, 1]),
    quiet("cmp", &[0, 1, 2]),
    filter("column", &[0, 1], 0),
    quiet("comm", &[0, 1]),
    loud("cp", &[0, 1]),
    filter("cut", &[0, 1], 0),
    loud("date", &[0, 1]),
    loud("df", &[0, 1]),
    quiet("diff", &[0, 1, 2]),
    loud("dir", &[0, 1, 2]),
    loud("dirname", &[0, 1]),
    loud("du", &[0, 1]),
    quiet("echo", &[0]),
    quiet("egrep", &[0, 1, 2]),
    quiet("expr", &[0, 1, 2, 3]),
    quiet("false", &[1]),
    quiet("fgrep", &[0, 1, 2]),
    quiet("find", &[0, 1]),
    filter("fmt", &[0, 1], 0),
    filter("fold", &[0, 1], 0),
    quiet("grep", &[0, 1, 2]),
    quiet("hash", &[0, 1]),
    filter("head", &[0, 1], 0),
    quiet("help", &[0, 1]),
    filter("hexdump", &[0, 1], 0),
    loud("id", &[0, 1]),
    quiet("jobs", &[0, 1, 2]),
    quiet("join", &[0, 1]),
    quiet("jq", &[0, 2, 3, 5]),
    quiet("kill", &[0, 1, 2]),
    quiet("let", &[0, 1]),
    loud("ln", &[0, 1]),
    loud("ls", &[0, 1, 2]),
    quiet("mapfile", &[0, 1, 2]),
    quiet("md5sum", &[0, 1]),
    loud("mkdir", &[0, 1]),
    loud("mktemp", &[0, 1]),
    loud("mv", &[0, 1]),
    filter("nl", &[0, 1], 0),
    loud("nproc", &[0, 1]),
    filter("od", &[0, 1], 0),
    filter("paste", &[0, 1], 0),
    quiet("pgrep", &[0, 1, 2, 3]),
    quiet("pidof", &[0, 1]),
    quiet("pkill", &[0, 1, 2, 3]),
    quiet("printenv", &[0, 1, 2]),
    quiet("printf", &[0, 1]),
    quiet("pwd", &[0]),
    quiet("readarray", &[0, 1, 2]),
    quiet("readlink", &[0, 1]),
    loud("realpath", &[0, 1]),
    filter("rev", &[0, 1], 0),
    quiet("rg", &[0, 1, 2]),
    quiet("rgrep", &[0, 1, 2]),
    loud("rm", &[0, 1]),
    loud("rmdir", &[0, 1]),
    quiet("select", &[0, 1]),
    loud("seq", &[0, 1]),
    quiet("sha1sum", &[0, 1]),
    quiet("sha256sum", &[0, 1]),
    quiet("sha512sum", &[0, 1]),
    loud("shuf", &[0, 1]),
    quiet("sleep", &[0, 1]),
    filter("sort", &[0, 2], 0),
    loud("stat", &[0, 1]),
    quiet("sync", &[0, 1]),
    filter("tac", &[0, 1], 0),
    filter("tail", &[0, 1], 0),
    quiet("tar", &[0, 1, 2]),
    filter("tee", &[0, 1], 0),
    quiet("test", &[0, 1, 2]),
    quiet("times", &[0]),
    loud("touch", &[0, 1]),
    filter("tr", &[0, 1], 2),
    quiet("true", &[0]),
    loud("truncate", &[0, 1]),
    quiet("tty", &[0, 1, 2]),
    quiet("type", &[0, 1]),
    quiet("ulimit", &[0, 1, 2]),
    quiet("umask", &[0, 1]),
    quiet("unalias", &[0, 1]),
    loud("uname", &[0, 1]),
    filter("uniq", &[0, 1], 0),
    filter("wc", &[0, 1], 0),
    quiet("which", &[0, 1, 2]),
    quiet("whoami", &[0, 1]),
    quiet("xargs", &[0, 1, 123, 124, 125, 126, 127]),
    filter("xxd", &[0, 1, 2], 0),
    quiet("yes", &[0, 1]),
];

/// Commands that run what they are given and pass its code on, or let it choose one.
const CHOOSERS: &[&str] = &[
    "ash", "awk", "bun", "bundle", "busybox", "cargo", "dash", "deno", "docker", "expect", "gawk",
    "go", "java", "just", "ksh", "kubectl", "lua", "make", "mawk", "node", "npm", "npx", "perl",
    "php", "pnpm", "podman", "poetry", "python", "rake", "ruby", "sed", "source", "ssh", "tclsh",
    "uv", "yarn", "zsh",
];

pub(super) fn profile(name: &str) -> Option<&'static Profile> {
    PROFILES
        .binary_search_by(|profile| profile.name.cmp(name))
        .ok()
        .and_then(|at| PROFILES.get(at))
}

/// Whether its code can be any that a program inside it chose.
pub(super) fn chooses(name: &str) -> bool {
    CHOOSERS.binary_search(&name).is_ok()
}

/// The codes that this call of a command can give, when they are known.
pub(super) fn codes(name: &str, words: &[Word], arguments: &Arguments) -> Option<&'static [u8]> {
    let constant = |word: &&Word| word.constant().is_some();
    match name {
        "sed" => {
            let script = arguments.operand(0).map(|word| word.text.as_str());
            let given = arguments.has("-e") || arguments.has("-f") || arguments.has("--expression");
            let may_quit = words.iter().any(|word| word.text.contains(['q', 'Q']))
                || arguments.has("-f")
                || words
                    .iter()
                    .any(|word| word.constant().is_none() && !word.quoted);
            if may_quit || script.is_none() {
                return None;
            }
            let files = arguments
                .operands()
                .len()
                .saturating_sub(usize::from(!given));
            return Some(if files == 0 { &[0] } else { &[0, 1, 2, 4] });
        }
        "awk" | "gawk" | "mawk" => {
            let program = arguments.operand(0)?.constant()?;
            let plain = !program.contains("exit") && !arguments.has("-f");
            return (plain && arguments.operands().len() == 1).then_some(&[0]);
        }
        "printf" => {
            let format = arguments.operand(0)?;
            let harmless = format.constant().is_some_and(|text| {
                !text
                    .split('%')
                    .skip(1)
                    .any(|rest| rest.starts_with(|c: char| !"sbqc%".contains(c)))
            });
            return Some(if harmless && !arguments.has("-v") {
                &[0]
            } else {
                &[0, 1]
            });
        }
        "sleep" => {
            let number = |word: &&Word| {
                let text = word.text.trim_end_matches(['s', 'm', 'h', 'd']);
                constant(word) && text.parse::<f64>().is_ok()
            };
            if !words.is_empty() && words.iter().all(|word| number(&word)) {
                return Some(&[0]);
            }
        }
        // 1 is for a folder inside another one, or a file that went away.
        "ls" if !["-R", "-l", "-s", "--recursive", "--color"]
            .iter()
            .any(|option| arguments.has(option)) =>
        {
            return Some(&[0, 2]);
        }
        "date" | "id" | "uname" | "whoami" | "nproc" | "yes" | "sync" if words.is_empty() => {
            return Some(&[0]);
        }
        _ => {}
    }
    let profile = profile(name)?;
    let checks_order = name == "sort" && (arguments.has("-c") || arguments.has("-C"));
    if profile
        .filter
        .is_some_and(|operands| arguments.operands().len() <= operands)
        && !checks_order
    {
        return Some(&[0]);
    }
    Some(profile.codes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_for_binary_search() {
        assert!(PROFILES.is_sorted_by(|a, b| a.name < b.name));
        assert!(CHOOSERS.is_sorted_by(|a, b| a < b));
    }
}
