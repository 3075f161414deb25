//! The words behind a command name, told apart as options, their values, and operands.

use super::syntax::Word;

/// Options whose next word is their value, by command.
///
/// Without this the value would be taken for an operand: `git -C dir diff`.
const VALUES: &[(&str, &str)] = &[
    ("ansible", "-i -m -a -u -l -e -f"),
    ("awk", "-f -v -F"),
    ("aws", "--profile --region --output --endpoint-url --query"),
    ("bazel", "--config"),
    ("black", "-l -t --line-length --target-version --config"),
    (
        "cargo",
        "-p --package --manifest-path --target --target-dir -j --features -F --test --bin --example --bench --color --config -Z -C",
    ),
    ("cmake", "-S -B -G -D --target -t --config -j"),
    (
        "curl",
        "-o -X -H -d -u -A -e -b -c -x -m -w -T -F -K -r -y -Y -z -C -Q -t -E -U --output --request --header --data --data-raw --data-binary --data-urlencode --json --user --user-agent --referer --cookie --cookie-jar --proxy --max-time --connect-timeout --write-out --upload-file --form --retry --retry-delay --retry-max-time --cacert --cert --key --resolve --url --interface --config --range --limit-rate --max-filesize --unix-socket",
    ),
    ("cut", "-d -f -c -b"),
    ("date", "-d -f -r -s --date --file --reference"),
    (
        "diff",
        "-U -C -W -x -X -I -F -L -S --label --exclude --width --unified",
    ),
    ("docker", "-H --host --context --config -l --log-level -c"),
    ("fold", "-w"),
    ("gawk", "-f -v -F"),
    ("gh", "-R --repo"),
    (
        "git",
        "-C -c --git-dir --work-tree --namespace --config-env --super-prefix -m -F -S -G -n -U -t --grep --author --message --file",
    ),
    ("gpg", "--homedir --keyring -u -r -o --output"),
    (
        "grep",
        "-e -f -A -B -C -m -d -D --regexp --file --include --exclude --exclude-dir --max-count --label --context",
    ),
    ("head", "-n -c --lines --bytes"),
    ("helm", "-n --namespace --kube-context --kubeconfig"),
    ("http", "-a --auth -o --output"),
    (
        "journalctl",
        "-n -o -p -S -U -b --since --until --output --lines",
    ),
    ("jq", "-f -L --arg2 --indent --from-file --tab2"),
    (
        "kubectl",
        "-n --namespace --context --kubeconfig --cluster --user -s --server --as -l -f -o --token --request-timeout",
    ),
    ("make", "-C -f -j -l -o -W -I --directory --file --jobs"),
    ("mawk", "-f -v -F"),
    ("nc", "-w -p -s -q -i -X -x"),
    ("nl", "-b -w -s -v -i"),
    ("node", "-e -p -r --eval --print --require --import"),
    ("npm", "--prefix -w --workspace -C --registry --loglevel"),
    ("npx", "-p --package -c --call"),
    (
        "openssl",
        "-in -out -CAfile -connect -servername -signature -key",
    ),
    ("paste", "-d"),
    ("perl", "-e -E -I -M -m"),
    ("pip", "--python -r -c -i --index-url -t --target --proxy"),
    ("pnpm", "--filter -F -C --dir"),
    (
        "podman",
        "--root --runroot --log-level --url --connection -c",
    ),
    ("ps", "-o -u -U -g -t"),
    ("python", "-c -m -W -X"),
    ("redis-cli", "-h -p -a -n -s -u"),
    (
        "rg",
        "-e -f -g -t -T -A -B -C -m -r -j -M --regexp --glob --type --type-not --max-count --replace --max-depth",
    ),
    ("ruby", "-e -I -r"),
    ("sed", "-e -f -l --expression --file"),
    (
        "sort",
        "-k -t -o -T -S --key --field-separator --output --parallel --files0-from",
    ),
    ("split", "-l -b -n -a -C"),
    ("stat", "-c -f --format --printf"),
    (
        "systemctl",
        "-H -M -t -p -n -o --host --machine --type --property --lines --output",
    ),
    ("tail", "-n -c -s --lines --bytes --pid"),
    (
        "tar",
        "-f -C -X -T -I -b -H --file --directory --exclude-from --files-from --use-compress-program",
    ),
    ("terraform", "-chdir"),
    ("tsc", "-p --project --outDir --target"),
    ("uniq", "-f -s -w"),
    ("uv", "--directory --project --python -p"),
    ("yarn", "--cwd"),
    ("yq", "-o -p -I"),
];

/// Options with two values.
const TWO_VALUES: &[(&str, &str)] = &[("jq", "--arg --argjson --slurpfile --rawfile")];

/// Commands that leave everything behind their first operand to someone else.
const STOP_AT_OPERAND: &[&str] = &["python", "node", "perl", "ruby", "php", "lua", "ssh"];

/// Options behind which everything belongs to the program they name.
const STOP_AT_OPTION: &[(&str, &str)] = &[("python", "-c")];

/// Commands whose options are words with one dash.
const LONG_DASH: &[&str] = &[
    "find",
    "java",
    "openssl",
    "terraform",
    "go",
    "gcc",
    "g++",
    "clang",
    "compare",
    "exiftool",
    "xmllint",
    "screen",
    "gdb",
    "ld",
    "clang-format",
];

/// The words behind a command name.
pub(super) struct Arguments<'a> {
    /// Each option as written, and its value when it takes one.
    options: Vec<(&'a str, Option<&'a str>)>,
    /// Short options taken out of their bundles.
    letters: Vec<(char, Option<&'a str>)>,
    operands: Vec<&'a Word>,
}

fn listed(table: &[(&str, &str)], command: &str, option: &str) -> bool {
    table
        .binary_search_by(|(name, _)| (*name).cmp(command))
        .ok()
        .and_then(|at| table.get(at))
        .is_some_and(|(_, options)| options.split(' ').any(|name| name == option))
}

fn takes_value(command: &str, option: &str) -> bool {
    let command = match command {
        "egrep" | "fgrep" | "rgrep" | "zgrep" => "grep",
        "ansible-playbook" => "ansible",
        "nawk" => "awk",
        "gmake" => "make",
        "https" => "http",
        other => other,
    };
    listed(VALUES, command, option)
}

impl<'a> Arguments<'a> {
    /// Reads the words behind `command` (its name in the table).
    pub fn new(command: &str, words: &'a [Word]) -> Arguments<'a> {
        let mut read = Arguments {
            options: Vec::new(),
            letters: Vec::new(),
            operands: Vec::new(),
        };
        let long_dash = LONG_DASH.contains(&command);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.text.as_str();
            if text == "--" {
                read.operands.extend(words);
                break;
            }
            let toolchain = matches!(command, "cargo" | "rustc") && text.starts_with('+');
            if toolchain && read.operands.is_empty() {
                continue;
            }
            if !text.starts_with('-') || text == "-" {
                read.operands.push(word);
                if STOP_AT_OPERAND.contains(&command) {
                    read.operands.extend(words);
                    break;
                }
                continue;
            }
            if listed(TWO_VALUES, command, text) {
                words.nth(1);
                continue;
            }
            if text.starts_with("--") || long_dash {
                let (name, value) = match text.split_once('=') {
                    Some((name, value)) => (name, Some(value)),
                    None if takes_value(command, text) => {
                        (text, words.next().map(|word| word.text.as_str()))
                    }
                    None => (text, None),
                };
                read.options.push((name, value));
                continue;
            }
            read.options.push((text, None));
            let mut stop = false;
            for (at, letter) in text.char_indices().skip(1) {
                let mut buffer = [b'-', 0, 0, 0, 0];
                let option = short(letter, &mut buffer);
                if takes_value(command, option) {
                    let inside = text.get(at + letter.len_utf8()..).unwrap_or_default();
                    let value = if inside.is_empty() {
                        words.next().map(|word| word.text.as_str())
                    } else {
                        Some(inside)
                    };
                    read.letters.push((letter, value));
                    stop = listed(STOP_AT_OPTION, command, option)
                        || command == "python" && letter == 'm' && !value.is_some_and(has_rows);
                    break;
                }
                read.letters.push((letter, None));
            }
            if stop {
                break;
            }
        }
        read
    }

    /// Whether the option is given, alone, in a bundle, or with a value behind `=`.
    pub fn has(&self, option: &str) -> bool {
        self.options.iter().any(|(name, _)| *name == option)
            || letter_of(option)
                .is_some_and(|letter| self.letters.iter().any(|(name, _)| *name == letter))
    }

    /// Whether the option is given with this value.
    pub fn has_value(&self, option: &str, value: &str) -> bool {
        let long = self
            .options
            .iter()
            .any(|(name, given)| *name == option && *given == Some(value));
        long || letter_of(option).is_some_and(|letter| {
            self.letters
                .iter()
                .any(|(name, given)| *name == letter && *given == Some(value))
        })
    }

    pub fn operand(&self, index: usize) -> Option<&'a Word> {
        self.operands.get(index).copied()
    }

    pub fn operands(&self) -> &[&'a Word] {
        &self.operands
    }

    pub fn has_operand(&self, text: &str) -> bool {
        self.operands.iter().any(|word| word.text == text)
    }
}

/// Modules of Python that stand in the table; what follows is read as theirs.
fn has_rows(module: &str) -> bool {
    matches!(
        module,
        "pytest"
            | "unittest"
            | "mypy"
            | "flake8"
            | "black"
            | "ruff"
            | "pip"
            | "json.tool"
            | "py_compile"
            | "compileall"
    )
}

fn letter_of(option: &str) -> Option<char> {
    let mut chars = option.chars();
    match (chars.next(), chars.next(), chars.next()) {
        (Some('-'), Some(letter), None) if letter != '-' => Some(letter),
        _ => None,
    }
}

/// `-x` for the letter `x`, without a heap.
fn short(letter: char, buffer: &mut [u8; 5]) -> &str {
    let length = match buffer.get_mut(1..) {
        Some(rest) => letter.encode_utf8(rest).len(),
        None => 0,
    };
    buffer
        .get(..=length)
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_for_binary_search() {
        for table in [VALUES, TWO_VALUES, STOP_AT_OPTION] {
            assert!(table.is_sorted_by(|a, b| a.0 < b.0));
        }
    }
}
