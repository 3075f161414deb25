//! What is hidden in all that is printed, the sentence about a wrong command line too.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use bsh::output::Masks;

use crate::cli::flags::OutputFlags;
use crate::cli::usage::{UsageError, shown};

/// A value shorter than this, in bytes, is in half of all texts.
const SHORTEST_SECRET: usize = 4;

/// The masks that were asked for.
///
/// # Errors
/// A pattern that is none or hides nothing, a variable that is not set or has next to nothing.
pub fn of(flags: &OutputFlags) -> Result<Masks, UsageError> {
    let mut values = Vec::new();
    for name in &flags.mask_env {
        let refused =
            |reason: &str| UsageError::new(format!("--mask-env: {} {reason}", shown(name)));
        let value = std::env::var_os(name).ok_or_else(|| refused("is not set"))?;
        // Newlines at its ends hide nothing.
        if value.as_bytes().trim_ascii().len() < SHORTEST_SECRET {
            return Err(refused("has a value of less than four bytes"));
        }
        values.push(value.to_string_lossy().into_owned());
    }
    let masks = Masks::new(&flags.mask, values);
    let masks = masks.map_err(|error| UsageError::new(format!("--mask: {error}")))?;
    for (number, pattern) in (1..).zip(&flags.mask) {
        // Such as one made from a variable that is not set: it would hide nothing, without a word.
        if regex::Regex::new(pattern).is_ok_and(|pattern| pattern.is_match("")) {
            return Err(UsageError::new(format!(
                "--mask: pattern {number} matches where nothing is. Expected one that needs a character"
            )));
        }
    }
    Ok(masks)
}

/// The masks of a command line that is not understood: each that can be used, wherever it stands.
pub fn typed(args: &[OsString]) -> Masks {
    let values_of = |flag: &'static str| {
        let after = move |pair: &[OsString]| (pair[0] == flag).then(|| pair[1].clone());
        let joined = move |arg: &OsString| {
            let value = arg
                .as_bytes()
                .strip_prefix(flag.as_bytes())?
                .strip_prefix(b"=")?;
            Some(OsString::from_vec(value.to_vec()))
        };
        args.windows(2)
            .filter_map(after)
            .chain(args.iter().filter_map(joined))
            .collect::<Vec<_>>()
    };
    let patterns: Vec<String> = values_of("--mask")
        .into_iter()
        .filter_map(|pattern| pattern.into_string().ok())
        .filter(|pattern| Masks::new(std::slice::from_ref(pattern), Vec::<String>::new()).is_ok())
        .collect();
    let values: Vec<String> = values_of("--mask-env")
        .iter()
        .filter_map(std::env::var_os)
        .filter(|value| value.len() >= SHORTEST_SECRET)
        .map(|value| value.to_string_lossy().into_owned())
        .collect();
    Masks::new(&patterns, values).unwrap_or_default()
}
