//! Durations and sizes as people type them. Never panics, and never guesses a unit of time.

#[cfg(feature = "cli")]
use std::time::Duration;

use thiserror::Error;

/// Why a duration or a size was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QuantityError {
    /// Nothing was typed.
    #[error("is empty. Expected {0}")]
    Empty(&'static str),
    /// A number alone; nobody can tell seconds from milliseconds.
    #[error("{0} has no unit: say {0}s or {0}ms")]
    NoUnit(String),
    /// `M` is a month to some parsers and a minute to most people.
    #[error("{0} is not a unit of time here: say m for minutes")]
    Months(String),
    /// A unit that is none.
    #[error("{unit} is not a known unit. Expected {expected}")]
    Unit {
        /// What was typed.
        unit: String,
        /// What is known.
        expected: &'static str,
    },
    /// Not a number and a unit at all.
    #[error("{text} is not {expected}")]
    Shape {
        /// What was typed, cut to a readable length.
        text: String,
        /// What was expected.
        expected: &'static str,
    },
    /// Zero.
    #[error("{0} is zero. Expected more than that")]
    Zero(String),
    /// More than can be counted.
    #[error("{0} is too large")]
    TooLarge(String),
}

#[cfg(feature = "cli")]
const A_DURATION: &str = "a duration over 0 such as 90s, 2m 30s or 500ms";
const A_SIZE: &str = "a size over 0 such as 30000, 30kB or 10MiB";

/// The longest text that is looked at; no sensible quantity is longer.
const LONGEST_TEXT: usize = 64;
/// Nine digits of any unit stay far below what a duration can hold.
#[cfg(feature = "cli")]
const MOST_DIGITS: usize = 9;

/// What is left of a text that goes into a sentence.
fn shown(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Parses a duration with its units: `90s`, `2m 30s`, `1h30m`, `0.5s`, `500ms`.
///
/// # Errors
/// A bare number, zero, a negative or infinite one, months and years (`M` is not minutes), any
/// other unit, and more than nine digits in a row.
#[cfg(feature = "cli")]
pub fn parse_duration(text: &str) -> Result<Duration, QuantityError> {
    let text = text.trim();
    let shape = || QuantityError::Shape {
        text: shown(text),
        expected: A_DURATION,
    };
    if text.is_empty() {
        return Err(QuantityError::Empty(A_DURATION));
    }
    if text.len() > LONGEST_TEXT {
        return Err(QuantityError::TooLarge(shown(text)));
    }
    if text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        if text.parse::<f64>().is_ok_and(|number| number == 0.0) {
            return Err(QuantityError::Zero(shown(text)));
        }
        return match text.parse::<f64>() {
            Ok(_) => Err(QuantityError::NoUnit(shown(text))),
            Err(_) => Err(shape()),
        };
    }
    check_duration_parts(text)?;
    let duration = humantime::parse_duration(text).map_err(|_| shape())?;
    if duration.is_zero() {
        return Err(QuantityError::Zero(shown(text)));
    }
    Ok(duration)
}

/// Looks at units and lengths before humantime does: it takes `2M` for two months, and panics on
/// sums that overflow.
#[cfg(feature = "cli")]
fn check_duration_parts(text: &str) -> Result<(), QuantityError> {
    let mut digits = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((start, char)) = chars.next() {
        if char.is_ascii_digit() {
            digits += 1;
            if digits > MOST_DIGITS {
                return Err(QuantityError::TooLarge(shown(text)));
            }
            continue;
        }
        if char == '.' {
            digits = 0;
            continue;
        }
        if !char.is_alphabetic() {
            continue;
        }
        digits = 0;
        let mut end = start + char.len_utf8();
        while let Some((at, next)) = chars.next_if(|(_, next)| next.is_alphabetic()) {
            end = at + next.len_utf8();
        }
        let unit = &text[start..end];
        if unit == "M"
            || unit.to_lowercase().starts_with("mo")
            || unit.to_lowercase().starts_with('y')
        {
            return Err(QuantityError::Months(unit.to_owned()));
        }
        if start == 0 {
            return Err(QuantityError::Shape {
                text: shown(text),
                expected: A_DURATION,
            });
        }
        const KNOWN: [&str; 26] = [
            "ns", "nsec", "nanos", "us", "usec", "µs", "ms", "msec", "millis", "s", "sec", "secs",
            "second", "seconds", "m", "min", "mins", "minute", "minutes", "h", "hr", "hrs", "hour",
            "hours", "d", "w",
        ];
        if !KNOWN.contains(&unit) && !["day", "days", "week", "weeks"].contains(&unit) {
            return Err(QuantityError::Unit {
                unit: shown(unit),
                expected: "ms, s, m or h",
            });
        }
    }
    Ok(())
}

/// Parses a number of bytes: `30000`, `30kB`, `1.5MB` (decimal), `10MiB` (binary); case does not
/// matter, the `B` may be left out.
///
/// # Errors
/// Zero, a negative number, an unknown unit, a fraction of a byte, more than 2^64 − 1.
pub fn parse_size(text: &str) -> Result<u64, QuantityError> {
    let text = text.trim();
    let shape = || QuantityError::Shape {
        text: shown(text),
        expected: A_SIZE,
    };
    if text.is_empty() {
        return Err(QuantityError::Empty(A_SIZE));
    }
    if text.len() > LONGEST_TEXT {
        return Err(QuantityError::TooLarge(shown(text)));
    }
    let number_end = text
        .find(|char: char| !char.is_ascii_digit() && char != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(number_end);
    let factor: u128 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "ki" | "kib" => 1 << 10,
        "mi" | "mib" => 1 << 20,
        "gi" | "gib" => 1 << 30,
        _ if number.is_empty() => return Err(shape()),
        _ => {
            return Err(QuantityError::Unit {
                unit: shown(unit.trim()),
                expected: "B, kB, MB, GB, KiB, MiB or GiB",
            });
        }
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || (fraction.is_empty() && number.contains('.')) {
        return Err(shape());
    }
    let too_large = || QuantityError::TooLarge(shown(text));
    let scale = u32::try_from(fraction.len())
        .ok()
        .and_then(|digits| 10_u128.checked_pow(digits))
        .ok_or_else(shape)?;
    // A second dot makes this parse fail.
    let digits = format!("{whole}{fraction}");
    if digits.len() > 30 {
        return Err(too_large());
    }
    let scaled = digits.parse::<u128>().map_err(|_| shape())?;
    let bytes = scaled.checked_mul(factor).ok_or_else(too_large)?;
    if bytes % scale != 0 {
        return Err(shape());
    }
    match u64::try_from(bytes / scale) {
        Ok(0) => Err(QuantityError::Zero(shown(text))),
        Ok(size) => Ok(size),
        Err(_) => Err(too_large()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "cli")]
    #[test]
    fn durations_need_a_unit_and_a_sensible_one() {
        let good = [
            ("90s", 90_000),
            ("2m 30s", 150_000),
            ("1h30m", 5_400_000),
            ("0.5s", 500),
            ("500ms", 500),
            ("120000s", 120_000_000),
            ("1 min", 60_000),
        ];
        for (text, ms) in good {
            assert_eq!(
                parse_duration(text),
                Ok(Duration::from_millis(ms)),
                "{text}"
            );
        }
        let bad = [
            ("30", "30 has no unit: say 30s or 30ms"),
            ("0s", "0s is zero. Expected more than that"),
            ("0", "0 is zero. Expected more than that"),
            ("2M", "M is not a unit of time here: say m for minutes"),
            (
                "2months",
                "months is not a unit of time here: say m for minutes",
            ),
            ("1y", "y is not a unit of time here: say m for minutes"),
            (
                "18446744073709551615s1000ms",
                "18446744073709551615s1000ms is too large",
            ),
            (
                "-5s",
                "-5s is not a duration over 0 such as 90s, 2m 30s or 500ms",
            ),
            (
                "inf",
                "inf is not a duration over 0 such as 90s, 2m 30s or 500ms",
            ),
            (
                "",
                "is empty. Expected a duration over 0 such as 90s, 2m 30s or 500ms",
            ),
            ("5x", "x is not a known unit. Expected ms, s, m or h"),
            (
                "1..5s",
                "1..5s is not a duration over 0 such as 90s, 2m 30s or 500ms",
            ),
        ];
        for (text, sentence) in bad {
            let error = parse_duration(text).expect_err(text);
            assert_eq!(error.to_string(), sentence, "{text}");
        }
    }

    #[test]
    fn sizes_are_checked() {
        let good = [
            ("30000", 30_000),
            ("30kB", 30_000),
            ("30 KB", 30_000),
            ("10MiB", 10_485_760),
            ("1.5MB", 1_500_000),
            ("64k", 64_000),
            ("64Ki", 65_536),
            ("18446744073709551615", u64::MAX),
        ];
        for (text, bytes) in good {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in [
            "",
            "0",
            "0kB",
            "-1",
            "1.5",
            "1.2.3kB",
            "10XB",
            "kB",
            "18446744073709551616",
            "99999999999GiB",
            ".5kB",
            "1.kB",
        ] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
