//! A command cannot reach the terminal of `bsh`: it asks and shows nothing there, and is never stopped for
//! trying.

use crate::harness::pty::{OnTerminal, in_session};
use crate::harness::tools::has_all;

/// Runs a line of bash as the foreground of a terminal, in which `$bsh` is `bsh`. The line first shows that
/// there is a terminal to be reached.
fn at_a_terminal(test: &str, line: &str) -> Option<String> {
    if !has_all(test, &["setsid", "stty"]) {
        return None;
    }
    let line = format!("echo reached >/dev/tty || exit 99; {line}");
    let bsh = format!("bsh={}", env!("CARGO_BIN_EXE_bsh"));
    let OnTerminal { text, status } = in_session(&["env", &bsh, "bash", "-c", &line]);
    assert!(status.success(), "{status} {text:?}");
    let rest = text.strip_prefix("reached\n");
    assert!(rest.is_some(), "{text:?}");
    rest.map(str::to_owned)
}

/// What is printed between the status line and `rc=N`, which is the exit code of `bsh`.
#[track_caller]
fn view(text: &str, status: &str) -> String {
    let rest = text.strip_prefix(status).and_then(|rest| {
        let rest = rest.strip_prefix(" · ")?;
        rest.split_once(" s\n")
    });
    let (_, view) = rest.unwrap_or_else(|| panic!("{status} is expected: {text:?}"));
    view.to_owned()
}

const NO_TERMINAL: &str = "bash: line 1: /dev/tty: No such device or address\n";

#[test]
fn a_prompt_on_the_terminal_fails_at_once() {
    let line = "\"$bsh\" --view --color never --progress never \
                'read -r answer </dev/tty && echo got; echo \"read $?\"; \
                echo \"Password: \" >/dev/tty; echo \"write $?\"'";
    let Some(text) = at_a_terminal("a_prompt_on_the_terminal_fails_at_once", line) else {
        return;
    };
    // All that is on the terminal is the report.
    assert_eq!(
        view(&text, "Exit code 0"),
        format!("{NO_TERMINAL}read 1\n{NO_TERMINAL}write 1\n")
    );
}

#[test]
fn a_program_that_asks_for_a_password_fails_at_once() {
    let test = "a_program_that_asks_for_a_password_fails_at_once";
    if !has_all(test, &["python3"]) {
        return;
    }
    // As getpass(3), ssh and sudo do: the terminal itself, and not standard input.
    let line = "\"$bsh\" --view --color never --progress never -- python3 -c \
                'import os; os.open(\"/dev/tty\", os.O_RDWR)'";
    let Some(text) = at_a_terminal(test, &format!("{line}; echo rc=$?")) else {
        return;
    };
    let view = view(&text, "Exit code 1");
    let error = "No such device or address: '/dev/tty'\nrc=1\n";
    assert!(view.ends_with(error), "{text:?}");
}

#[test]
fn setting_terminal_modes_fails_and_stops_nobody() {
    let line = "\"$bsh\" --view --color never --progress never \
                'stty sane </dev/tty; echo \"$?\"; stty -echo; echo \"$?\"'; stty -a | grep -ow -e -echo -e echo";
    let Some(text) = at_a_terminal("setting_terminal_modes_fails_and_stops_nobody", line) else {
        return;
    };
    let view = view(&text, "Exit code 0");
    let lines: Vec<_> = view.lines().collect();
    let [opened, first, refused, second, echo] = lines.as_slice() else {
        panic!("{text:?}");
    };
    assert_eq!([*first, *second, *echo], ["1", "1", "echo"], "{text:?}");
    assert_eq!(format!("{opened}\n"), NO_TERMINAL);
    let reason = "Inappropriate ioctl for device";
    assert!(refused.ends_with(reason), "{text:?}");
}

#[test]
fn a_terminal_that_was_given_can_be_set() {
    let line = "\"$bsh\" --view --color never --progress never --stdin inherit \
                'stty -echo; echo \"$?\"'; stty -a | grep -ow -e -echo -e echo";
    let Some(text) = at_a_terminal("a_terminal_that_was_given_can_be_set", line) else {
        return;
    };
    assert_eq!(view(&text, "Exit code 0"), "0\n-echo\n", "{text:?}");
}

#[test]
fn in_the_background_of_a_terminal_nobody_is_stopped() {
    // The terminal stops whoever writes to it from the background, but for those who take no notice; the wait
    // of a shell with job control ends too when its job is stopped, and then says so.
    let line = "stty tostop; set -m; \"$bsh\" --view --color never --progress never \
                'cat /dev/tty; echo \"read $?\"; echo x >/dev/tty; echo \"write $?\"' & wait $!; echo rc=$?";
    let test = "in_the_background_of_a_terminal_nobody_is_stopped";
    let Some(text) = at_a_terminal(test, line) else {
        return;
    };
    assert!(!text.contains("Stopped"), "{text:?}");
    let view = view(&text, "Exit code 0");
    let expected =
        format!("cat: /dev/tty: No such device or address\nread 1\n{NO_TERMINAL}write 1\n");
    let rest = view.strip_prefix(&expected);
    assert!(
        rest.is_some_and(|rest| rest.ends_with("rc=0\n")),
        "{text:?}"
    );
}
