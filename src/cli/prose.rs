//! The prose of the help, and of the manual page where it says the same.

/// The paragraph at the top of `--help`.
pub const LONG_ABOUT: &str = "\
Run one shell command safely: always a timeout, bounded output, one true report.

One word is a shell command line: bsh 'make 2>&1 | tail'. Several words are a program and its \
arguments, each kept whole: bsh ls -la. Options end at the first word of the command.

Standard input is closed, so a command that waits for an answer fails at once; --stdin inherit opens \
it. There is no terminal for prompts either. A prompt by an askpass program is no prompt on a terminal: \
it may still open a window (SSH_ASKPASS, SUDO_ASKPASS, GIT_ASKPASS).";

/// What ends `-h`.
pub const AFTER_HELP: &str = "\
Exit code: the command's own; 128+N by signal N; 124 timeout; 125 error of bsh.
Standard input is closed; --stdin inherit opens it. All flags: bsh --help";

/// An example: what is typed, and what it is for.
pub struct Example {
    pub command: &'static str,
    pub what: &'static str,
}

/// The examples of the help and the manual page.
pub const EXAMPLES: [Example; 5] = [
    Example {
        command: "bsh -t 5m 'make 2>&1 | tail -20'",
        what: "a command line, for at most five minutes",
    },
    Example {
        command: "bsh --live cargo test",
        what: "a program and its arguments, its output shown as it comes",
    },
    Example {
        command: "bsh --json 'git status' | jq -r .output.head",
        what: "the report as JSON",
    },
    Example {
        command: "bsh --spill build.log -C src make",
        what: "in a folder, with every byte of the output kept",
    },
    Example {
        command: "bsh -e CI=1 --unset-env HOME --background stop ./test.sh",
        what: "a changed environment, and nothing left running",
    },
];

/// The exit codes of bsh, and when each is given.
pub const EXIT_CODES: [(&str, &str); 5] = [
    ("the command's own", "the command ended by itself"),
    ("128+N", "the command was ended by signal N"),
    ("124", "the timeout passed, and the command was stopped"),
    (
        "125",
        "it did not start, it was stopped for another reason, bsh was used wrongly, or the report could not be written",
    ),
    (
        "by the signal",
        "SIGINT, SIGTERM, SIGHUP or SIGQUIT aborted the command",
    ),
];

/// What ends `--help`. A test holds it against the tables above.
pub const AFTER_LONG_HELP: &str = "\
EXIT CODES
  the command's own  the command ended by itself
  128+N              the command was ended by signal N
  124                the timeout passed, and the command was stopped
  125                it did not start, it was stopped for another reason, bsh was used wrongly, or
                     the report could not be written
  by the signal      SIGINT, SIGTERM, SIGHUP or SIGQUIT aborted the command

  The command's own code may be any of these too; the report tells.

EXAMPLES
  bsh -t 5m 'make 2>&1 | tail -20'
      a command line, for at most five minutes
  bsh --live cargo test
      a program and its arguments, its output shown as it comes
  bsh --json 'git status' | jq -r .output.head
      the report as JSON
  bsh --spill build.log -C src make
      in a folder, with every byte of the output kept
  bsh -e CI=1 --unset-env HOME --background stop ./test.sh
      a changed environment, and nothing left running

While it runs, SIGUSR1 has the report so far written to standard error. See bsh(1) for the rest:
bsh --man | man -l -";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_says_what_the_tables_say() {
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let help = plain(AFTER_LONG_HELP);
        for (code, when) in EXIT_CODES {
            assert!(help.contains(&plain(&format!("{code} {when}"))), "{code}");
        }
        for Example { command, what } in EXAMPLES {
            assert!(
                help.contains(&plain(&format!("{command} {what}"))),
                "{command}"
            );
        }
    }
}
