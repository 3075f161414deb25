//! Signals: their names. (Stand-in, replaced at the merge.)

const SIGNALS: i32 = 65;

/// The name of a signal, such as `SIGKILL` or `SIGRTMIN+3` (signal(7)).
pub(crate) fn name(number: i32) -> String {
    if let Ok(signal) = nix::sys::signal::Signal::try_from(number) {
        return signal.as_str().to_owned();
    }
    match number - libc::SIGRTMIN() {
        0 => "SIGRTMIN".to_owned(),
        above if above > 0 && number <= libc::SIGRTMAX() => format!("SIGRTMIN+{above}"),
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
        libc::SIGRTMIN().checked_add(offset(rest, '+')?)?
    } else if let Some(rest) = short.strip_prefix("RTMAX") {
        libc::SIGRTMAX().checked_sub(offset(rest, '-')?)?
    } else {
        format!("SIG{short}")
            .parse::<nix::sys::signal::Signal>()
            .ok()? as i32
    };
    let known = (1..SIGNALS).contains(&number) && (number < 32 || number >= libc::SIGRTMIN());
    known.then_some(number)
}
