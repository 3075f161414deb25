//! What is asked to be run: the words of the command and their flags, or a request as JSON.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use bsh::failure::reason;
use bsh::request::MAX_REQUEST_BYTES;
use bsh::{BashRequest, Input, parse_duration};

use crate::cli::flags::Flags;
use crate::cli::usage::UsageError;
use crate::cli::words;

/// The request that the flags and words are, or that `--request` has.
///
/// # Errors
/// No command, a duration that is none, text that is not UTF-8, a file that cannot be read.
pub fn of(flags: Flags) -> Result<Input, UsageError> {
    if let Some(file) = &flags.request.request {
        let text = read_request(file)?;
        // A request that parses is passed on typed, so that its command can be looked at.
        return Ok(match bsh::parse_bash_text(&text) {
            Ok(request) => Input::Request(request),
            Err(error) => Input::Refused(error),
        });
    }
    let mut request = BashRequest::new(command_of(flags.words)?);
    if let Some(typed) = &flags.request.timeout {
        let timeout = parse_duration(typed)
            .map_err(|error| UsageError::new(format!("--timeout: {error}")))?;
        request = request.with_timeout(timeout);
    }
    if let Some(cwd) = flags.request.cwd {
        let cwd = cwd
            .into_string()
            .map_err(|_| UsageError::new("--cwd: the value is not UTF-8"))?;
        request = request.with_cwd(cwd);
    }
    Ok(Input::Request(request))
}

/// The command line that the words of the command are.
///
/// # Errors
/// There is none, or it is not UTF-8.
pub fn command_of(typed: Vec<OsString>) -> Result<String, UsageError> {
    if typed.is_empty() {
        return Err(UsageError::new(
            "a command is missing. Expected bsh [OPTIONS] COMMAND, see bsh --help",
        ));
    }
    let mut words = Vec::with_capacity(typed.len());
    for word in typed {
        let text = word.into_string().map_err(|word| {
            let valid = std::str::from_utf8(word.as_bytes())
                .map_or_else(|error| error.valid_up_to(), str::len);
            UsageError::new(format!(
                "the command is not UTF-8: byte {valid} of {:?}",
                word.to_string_lossy()
            ))
        })?;
        words.push(text);
    }
    Ok(words::command_line(&words))
}

fn read_request(file: &Path) -> Result<Vec<u8>, UsageError> {
    let mut text = Vec::new();
    // One byte more than allowed, so that too much is seen without reading all of it.
    let most = MAX_REQUEST_BYTES as u64 + 1;
    let read = if file == Path::new("-") {
        std::io::stdin().lock().take(most).read_to_end(&mut text)
    } else {
        File::open(file).and_then(|file| file.take(most).read_to_end(&mut text))
    };
    read.map_err(|error| {
        UsageError::new(format!(
            "--request: cannot read {}: {}",
            file.display(),
            reason(&error)
        ))
    })?;
    Ok(text)
}
