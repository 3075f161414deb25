//! Codes that the shell itself gives, and the names of signals.

/// Name of a signal on Linux: `SIGKILL`, `SIGRTMIN+3`.
pub fn signal_name(number: u8) -> String {
    const NAMES: [&str; 31] = [
        "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
        "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
        "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "POLL", "PWR", "SYS",
    ];
    // glibc keeps the first two real-time signals for itself.
    const FIRST_REAL_TIME: u8 = 34;
    let index = usize::from(number).checked_sub(1);
    match index.and_then(|index| NAMES.get(index)) {
        Some(name) => format!("SIG{name}"),
        None => match number.checked_sub(FIRST_REAL_TIME) {
            Some(0) => "SIGRTMIN".to_owned(),
            Some(above) if number <= 64 => format!("SIGRTMIN+{above}"),
            _ => format!("signal {number}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::signal_name;

    #[test]
    fn signals_have_their_names() {
        assert_eq!(signal_name(9), "SIGKILL");
        assert_eq!(signal_name(31), "SIGSYS");
        assert_eq!(signal_name(37), "SIGRTMIN+3");
        assert_eq!(signal_name(0), "signal 0");
        assert_eq!(signal_name(32), "signal 32");
    }
}
