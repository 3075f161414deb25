//! Durations and sizes as people read and type them.
//!
//! Printing rounds half up first and chooses the unit afterwards, so `9.95 s` is `10 s` and
//! `999 950 B` is `1 MB`.

mod quantity;

use std::time::Duration;

#[cfg(feature = "cli")]
pub use quantity::parse_duration;
pub use quantity::{QuantityError, parse_size};

/// A duration in the words of a report: `0.4 s`, `90 s`, `2 min 30 s`, `2 h 5 min`.
pub fn format_duration(duration: Duration) -> String {
    let nanos = duration.as_nanos();
    let tenths = rounded(nanos, 100_000_000);
    if tenths < 100 {
        return format!("{} s", tenths_text(tenths));
    }
    let seconds = rounded(nanos, 1_000_000_000);
    if seconds < 120 {
        return format!("{seconds} s");
    }
    if seconds < 7_200 {
        return two_units(seconds, "min", "s");
    }
    two_units(rounded(nanos, 60_000_000_000), "h", "min")
}

/// A number of bytes in the words of a report, decimal: `812 B`, `29.3 KB`, `1.8 MB`.
pub fn format_bytes(bytes: u64) -> String {
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    let mut unit_size = 1_000_u128;
    let mut tenths = 0;
    for unit in ["KB", "MB", "GB", "TB", "PB"] {
        tenths = rounded(u128::from(bytes), unit_size / 10);
        if tenths < 10_000 {
            return format!("{} {unit}", tenths_text(tenths));
        }
        unit_size *= 1_000;
    }
    format!("{} PB", tenths_text(tenths))
}

/// `value / unit`, rounded half up.
fn rounded(value: u128, unit: u128) -> u128 {
    (value + unit / 2) / unit
}

fn tenths_text(tenths: u128) -> String {
    match tenths % 10 {
        0 => format!("{}", tenths / 10),
        rest => format!("{}.{rest}", tenths / 10),
    }
}

fn two_units(count: u128, large: &str, small: &str) -> String {
    match count % 60 {
        0 => format!("{} {large}", count / 60),
        rest => format!("{} {large} {rest} {small}", count / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_round_half_up_and_then_choose_the_unit() {
        let cases = [
            (0, "0 s"),
            (49, "0 s"),
            (50, "0.1 s"),
            (400, "0.4 s"),
            (3_000, "3 s"),
            (9_949, "9.9 s"),
            (9_950, "10 s"),
            (10_499, "10 s"),
            (10_500, "11 s"),
            (90_000, "90 s"),
            (119_499, "119 s"),
            (119_500, "2 min"),
            (150_000, "2 min 30 s"),
            (900_000, "15 min"),
            (7_199_499, "119 min 59 s"),
            (7_199_500, "2 h"),
            (7_500_000, "2 h 5 min"),
            (7_529_999, "2 h 5 min"),
            (7_530_000, "2 h 6 min"),
        ];
        for (ms, text) in cases {
            assert_eq!(format_duration(Duration::from_millis(ms)), text, "{ms} ms");
        }
        let _ = format_duration(Duration::MAX);
    }

    #[test]
    fn bytes_round_half_up_and_then_choose_the_unit() {
        let cases = [
            (0, "0 B"),
            (812, "812 B"),
            (999, "999 B"),
            (1_000, "1 KB"),
            (29_250, "29.3 KB"),
            (999_949, "999.9 KB"),
            (999_950, "1 MB"),
            (1_800_000, "1.8 MB"),
            (10_485_760, "10.5 MB"),
            (4_200_000_000, "4.2 GB"),
            (u64::MAX, "18446.7 PB"),
        ];
        for (bytes, text) in cases {
            assert_eq!(format_bytes(bytes), text, "{bytes}");
        }
    }
}
