//! The words of the command → one line for the shell.

/// Words that the shell takes for grammar when they come first and are not quoted (bash(1),
/// RESERVED WORDS). The others of that list have characters that are quoted anyway.
const GRAMMAR: [&str; 17] = [
    "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while",
];

/// One word is a command line as it is; several are a program and its arguments, each kept whole.
pub fn command_line(words: &[String]) -> String {
    if let [line] = words {
        return line.clone();
    }
    let quoted = words.iter().enumerate().map(|(index, word)| {
        let is_grammar = index == 0 && (GRAMMAR.contains(&word.as_str()) || word.contains('='));
        match is_plain(word) && !is_grammar {
            true => word.clone(),
            false => quote(word),
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// The word in single quotes, in which the shell changes nothing.
pub fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn is_plain(word: &str) -> bool {
    let plain = |char: char| char.is_ascii_alphanumeric() || "_@%+=:,./-".contains(char);
    !word.is_empty() && word.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_words_are_kept_whole() {
        let cases: [(&[&str], &str); 10] = [
            (&["ls -la | wc"], "ls -la | wc"),
            (&["ls", "-la"], "ls -la"),
            (&["echo", "a b", "$HOME"], "echo 'a b' '$HOME'"),
            (&["echo", "it's"], r"echo 'it'\''s'"),
            (&["echo", ""], "echo ''"),
            (&["if", "x"], "'if' x"),
            (&["time", "ls"], "'time' ls"),
            (&["A=1", "B=2"], "'A=1' B=2"),
            (&["[", "a", "=", "b", "]"], "'[' a = b ']'"),
            (&["ls", "~", "{a,b}", "*"], "ls '~' '{a,b}' '*'"),
        ];
        for (words, line) in cases {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(command_line(&words), line);
        }
    }
}
