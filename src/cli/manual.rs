//! The manual page: the options from the definition of the flags, the rest written here.

use clap::Command;
use clap_mangen::Man;
use roff::{Inline, Roff, bold, italic, roman};

use crate::cli::prose::{EXAMPLES, EXIT_CODES, Example};

/// The page, bsh(1).
pub fn page(command: Command) -> String {
    let version = command.get_version().unwrap_or_default().to_owned();
    // Help names the flags before the command, and so does the page; examples and codes have sections.
    let command = command.after_help("").after_long_help("");
    let man = Man::new(command)
        .title("bsh")
        .section("1")
        .source(format!("bsh {version}"))
        .manual("User Commands")
        .date("");
    let mut page = Vec::new();
    // Writing to memory cannot fail.
    let _ = man.render_title(&mut page);
    let _ = man.render_name_section(&mut page);
    let _ = synopsis().to_writer(&mut page);
    let _ = man.render_description_section(&mut page);
    page.extend(options(&man));
    let _ = written().to_writer(&mut page);
    String::from_utf8_lossy(&page).into_owned()
}

/// The flags, their headings as parts of one section.
fn options(man: &Man) -> Vec<u8> {
    let mut section = Vec::new();
    let _ = man.render_options_section(&mut section);
    let section = String::from_utf8_lossy(&section);
    let lines = section.lines().map(|line| match line.strip_prefix(".SH ") {
        Some(heading) if heading != "OPTIONS" => format!(".SS {heading}\n"),
        _ => format!("{line}\n"),
    });
    lines.collect::<String>().into_bytes()
}

/// The ways to call it; the line of clap would name every flag.
fn synopsis() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    let ways: [&[Inline]; 4] = [
        &[roman(" [OPTIONS] "), italic("COMMAND")],
        &[
            roman(" [OPTIONS] [--] "),
            italic("PROGRAM ARG"),
            roman("..."),
        ],
        &[roman(" [OPTIONS] "), bold("--request "), italic("FILE|-")],
        &[bold(" --explain "), italic("CODE COMMAND")],
    ];
    for (index, way) in ways.into_iter().enumerate() {
        if index > 0 {
            roff.control("br", []);
        }
        let mut line = vec![bold("bsh")];
        line.extend_from_slice(way);
        roff.text(line);
    }
    roff
}

fn written() -> Roff {
    let mut roff = Roff::new();
    section(
        &mut roff,
        "OUTPUT",
        &[
            "The report goes to standard output, all else to standard error. As text it is a status line, \
             the output of the command in a view of bounded size, and after an empty line the notes, \
             one a line: [bash:code] message. --view leaves the notes out.",
            "Standard output and standard error of the command are merged in the order in which they were \
             written. The text is cleaned: what is no UTF-8 becomes U+FFFD, terminal escapes are removed, \
             a line that was redrawn is shown as it was left. What is too much for the view is left out \
             of its middle, and a line says how much. --spill keeps every byte.",
            "With --json the report is one object on one line. Its status is ok (exit code 0), failed \
             (another exit code, or a signal), timeout, or error (it did not start, or was stopped for \
             another reason). Codes of errors and notes are stable.",
            "On a terminal a status line on standard error says how far the command is, from half a second \
             on. --live shows the output there as it comes; when both are the same terminal the report \
             says (shown above) in its place. What a slow standard error has no room for is left out \
             there, with a line that says so: the command never waits for it.",
        ],
    );
    roff.control("SH", ["EXIT STATUS"]);
    for (code, when) in EXIT_CODES {
        term(&mut roff, code, when);
    }
    roff.control("PP", []);
    roff.text([roman(
        "The command's own code may be any of these too; the report tells.",
    )]);
    roff.control("SH", ["ENVIRONMENT"]);
    for (name, what) in [
        (
            "BSH_DEFAULT_TIMEOUT, BSH_MAX_TIMEOUT, BSH_KILL_GRACE, BSH_MAX_OUTPUT, BSH_MAX_LINES, \
             BSH_HEAD_PERCENT, BSH_MAX_CAPTURE",
            "The limits, as the flags of the same names, which win. An empty one counts as none.",
        ),
        (
            "NO_COLOR",
            "When it is not empty, --color auto colours nothing.",
        ),
        ("PATH", "Where the shell is found."),
    ] {
        term(&mut roff, name, what);
    }
    roff.control("PP", []);
    roff.text([roman(
        "The command gets the environment of bsh with PAGER=cat, GIT_PAGER=cat, GIT_TERMINAL_PROMPT=0, \
         NO_COLOR=1 and TERM=dumb laid over it, also over what was exported on purpose. The flags of \
         the environment win over these; --pass-env PAGER takes what bsh has.",
    )]);
    roff.control("SH", ["EXAMPLES"]);
    for Example { command, what } in EXAMPLES {
        term(&mut roff, command, what);
    }
    for paragraph in NOTES_BY_SUBJECT {
        let (subject, text) = paragraph;
        if subject.is_empty() {
            roff.control("SH", [text]);
        } else {
            term(&mut roff, subject, text);
        }
    }
    roff.control("SH", ["SEE ALSO"]);
    roff.text([
        bold("bash"),
        roman("(1), "),
        bold("timeout"),
        roman("(1), "),
        bold("jq"),
        roman("(1), "),
        bold("parallel"),
        roman("(1), "),
        bold("signal"),
        roman("(7)"),
    ]);
    roff
}

/// What is worth knowing; an empty subject begins a section.
const NOTES_BY_SUBJECT: [(&str, &str); 9] = [
    ("", "NOTES"),
    (
        "Standard input",
        "It is closed (/dev/null), and there is no controlling terminal, so a command that asks fails at \
         once and does not wait for its timeout. --stdin inherit opens it. A prompt by an askpass \
         program (SSH_ASKPASS, SUDO_ASKPASS, GIT_ASKPASS) is no prompt on a terminal: it may still open \
         a window, and wait.",
    ),
    (
        "Signals",
        "SIGINT, SIGTERM, SIGHUP and SIGQUIT stop the command's tree; the report is printed, and bsh \
         dies of the same signal. A second one skips the grace. SIGTSTP and SIGCONT hold and continue \
         the tree and its clock. SIGUSR1 has the report so far written to standard error.",
    ),
    (
        "A caller that dies",
        "With --lifeline bsh aborts when its standard input ends, as it does when a caller that holds the \
         other end of a pipe is killed.",
    ),
    (
        "The tree",
        "Every descendant of the shell is stopped, in whatever session or group, and that nothing is left \
         is checked. Not reached: work handed to a daemon (docker, systemd-run, at), processes of \
         another user (they are named), and everything when bsh and its watcher are both killed at \
         once by pid. Without /proc descendants cannot be found.",
    ),
    (
        "Order of the output",
        "A program that keeps its own standard output in a buffer while it is no terminal prints late; \
         stdbuf(1) may help.",
    ),
    (
        "Login shells",
        "bsh uses none. One that the command starts reads its profile again, and may set PAGER or TERM back.",
    ),
    (
        "git bisect run",
        "There 125 means skip, and 124 a bad commit, so a timeout or an error of bsh would be misread. Go by \
         the status of the report: bsh --json ./test.sh | jq -r .status.",
    ),
    (
        "make",
        "make calls its shell as SHELL -c LINE, which bsh refuses. Set SHELL := bsh and .SHELLFLAGS := -t \
         5m --view --, and every line of a rule is a command of bsh.",
    ),
];

fn section(roff: &mut Roff, title: &str, paragraphs: &[&str]) {
    roff.control("SH", [title]);
    for (index, paragraph) in paragraphs.iter().enumerate() {
        if index > 0 {
            roff.control("PP", []);
        }
        roff.text([roman(*paragraph)]);
    }
}

fn term(roff: &mut Roff, term: &str, text: &str) {
    roff.control("TP", []);
    roff.text([bold(term)]);
    roff.text([roman(text)]);
}
