//! How wrappers are called: what stands between their name and the command they run.

use super::deliver::assigned_name;
use super::syntax::{HOLE, Word};

/// What else than the options of a wrapper stands before the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// So many operands.
    Operands(usize),
    /// `NAME=value` words.
    Assignments,
}

/// How a wrapper is called, and which codes are its own.
pub(super) struct Wrapper {
    pub(super) name: &'static str,
    pub(super) before: Before,
    /// Options whose value is the next word.
    values: &'static str,
    /// Options that take a whole command line as their value.
    text: &'static str,
    /// Options that make it something else than a wrapper.
    not: &'static str,
    /// Codes it gives for its own failures.
    pub(super) own: &'static [u8],
    /// When it fails itself, it names itself on standard error.
    pub(super) speaks: bool,
}

const PLAIN: Wrapper = Wrapper {
    name: "",
    before: Before::Operands(0),
    values: "",
    text: "",
    not: "--help --version",
    own: &[1, 126, 127],
    speaks: true,
};

/// Sorted by name.
pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "busybox",
        own: &[],
        ..PLAIN
    },
    Wrapper {
        name: "chroot",
        before: Before::Operands(1),
        values: "--userspec --groups",
        own: &[125, 126, 127],
        ..PLAIN
    },
    Wrapper {
        name: "chrt",
        before: Before::Operands(1),
        values: "-T -P -D",
        not: "-p -m --pid --max",
        ..PLAIN
    },
    Wrapper {
        name: "doas",
        values: "-u -C",
        not: "-s -L",
        ..PLAIN
    },
    Wrapper {
        name: "env",
        before: Before::Assignments,
        values: "-u --unset -C --chdir",
        text: "-S --split-string",
        own: &[125, 126, 127],
        ..PLAIN
    },
    Wrapper {
        name: "flock",
        before: Before::Operands(1),
        values: "-w -E --timeout --conflict-exit-code --wait",
        text: "-c --command",
        not: "-u --unlock",
        own: &[64, 65, 66, 69, 71, 73],
        ..PLAIN
    },
    Wrapper {
        name: "ionice",
        values: "-c -n --class --classdata",
        not: "-p -P -u --pid",
        ..PLAIN
    },
    Wrapper {
        name: "ltrace",
        values: "-o -e -p -s -u -n -a -A -D -F -l -x -w",
        ..PLAIN
    },
    Wrapper {
        name: "nice",
        values: "-n --adjustment",
        own: &[125, 126, 127],
        ..PLAIN
    },
    Wrapper {
        name: "nohup",
        own: &[125, 126, 127],
        ..PLAIN
    },
    Wrapper {
        name: "pipenv",
        before: Before::Operands(1),
        ..PLAIN
    },
    Wrapper {
        name: "poetry",
        before: Before::Operands(1),
        values: "-C --directory -P --project",
        ..PLAIN
    },
    Wrapper {
        name: "prlimit",
        not: "-p --pid",
        ..PLAIN
    },
    Wrapper {
        name: "runuser",
        values: "-u -g -G --user --group -s --shell",
        text: "-c --command",
        ..PLAIN
    },
    Wrapper {
        name: "script",
        before: Before::Operands(usize::MAX),
        text: "-c --command",
        values: "-E -o -O -I -B -T -m",
        ..PLAIN
    },
    Wrapper {
        name: "setpriv",
        values: "--reuid --regid --groups",
        ..PLAIN
    },
    Wrapper {
        name: "setsid",
        ..PLAIN
    },
    Wrapper {
        name: "stdbuf",
        values: "-i -o -e --input --output --error",
        own: &[125, 126, 127],
        ..PLAIN
    },
    Wrapper {
        name: "strace",
        values: "-o -e -p -s -u -E -a -b -I -O -P -S -X",
        ..PLAIN
    },
    Wrapper {
        name: "su",
        before: Before::Operands(usize::MAX),
        text: "-c --command",
        values: "-s -g -G -w --shell",
        ..PLAIN
    },
    Wrapper {
        name: "sudo",
        before: Before::Assignments,
        values: "-u -g -h -p -C -D -R -T -r -t -U --user --group --host --prompt --close-from --chdir --chroot --command-timeout --role --type --other-user",
        not: "-l -v -e -k -K -V -s -i --list --validate --edit --shell --login",
        ..PLAIN
    },
    Wrapper {
        name: "taskset",
        before: Before::Operands(1),
        not: "-p --pid",
        ..PLAIN
    },
    Wrapper {
        name: "time",
        values: "-f -o --format --output",
        own: &[126, 127],
        ..PLAIN
    },
    Wrapper {
        name: "timeout",
        before: Before::Operands(1),
        values: "-k -s --kill-after --signal",
        own: &[124, 125, 126, 127],
        ..PLAIN
    },
    Wrapper {
        name: "unshare",
        values: "-S -G -R -w --setuid --setgid --root --wd",
        ..PLAIN
    },
    Wrapper {
        name: "uv",
        before: Before::Operands(1),
        values: "--directory --project --python -p --with --extra --group --env-file --package",
        own: &[1, 2],
        ..PLAIN
    },
];

pub(super) fn has(list: &str, option: &str) -> bool {
    list.split(' ').any(|name| name == option)
}

/// What a call of a wrapper runs.
pub(super) enum Inner<'a> {
    Words(&'a [Word]),
    /// A command line for a shell.
    Text(&'a Word),
    /// It is no wrapper in this call.
    Nothing,
}

impl Wrapper {
    pub(super) fn inner<'a>(&self, words: &'a [Word]) -> Inner<'a> {
        let mut text = None;
        let mut rest = words;
        let mut operands = match self.before {
            Before::Operands(count) => count,
            Before::Assignments => 0,
        };
        while let Some((word, behind)) = rest.split_first() {
            let option = word.prefix();
            if word.text == "--" {
                rest = behind;
                // Operands may still follow.
                let skip = if self.name == "runuser" { 0 } else { operands };
                rest = rest.get(skip.min(rest.len())..).unwrap_or_default();
                break;
            }
            if option.len() > 1 && option.starts_with('-') {
                let mut taken = false;
                let long = option.starts_with("--");
                let name = option.split('=').next().unwrap_or(option);
                if long {
                    if has(self.not, name) {
                        return Inner::Nothing;
                    }
                    taken = !option.contains('=') && has(self.values, name);
                    if has(self.text, name) {
                        if option.contains('=') {
                            return Inner::Nothing;
                        }
                        text = behind.first();
                        taken = true;
                    }
                } else {
                    for (at, letter) in option.char_indices().skip(1) {
                        let letter = format!("-{letter}");
                        let last = at + letter.len() > word.text.len();
                        if has(self.not, &letter) {
                            return Inner::Nothing;
                        }
                        if has(self.text, &letter) {
                            if !last {
                                return Inner::Nothing;
                            }
                            text = behind.first();
                            taken = true;
                        } else if has(self.values, &letter) {
                            taken = last;
                            break;
                        }
                    }
                }
                rest = behind.get(usize::from(taken)..).unwrap_or_default();
                continue;
            }
            if self.before == Before::Assignments
                && (assigned_name(&word.raw).is_some() || word.text == "-")
            {
                rest = behind;
                continue;
            }
            if operands == 0 {
                break;
            }
            if word.text == HOLE.to_string() && !word.quoted {
                // It may be several words, or none.
                return Inner::Nothing;
            }
            operands -= 1;
            rest = behind;
        }
        match text {
            Some(word) => Inner::Text(word),
            None if rest.is_empty() => Inner::Nothing,
            None => Inner::Words(rest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_for_binary_search() {
        assert!(WRAPPERS.is_sorted_by(|a, b| a.name < b.name));
    }

    #[test]
    fn options_of_wrappers_are_skipped() {
        for (line, command) in [
            ("timeout -s KILL 5 grep x", "grep"),
            ("timeout --signal=KILL 5 grep x", "grep"),
            ("timeout -k 1 5m grep x", "grep"),
            ("env -i -u A B=1 grep x", "grep"),
            ("nice -n 5 grep x", "grep"),
            ("nice -5 grep x", "grep"),
            ("stdbuf -oL grep x", "grep"),
            ("sudo -u root -n A=b grep x", "grep"),
            ("flock -n l grep x", "grep"),
            ("taskset -c 0 grep x", "grep"),
            ("chrt -b 0 grep x", "grep"),
            ("ionice -c3 grep x", "grep"),
        ] {
            let words: Vec<Word> = line.split(' ').map(Word::plain).collect();
            let (name, rest) = words.split_first().expect("a word");
            let wrapper = WRAPPERS
                .iter()
                .find(|wrapper| wrapper.name == name.text)
                .expect("a wrapper");
            let Inner::Words([first, ..]) = wrapper.inner(rest) else {
                panic!("{line}: nothing inside");
            };
            assert_eq!(first.text, command, "{line}");
        }
    }
}
