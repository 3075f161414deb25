//! `bsh`: parse, run, print, exit.
#![cfg_attr(all(not(test), target_os = "linux", target_env = "gnu"), no_main)]

mod cli;
mod session;

use std::ffi::OsString;
use std::sync::PoisonError;

use bsh::{ErrorCode, Phase, ShellError, ShellMessages, process, tool::refused_result};

use crate::cli::{About, Parsed, Print};
use crate::session::print::{Look, complain, rendered, words_of, write_out};
use crate::session::{Exit, panics};

// The tests of this crate have a main function of their own.
#[cfg(not(test))]
bsh::main_function!(run);

#[cfg_attr(test, allow(dead_code))]
fn run() -> i32 {
    process::hold_snapshots();
    let args: Vec<OsString> = std::env::args_os().collect();
    bsh::process::hide_arguments(args.first());
    bsh::process::close_to_others();
    let print = std::sync::Mutex::new(Print::Text);
    let exit = panics::caught(|| match cli::parse(&args) {
        Parsed::About(About { what, text }) => write_out(what, &text, Exit::Fine),
        Parsed::Explain {
            command,
            code,
            print,
        } => session::print_explanation(&command, code, print),
        Parsed::Refused { error, print } => refused(
            ErrorCode::InvalidInput,
            Phase::Input,
            &error.to_string(),
            print,
        ),
        Parsed::Serve => {
            session::serve::serve().unwrap_or_else(|error| failed(&words_of(&error), Print::Text))
        }
        Parsed::Run(asked) => {
            let how = asked.print;
            *print.lock().unwrap_or_else(PoisonError::into_inner) = how;
            session::run(*asked).unwrap_or_else(|error| failed(&words_of(&error), how))
        }
    })
    .unwrap_or_else(|panic| {
        failed(
            &panic,
            *print.lock().unwrap_or_else(PoisonError::into_inner),
        )
    });
    exit.into_status()
}

/// bsh itself failed: the part that watches the command is lost, and the command was stopped.
fn failed(detail: &str, print: Print) -> Exit {
    let detail = [("detail", detail)];
    let sentence = ShellMessages::default().render(bsh::Message::Internal, &detail);
    refused(ErrorCode::RunnerLost, Phase::Run, &sentence, print)
}

/// A call that never was: one sentence on standard error, or one object on standard output.
fn refused(code: ErrorCode, phase: Phase, sentence: &str, print: Print) -> Exit {
    if matches!(print, Print::Text | Print::View) {
        complain(sentence);
        return Exit::Trouble;
    }
    let error = ShellError {
        code,
        phase,
        message: bsh::one_line(sentence),
        data: None,
    };
    let result = refused_result(error, &ShellMessages::default());
    let text = rendered(&result, print, Look::default());
    write_out("the report", &text, Exit::Trouble)
}
