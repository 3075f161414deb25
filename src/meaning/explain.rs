//! `--explain`: what an exit code would mean, for people and programs.

use super::interpret::interpret;
use serde::Serialize;

/// The answer to "what would this exit code mean".
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The command that would have given the code, when that can be told.
    pub command: Option<String>,
    /// The code that was asked about.
    pub exit_code: i32,
    /// Whether it is a failure.
    pub is_error: bool,
    /// A few words, without a period.
    pub message: Option<String>,
}

/// Says what `exit_code` of `command` would mean.
pub fn explain(command: &str, exit_code: i32) -> Explanation {
    let meaning = interpret(command, exit_code, "", "");
    Explanation {
        command: meaning.command,
        exit_code,
        is_error: meaning.is_error,
        message: meaning.message,
    }
}

impl Explanation {
    /// One sentence: `Exit code 1 of grep is no error: no matches found.`
    pub fn sentence(&self) -> String {
        let code = self.exit_code;
        let of = match &self.command {
            Some(command) => format!(" of {command}"),
            None => String::new(),
        };
        let kind = match (self.is_error, code) {
            (true, _) => "is an error",
            (false, 0) => "is success",
            (false, _) => "is no error",
        };
        match &self.message {
            Some(message) => format!("Exit code {code}{of} {kind}: {}.", lower_first(message)),
            None => format!("Exit code {code}{of} {kind}."),
        }
    }
}

/// Makes the first letter small, unless the word is a name such as `TLS`.
fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), second) if !second.is_some_and(char::is_uppercase) => {
            first.to_lowercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences() {
        for (command, code, sentence) in [
            (
                "grep x f",
                1,
                "Exit code 1 of grep is no error: no matches found.",
            ),
            (
                "false | true; ./x",
                3,
                "Exit code 3 is an error: command failed with exit code 3.",
            ),
            (
                "diff a b",
                0,
                "Exit code 0 of diff is success: the inputs are the same.",
            ),
            ("./x", 0, "Exit code 0 is success."),
        ] {
            assert_eq!(explain(command, code).sentence(), sentence);
        }
    }

    #[test]
    fn keys_stand_in_order() {
        let json = serde_json::to_string(&explain("grep x f", 1)).expect("plain data");
        assert_eq!(
            json,
            r#"{"command":"grep","exitCode":1,"isError":false,"message":"No matches found"}"#
        );
    }
}
