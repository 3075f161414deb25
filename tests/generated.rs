//! What is generated is committed, and this fails when it is stale.
//!
//! `REGENERATE=1 cargo test --test main generated` writes all of it anew.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::bsh;
use crate::harness::tools::{find, has_all, new_folder};

/// The files, each with the flags whose output it is.
const FILES: [(&str, &[&str]); 7] = [
    ("man/bsh.1", &["--man"]),
    ("completions/bsh.bash", &["--completions", "bash"]),
    ("completions/_bsh", &["--completions", "zsh"]),
    ("completions/bsh.fish", &["--completions", "fish"]),
    ("completions/_bsh.ps1", &["--completions", "powershell"]),
    ("completions/bsh.elv", &["--completions", "elvish"]),
    ("completions/bsh.nu", &["--completions", "nushell"]),
];

fn in_project(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

fn is_regenerating() -> bool {
    std::env::var_os("REGENERATE").is_some()
}

/// Holds a file against what it should be, or writes it.
#[track_caller]
fn check(file: &str, expected: &str) {
    let path = in_project(file);
    if is_regenerating() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, expected).expect("the file can be written");
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "{file} is stale: run REGENERATE=1 cargo test --test main generated"
    );
}

#[test]
fn generated_files_are_fresh() {
    for (file, flags) in FILES {
        check(file, &bsh(flags).run().code(0).complains("").stdout);
    }
}

#[test]
fn generated_help_in_the_readme_is_fresh() {
    let readme = std::fs::read_to_string(in_project("README.md")).expect("the README");
    let (begin, end) = ("```text\n$ bsh --help\n", "\n```\n");
    let (before, rest) = readme.split_once(begin).expect("the block of the help");
    let (_, after) = rest.split_once(end).expect("the end of the block");
    let help = bsh(["--help"]).run().code(0).stdout;
    let help = help.trim_end();
    check("README.md", &format!("{before}{begin}{help}{end}{after}"));
}

#[test]
fn the_manual_page_renders_without_a_warning() {
    if !has_all("the manual page", &["man", "groff"]) {
        return;
    }
    let output = Command::new("man")
        .args(["--warnings", "-l"])
        .arg(in_project("man/bsh.1"))
        .env("MANWIDTH", "80")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("man");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let page = String::from_utf8_lossy(&output.stdout);
    let headings: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with(|char: char| char.is_ascii_uppercase()))
        .filter(|line| {
            line.chars()
                .all(|char| char.is_ascii_uppercase() || char == ' ')
        })
        .collect();
    let expected = [
        "NAME",
        "SYNOPSIS",
        "DESCRIPTION",
        "OPTIONS",
        "OUTPUT",
        "EXIT STATUS",
        "ENVIRONMENT",
        "EXAMPLES",
        "NOTES",
        "SEE ALSO",
    ];
    assert_eq!(headings, expected, "{page}");
}

/// Runs a script in a shell, where that is installed; gives what it printed.
fn in_shell(shell: &str, args: &[&str], script: &str) -> Option<String> {
    if !has_all("completions", &[shell]) {
        return None;
    }
    let folder = new_folder(&format!("completions-{shell}"));
    std::fs::create_dir(folder.join("a-folder")).expect("a folder");
    let output = Command::new(find(shell).expect("it is there"))
        .args(args)
        .arg(script)
        .current_dir(&folder)
        .env("HOME", &folder)
        .env("TERM", "dumb")
        .output()
        .expect("the shell");
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn completions_load_in_bash() {
    let script = format!(
        "source '{}'
         complete -p bsh
         compopt() {{ echo compopt $*; }} # the real one works in a completion alone
         at() {{ COMP_WORDS=(bsh \"$@\"); COMP_CWORD=$#; COMPREPLY=(); _bsh bsh \"${{@: -1}}\" \"${{@: -2:1}}\"; echo \"${{COMPREPLY[*]}}\"; }}
         at --prog
         at --progress a
         at --cwd a-f",
        in_project("completions/bsh.bash").display()
    );
    if let Some(said) = in_shell("bash", &["--norc", "-c"], &script) {
        let lines: Vec<&str> = said.lines().collect();
        assert!(lines[0].ends_with(" bsh"), "{said}");
        assert_eq!(
            lines[1..],
            ["--progress", "auto always", "compopt -o plusdirs", ""]
        );
    }
}

#[test]
fn completions_load_in_fish() {
    let script = format!(
        "source '{}'; complete -C 'bsh --prog'; complete -C 'bsh --progress a'; complete -C 'bsh -C a-f'",
        in_project("completions/bsh.fish").display()
    );
    if let Some(said) = in_shell("fish", &["--no-config", "-c"], &script) {
        let words: Vec<&str> = said
            .lines()
            .filter_map(|line| line.split('\t').next())
            .collect();
        assert_eq!(
            words,
            ["--progress", "always", "auto", "a-folder/"],
            "{said}"
        );
    }
}

#[test]
fn completions_load_in_zsh() {
    // The functions of the completion system, with the file on its path as a package puts it.
    let script = format!(
        "fpath=('{}' $fpath); autoload -Uz compinit; compinit -D -u; echo $_comps[bsh]
         autoload +X -Uz _bsh && whence -w _bsh",
        in_project("completions").display()
    );
    if let Some(said) = in_shell("zsh", &["-f", "-c"], &script) {
        assert_eq!(said, "_bsh\n_bsh: function\n");
    }
}
