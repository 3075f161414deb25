//! The decider of meanings: any command line with any code is answered, at once, and 0 is never an error.
#![no_main]

use bsh::meaning::{Evidence, interpret_run};
use libfuzzer_sys::fuzz_target;

/// A byte for the code, a byte for the length of standard error, that, and the command line.
fuzz_target!(|bytes: &[u8]| {
    let [code, length, rest @ ..] = bytes else {
        return;
    };
    let (stderr, command) = rest.split_at(rest.len().min(usize::from(*length)));
    let Ok(command) = std::str::from_utf8(command) else {
        return;
    };
    let evidence = Evidence {
        stderr: (*length < 128).then_some(stderr),
        env: None,
        cwd: None,
        shell: "bash",
    };
    let meaning = interpret_run(command, i32::from(*code), &evidence);
    assert!(*code != 0 || !meaning.is_error);
    if let Some(message) = &meaning.message {
        assert!(!message.is_empty() && !message.contains(char::is_control));
    }
    // A comment after the last line changes nothing.
    let commented = format!("{command}\n# grep diff test");
    let open = command.contains("<<") || command.contains(['\\', '\'', '"', '`', '$', '(']);
    if !open {
        assert_eq!(interpret_run(&commented, i32::from(*code), &evidence), meaning);
    }
});
