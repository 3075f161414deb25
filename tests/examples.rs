//! The examples print what the documentation says.

use std::process::Command;

#[test]
fn the_echo_runner_prints_the_main_example() {
    // Examples are built by `cargo test`, beside the binary.
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_bsh"));
    let example = binary.with_file_name("examples").join("echo_runner");
    let output = Command::new(&example)
        .output()
        .expect("the example is built");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        text,
        "Exit code 0 · 0 s\n\
         ls -la\n\
         \n\
         [bash:clamped] The requested timeout of 15 min is over the maximum, so 10 min was used.\n"
    );
}
