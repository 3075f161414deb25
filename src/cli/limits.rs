//! The limits, from flags and from the variables of the environment.

use std::ffi::{OsStr, OsString};
use std::time::Duration;

use bsh::{
    LimitError, LimitOverrides, QuantityError, ShellLimits, parse_duration, parse_size,
    resolve_shell_limits, whole_millis,
};

use crate::cli::flags::LimitFlags;
use crate::cli::usage::UsageError;

/// The limits in force: what flags and variables set, over the defaults; a flag wins.
///
/// # Errors
/// A value that is none, or that does not fit the others, naming its flag or variable.
pub fn of(
    flags: &LimitFlags,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<ShellLimits, UsageError> {
    let overrides = overrides(flags, &variable)?;
    resolve_shell_limits(overrides).map_err(|error| {
        let words = |ms| humantime::format_duration(Duration::from_millis(ms));
        UsageError::new(match error {
            LimitError::Percent(percent) => {
                let name = name_of(&flags.head_percent, "HEAD_PERCENT");
                format!("{name}: {percent} is over 100. Expected 1 to 100")
            }
            LimitError::DefaultAboveMax { default, max } => format!(
                "{}: {} is over the longest timeout, {}. Expected at most that, or a longer --max-timeout",
                name_of(&flags.default_timeout, "DEFAULT_TIMEOUT"),
                words(default),
                words(max)
            ),
            // No value of a flag is zero.
            other => other.to_string(),
        })
    })
}

/// How a value was set: by its flag, or by its variable.
fn name_of(flag: &Option<OsString>, name: &str) -> String {
    match flag {
        Some(_) => format!("--{}", name.to_ascii_lowercase().replace('_', "-")),
        None => format!("BSH_{name}"),
    }
}

fn overrides(
    flags: &LimitFlags,
    variable: &impl Fn(&str) -> Option<OsString>,
) -> Result<LimitOverrides, UsageError> {
    let pick = |flag: &Option<OsString>, name: &str, parse: Parse| -> Result<_, UsageError> {
        let source = name_of(flag, name);
        if let Some(typed) = flag {
            return value_of(&source, typed, parse).map(Some);
        }
        match variable(&source).filter(|value| !value.is_empty()) {
            Some(value) => value_of(&source, &value, parse).map(Some),
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

    fn limits_of(args: &[&str], variables: &[(&str, &str)]) -> Result<ShellLimits, String> {
        let flags = Flags::parse_from([&["bsh"], args, &["true"]].concat());
        of(&flags.limits, |name| {
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
        let limits = limits_of(&["--max-lines", "9"], &variables).expect("valid");
        let defaults = ShellLimits::default();
        assert_eq!((limits.max_output_lines, limits.kill_grace_ms), (9, 1_000));
        assert_eq!(limits.max_output_bytes, defaults.max_output_bytes);
    }

    #[test]
    fn a_wrong_value_is_named() {
        assert_eq!(
            limits_of(&[], &[("BSH_KILL_GRACE", "5")]),
            Err("BSH_KILL_GRACE: 5 has no unit: say 5s or 5ms".to_owned())
        );
        assert_eq!(
            limits_of(&["--head-percent", "a"], &[]),
            Err("--head-percent: a is not a whole number over 0".to_owned())
        );
    }

    #[test]
    fn what_does_not_fit_is_said_of_what_set_it() {
        assert_eq!(
            limits_of(&[], &[("BSH_HEAD_PERCENT", "101")]),
            Err("BSH_HEAD_PERCENT: 101 is over 100. Expected 1 to 100".to_owned())
        );
        let sentence =
            "is over the longest timeout, 10m. Expected at most that, or a longer --max-timeout";
        let variables = [("BSH_DEFAULT_TIMEOUT", "600001ms")];
        assert_eq!(
            limits_of(&[], &variables),
            Err(format!("BSH_DEFAULT_TIMEOUT: 10m 1ms {sentence}"))
        );
        assert_eq!(
            limits_of(&["--default-timeout", "11m"], &variables),
            Err(format!("--default-timeout: 11m {sentence}"))
        );
    }
}
