//! What a run knows rules out some of those who may have given the code.

use bsh::meaning::{Evidence, Meaning, interpret, interpret_run};
use std::ffi::OsString;
use std::fs;
use std::path::Path;

fn evidence<'a>(stderr: Option<&'a str>, env: &'a [(OsString, OsString)]) -> Evidence<'a> {
    Evidence {
        stderr: stderr.map(str::as_bytes),
        env: Some(env),
        cwd: Some(Path::new("/")),
        shell: "bash",
    }
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    pairs
        .iter()
        .map(|(name, value)| (OsString::from(name), OsString::from(value)))
        .collect()
}

fn run(command: &str, code: i32, stderr: Option<&str>) -> Meaning {
    let env = pairs(&[("PATH", "/usr/bin:/bin")]);
    interpret_run(command, code, &evidence(stderr, &env))
}

/// The command a claim names.
fn claimed(meaning: &Meaning) -> Option<&str> {
    meaning.is_claim().then_some(())?;
    meaning.command.as_deref()
}

#[test]
fn an_empty_stderr_rules_out_what_always_speaks() {
    for line in [
        "cd d && grep zzz x",
        "grep zzz a > out",
        "grep zzz < a",
        "mkdir -p d && cd d && grep zzz x",
        "set -e\ncd d\ngrep zzz x",
        "set -o pipefail; grep zzz a | tee log",
        "sudo grep zzz a",
        "pushd d >/dev/null && grep zzz x",
        "cd d && { cat a | grep zzz; }",
        "source venv/bin/activate && grep zzz a",
    ] {
        assert_eq!(claimed(&run(line, 1, Some(""))), Some("grep"), "{line}");
        assert_eq!(claimed(&run(line, 1, None)), None, "{line}");
        assert_eq!(claimed(&interpret(line, 1, "", "")), None, "{line}");
    }
    let said = "bash: line 1: cd: d: No such file or directory\n";
    assert_eq!(claimed(&run("cd d && grep zzz x", 1, Some(said))), None);
    // So bash begins its messages inside a function.
    let said = "environment: line 1: cd: d: No such file or directory\n";
    let line = "f() { cd d && grep zzz x; }; f";
    assert_eq!(claimed(&run(line, 1, Some(said))), None);
    assert_eq!(claimed(&run(line, 1, Some(""))), Some("grep"));
    // What others say is no evidence against it.
    let other = "warning: something\n";
    assert_eq!(
        claimed(&run("cd d && grep zzz x", 1, Some(other))),
        Some("grep")
    );
}

#[test]
fn a_hidden_stderr_is_no_evidence() {
    for line in [
        "cd d 2>/dev/null && grep zzz x",
        "{ cd d && grep zzz x; } 2>&1",
        "exec 2>/dev/null; cd d && grep zzz x",
        "(cd d && grep zzz x) &>/dev/null",
        "mkdir d 2>/dev/null && grep zzz x",
    ] {
        assert_eq!(claimed(&run(line, 1, Some(""))), None, "{line}");
    }
}

#[test]
fn find_is_believed_only_about_permissions() {
    let denied = "find: '/root': Permission denied\n";
    let missing = "find: 'nodir': No such file or directory\n";
    let text = "Some directories were inaccessible";
    let line = "find / -name x";
    assert_eq!(run(line, 1, Some(denied)).message.as_deref(), Some(text));
    assert!(!run(line, 1, Some(denied)).is_error);
    assert!(!run(line, 1, Some(missing)).is_claim());
    assert!(!run(line, 1, Some(&format!("{denied}{missing}"))).is_claim());
    assert!(!run(line, 1, None).is_claim());
    assert_eq!(interpret(line, 1, "", "").message.as_deref(), Some(text));
    assert!(interpret(line, 1, "", missing).is_error);
    assert!(run("find . -delete", 1, Some(denied)).is_error);
}

#[test]
fn not_found_is_the_shells_own_verdict() {
    let folder = std::env::temp_dir().join(format!("bsh-meaning-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let script = folder.join("tool");
    fs::write(&script, "#!/bin/sh\nexit 127\n").expect("a script");
    let plain = folder.join("plain");
    fs::write(&plain, "text\n").expect("a file");
    let broken = folder.join("broken");
    fs::write(&broken, "#!/no/such/interpreter\n").expect("a script");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        for path in [&script, &broken] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a mode");
        }
    }
    let mut path = folder.clone().into_os_string();
    path.push(":/usr/bin:/bin");
    let env = vec![(OsString::from("PATH"), path)];
    let here = Evidence {
        stderr: Some(b"anything"),
        env: Some(&env),
        cwd: Some(&folder),
        shell: "bash",
    };
    let message = |command: &str, code| interpret_run(command, code, &here).message;
    let claims = |command: &str, code| interpret_run(command, code, &here).is_claim();
    let missing = Some("Command not found".to_owned());
    assert_eq!(message("nosuchcmd_zz --x", 127), missing);
    assert_eq!(message("'nosuchcmd_zz'", 127), missing);
    assert_eq!(message("./nosuch", 127), missing);
    assert_eq!(message("true && nosuchcmd_zz", 127), missing);
    // On the path: it chose the code itself.
    assert!(!claims("tool", 127));
    assert!(!claims("./tool", 127));
    assert!(!claims("timeout 5 tool", 127));
    assert_eq!(message("timeout 5 nosuchcmd_zz", 127), missing);
    let word = interpret_run("./nosuch x", 127, &here).command;
    assert_eq!(word.as_deref(), Some("./nosuch"));
    // In another folder, or with another path, nothing is known.
    assert!(!claims("cd x && ./nosuch", 127));
    assert!(!claims("PATH=/opt tool", 127));
    assert!(!claims("env -C / ./nosuch", 127));
    assert!(!claims("env PATH=/opt nosuchcmd_zz", 127));
    assert!(!claims("nosuchcmd_zz() { return 127; }; nosuchcmd_zz", 127));
    assert!(!claims("exit 127", 127));
    assert_eq!(
        message("./broken", 127).as_deref(),
        Some("Interpreter of the script not found")
    );
    let not_run = Some("Found but could not be executed".to_owned());
    assert_eq!(message("./plain", 126), not_run);
    assert_eq!(message("/etc", 126), not_run);
    assert!(!claims("tool", 126));
    fs::remove_dir_all(&folder).expect("a folder");
}

#[test]
fn exported_functions_and_startup_files_are_not_the_command() {
    let functions = pairs(&[("PATH", "/usr/bin:/bin"), ("BASH_FUNC_grep%%", "() { :; }")]);
    let with = |command: &str, env: &[(OsString, OsString)]| {
        interpret_run(command, 1, &evidence(Some(""), env)).is_claim()
    };
    assert!(!with("grep zzz a", &functions));
    assert!(!with("cat a | grep zzz", &functions));
    assert!(with("/bin/grep zzz a", &functions));
    assert!(with("command grep zzz a", &functions));
    assert!(with("env grep zzz a", &functions));
    assert!(with("diff a b", &functions));
    let startup = pairs(&[("PATH", "/usr/bin:/bin"), ("BASH_ENV", "/tmp/x")]);
    assert!(!with("grep zzz a", &startup));
    let options = pairs(&[
        ("PATH", "/usr/bin:/bin"),
        ("SHELLOPTS", "braceexpand:pipefail"),
    ]);
    assert!(with("grep zzz a | cat", &options));
}

#[test]
fn other_shells_claim_less() {
    let env = pairs(&[("PATH", "/usr/bin:/bin")]);
    let with = |command: &str, shell: &str| {
        let evidence = Evidence {
            shell,
            ..evidence(Some(""), &env)
        };
        interpret_run(command, 1, &evidence).is_claim()
    };
    assert!(with("grep zzz a | cat; grep zzz a", "sh"));
    assert!(!with("[[ a = b ]]", "dash"));
    assert!(with("grep zzz a", "zsh"));
    assert!(!with("grep zzz *.c", "zsh"));
    assert!(!with("grep zzz a", "fish"));
}

#[test]
fn signals_have_names_and_no_word_about_memory() {
    let killed = run("sleep 9 & kill -9 $!; wait $!", 137, Some(""));
    assert_eq!(killed.message.as_deref(), Some("Ended by SIGKILL"));
    assert!(killed.is_error);
    assert!(!run("exit 137", 137, Some("")).is_claim());
    assert!(!run("exit 200", 200, Some("")).is_claim());
    let pipe = run("set -o pipefail; seq 100000 | head -1", 141, Some(""));
    assert_eq!(pipe.message.as_deref(), Some("Ended by SIGPIPE"));
    assert!(!pipe.is_error);
}

#[test]
fn the_default() {
    let unknown = interpret("./x", 3, "", "");
    assert!(unknown.is_error && !unknown.is_claim());
    assert_eq!(
        unknown.message.as_deref(),
        Some("Command failed with exit code 3")
    );
    assert_eq!(unknown.command, None);
    let fine = run("diff a b", 0, Some(""));
    assert!(!fine.is_error && !fine.is_claim());
    assert_eq!(fine.message, None);
    for code in [-1, 256, i32::MAX, i32::MIN] {
        assert!(!interpret("grep x f", code, "", "").is_claim());
    }
}
