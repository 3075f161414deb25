//! Signals by name and number.

/// One more than the largest signal number of the kernel (signal(7)).
pub(crate) const SIGNALS: i32 = 65;

/// The real-time signals that programs may use, where the system has any.
#[cfg(target_os = "linux")]
fn real_time() -> std::ops::RangeInclusive<i32> {
    libc::SIGRTMIN()..=libc::SIGRTMAX()
}

#[cfg(not(target_os = "linux"))]
fn real_time() -> std::ops::RangeInclusive<i32> {
    #[allow(clippy::reversed_empty_ranges)]
    {
        1..=0
    }
}

/// The name of a signal, such as `SIGKILL` or `SIGRTMIN+3` (signal(7)).
pub(crate) fn name(number: i32) -> String {
    if let Ok(signal) = nix::sys::signal::Signal::try_from(number) {
        return signal.as_str().to_owned();
    }
    match number - real_time().start() {
        0 if real_time().contains(&number) => "SIGRTMIN".to_owned(),
        above if real_time().contains(&number) => format!("SIGRTMIN+{above}"),
        _ => format!("SIG{number}"),
    }
}

/// Reads a signal's name or number: `TERM`, `SIGTERM`, `15`, `SIGRTMIN+3`, `RTMAX-1`.
pub(crate) fn parse(text: &str) -> Option<i32> {
    let upper = text.to_ascii_uppercase();
    let short = upper.strip_prefix("SIG").unwrap_or(&upper);
    let offset = |text: &str, sign: char| match text.strip_prefix(sign) {
        Some(digits) => digits.parse::<i32>().ok(),
        None => text.is_empty().then_some(0),
    };
    let number = if let Ok(number) = short.parse::<i32>() {
        number
    } else if let Some(rest) = short.strip_prefix("RTMIN") {
        real_time().start().checked_add(offset(rest, '+')?)?
    } else if let Some(rest) = short.strip_prefix("RTMAX") {
        real_time().end().checked_sub(offset(rest, '-')?)?
    } else {
        format!("SIG{short}")
            .parse::<nix::sys::signal::Signal>()
            .ok()? as i32
    };
    let standard = nix::sys::signal::Signal::try_from(number).is_ok();
    (standard || real_time().contains(&number)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_come_back() {
        for (text, number) in [
            ("TERM", 15),
            ("sigint", 2),
            ("9", 9),
            ("SIGUSR1", libc::SIGUSR1),
        ] {
            assert_eq!(parse(text), Some(number), "{text}");
        }
        for text in [
            "", "SIG", "0", "-1", "65", "NOPE", "RTMIN-1", "RTMIN+99", "RTMAX-99",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        let standard = (1..SIGNALS).filter(|number| parse(&number.to_string()).is_some());
        for number in standard {
            assert_eq!(parse(&name(number)), Some(number), "{}", name(number));
        }
    }
}
