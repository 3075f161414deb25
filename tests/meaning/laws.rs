//! Laws for any text: no panic, no hang, no deep stack, and no claim about what is no command.

use super::cases::cases;
use bsh::meaning::interpret;
use proptest::prelude::*;
use std::time::{Duration, Instant};

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_text_is_answered(text in any::<String>(), code in any::<u8>()) {
        interpret(&text, i32::from(code), "", "");
    }

    #[test]
    fn any_shell_like_text_is_answered(
        text in "([a-z]{1,4}|[ ;&|(){}<>$`'\"\\\\\n#!=*?\\[\\]]|if |then |fi|do |done|case |in |esac|\\$\\(|<<E\n|E\n|grep |set -e|exit |f\\(\\)|bash -c|eval |trap ){0,60}",
        code in 0..130_i32,
    ) {
        interpret(&text, code, "", "");
    }
}

/// Each case with one piece taken out or put in.
#[test]
fn changed_cases_are_answered() {
    const PIECES: [&str; 20] = [
        "'", "\"", "`", "$(", ")", "{ ", "}", "|", "&&", ";", "\n", "<<E\n", "if ", " fi", "${",
        "((", "\\", "exit ", "set -e; ", "\u{e9}",
    ];
    for (number, case) in cases().iter().enumerate() {
        if case.line.len() > 1_000 {
            continue;
        }
        let places: Vec<usize> = case.line.char_indices().map(|(at, _)| at).collect();
        for (step, &at) in places.iter().enumerate() {
            let (before, after) = case.line.split_at(at);
            let piece = PIECES[(number + step) % PIECES.len()];
            interpret(&format!("{before}{piece}{after}"), case.code, "", "");
            interpret(before, case.code, "", "");
        }
    }
}

fn hostile() -> Vec<String> {
    let functions: String = (0..60)
        .map(|n| format!("f{n}() {{ f{}; f{}; }}; ", n + 1, n + 1))
        .collect();
    vec![
        "{ ".repeat(5_000),
        "$(".repeat(20_000),
        "{ ".repeat(150_000),
        "$(".repeat(150_000),
        format!("{}grep x f{}", "{ ".repeat(5_000), "; }".repeat(5_000)),
        format!("{}grep x f{}", "( ".repeat(60), " )".repeat(60)),
        format!(
            "{}grep x f{}",
            "if true; then ".repeat(60),
            "; fi".repeat(60)
        ),
        format!(
            "{}grep x f{}",
            "while set -e; do ".repeat(60),
            "; set +e; done".repeat(60)
        ),
        format!("x={}false{}", "$(".repeat(60), ")".repeat(60)),
        format!("{functions}f60() {{ grep x f; }}; f0"),
        "f() { f; f; }; f".to_owned(),
        "f() { f | f & }; f".to_owned(),
        "eval ".repeat(10_000) + "grep x f",
        "bash -c ".repeat(8_000),
        "env ".repeat(15_000) + "grep x f",
        "command ".repeat(8_000) + "grep x f",
        "grep x f && ".repeat(5_000) + "grep x f",
        "grep x f | ".repeat(5_000) + "grep x f",
        "grep x f\n".repeat(7_000),
        "trap 'grep x f' EXIT; ".repeat(2_500),
        "a() { :; }; ".repeat(5_000) + "grep x f",
        (0..4_000)
            .map(|n| format!("a{n}() {{ :; }}; "))
            .collect::<String>()
            + "grep x f",
        (0..3_000)
            .map(|n| format!("a{n}=$? && "))
            .collect::<String>()
            + "grep x f",
        "alias a='b c'; ".repeat(4_000),
        "x=$?; ".repeat(10_000),
    ]
}

/// On a stack as small as threads have anywhere.
#[test]
fn hostile_text_costs_little_time_and_stack() {
    let thread = std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(|| {
            for text in hostile() {
                let start = Instant::now();
                interpret(&text, 1, "", "");
                let took = start.elapsed();
                let begin: String = text.chars().take(30).collect();
                println!(
                    "{:>8} µs  {} bytes  {begin:?}",
                    took.as_micros(),
                    text.len()
                );
                assert!(took < Duration::from_secs(2), "{begin:?} took {took:?}");
            }
        })
        .expect("a thread");
    assert!(thread.join().is_ok());
}

#[test]
fn what_is_known_does_not_double_at_every_branch() {
    // Sixty branches after one `readonly`: with a doubling at each this would not end.
    let text = format!("readonly a=1\n{}grep x f", "if b; then c; fi\n".repeat(60));
    assert!(bsh::interpret(&text, 1, "", "").message.is_some());
}
