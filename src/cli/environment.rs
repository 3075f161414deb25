//! Changes to the environment of the command.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use bsh::EnvEdit;
use clap::ArgMatches;
use clap::parser::ValueSource;

use crate::cli::flags::EnvironmentFlags;
use crate::cli::usage::{UsageError, shown};

/// The edits in the order in which they were typed, across the flags.
///
/// # Errors
/// A variable without a name or a value.
pub fn edits(flags: &EnvironmentFlags, matches: &ArgMatches) -> Result<Vec<EnvEdit>, UsageError> {
    let mut edits = Vec::new();
    let mut add = |id: &str, values: Vec<EnvEdit>| {
        if matches.value_source(id) == Some(ValueSource::CommandLine) {
            edits.extend(matches.indices_of(id).into_iter().flatten().zip(values));
        }
    };
    let set = flags.env.iter().map(|pair| {
        let bytes = pair.as_bytes();
        match bytes.iter().position(|byte| *byte == b'=') {
            Some(0) | None => Err(UsageError::new(format!(
                "--env: {} has no {}. Expected NAME=VALUE",
                shown(pair),
                if bytes.contains(&b'=') {
                    "name"
                } else {
                    "value"
                },
            ))),
            Some(end) => Ok(EnvEdit::Set(
                OsString::from_vec(bytes[..end].to_vec()),
                OsString::from_vec(bytes[end + 1..].to_vec()),
            )),
        }
    });
    add("env", set.collect::<Result<_, _>>()?);
    let names = |flag: &str, names: &[OsString]| -> Result<Vec<OsString>, UsageError> {
        match names
            .iter()
            .find(|name| name.is_empty() || name.as_bytes().contains(&b'='))
        {
            Some(name) => Err(UsageError::new(format!(
                "--{flag}: {:?} is no name of a variable",
                name.to_string_lossy()
            ))),
            None => Ok(names.to_vec()),
        }
    };
    let unset = names("unset-env", &flags.unset_env)?;
    add("unset_env", unset.into_iter().map(EnvEdit::Unset).collect());
    let pass = names("pass-env", &flags.pass_env)?;
    add("pass_env", pass.into_iter().map(EnvEdit::Pass).collect());
    if flags.clear_env {
        add("clear_env", vec![EnvEdit::Clear]);
    }
    edits.sort_by_key(|(index, _)| *index);
    Ok(edits.into_iter().map(|(_, edit)| edit).collect())
}
