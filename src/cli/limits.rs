//! The limits, from flags and from the variables of the environment.

use std::ffi::{OsStr, OsString};

use bsh::{LimitOverrides, QuantityError, parse_duration, parse_size, whole_millis};

use crate::cli::flags::LimitFlags;
use crate::cli::usage::UsageError;

/// The limits that flags and variables set; a flag wins.
///
/// # Errors
/// A value that is none, naming its flag or variable.
pub fn overrides(
    flags: &LimitFlags,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<LimitOverrides, UsageError> {
    let pick = |flag: &Option<OsString>, name: &str, parse: Parse| -> Result<_, UsageError> {
        let dashed = name.to_ascii_lowercase().replace('_', "-");
        if let Some(typed) = flag {
            return value_of(&format!("--{dashed}"), typed, parse).map(Some);
        }
        let variable_name = format!("BSH_{name}");
        match variable(&variable_name).filter(|value| !value.is_empty()) {
            Some(value) => value_of(&variable_name, &value, parse).map(Some),
            None => Ok(None),
        }
    };
    Ok(LimitOverrides {
        default_timeout_ms: pick(&flags.default_timeout, "DEFAULT_TIMEOUT", milliseconds)?,
        max_timeout_ms: pick(&flags.max_timeout, "MAX_TIMEOUT", milliseconds)?,
        kill_grace_ms: pick(&flags.kill_grace, "KILL_GRACE", milliseconds)?,
        max_output_bytes: pick(&flags.max_output, "MAX_OUTPUT", parse_size)?,
        max_output_lines: pick(&flags.max_lines, "MAX_LINES", whole_number)?,
        head_percent: pick(&flags.head_percent, "HEAD_PERCENT", whole_number)?,
        max_capture_bytes: pick(&flags.max_capture, "MAX_CAPTURE", parse_size)?,
    })
}

type Parse = fn(&str) -> Result<u64, QuantityError>;

fn value_of(name: &str, typed: &OsStr, parse: Parse) -> Result<u64, UsageError> {
    let text = typed
        .to_str()
        .ok_or_else(|| UsageError::new(format!("{name}: the value is not UTF-8")))?;
    parse(text).map_err(|error| UsageError::new(format!("{name}: {error}")))
}

fn milliseconds(text: &str) -> Result<u64, QuantityError> {
    parse_duration(text).map(whole_millis)
}

fn whole_number(text: &str) -> Result<u64, QuantityError> {
    let expected = "a whole number over 0";
    match text.trim().parse() {
        Ok(0) => Err(QuantityError::Zero(text.to_owned())),
        Ok(number) => Ok(number),
        Err(_) => Err(QuantityError::Shape {
            text: text.chars().take(40).collect(),
            expected,
        }),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::flags::Flags;

    fn overrides_of(args: &[&str], variables: &[(&str, &str)]) -> Result<LimitOverrides, String> {
        let flags = Flags::parse_from([&["bsh"], args, &["true"]].concat());
        overrides(&flags.limits, |name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        })
        .map_err(|error| error.to_string())
    }

    #[test]
    fn a_flag_wins_over_its_variable_and_an_empty_one_is_unset() {
        let variables = [
            ("BSH_MAX_LINES", "7"),
            ("BSH_KILL_GRACE", "1s"),
            ("BSH_MAX_OUTPUT", ""),
        ];
        let limits = overrides_of(&["--max-lines", "9"], &variables).expect("valid");
        let expected = LimitOverrides {
            max_output_lines: Some(9),
            kill_grace_ms: Some(1_000),
            ..LimitOverrides::default()
        };
        assert_eq!(limits, expected);
    }

    #[test]
    fn a_wrong_value_is_named() {
        assert_eq!(
            overrides_of(&[], &[("BSH_KILL_GRACE", "5")]),
            Err("BSH_KILL_GRACE: 5 has no unit: say 5s or 5ms".to_owned())
        );
        assert_eq!(
            overrides_of(&["--head-percent", "a"], &[]),
            Err("--head-percent: a is not a whole number over 0".to_owned())
        );
    }
}
