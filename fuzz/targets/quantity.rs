//! Durations and sizes: whatever is typed is refused or has a value that its own words give again.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match bsh::parse_duration(text) {
        Ok(duration) => {
            assert!(duration > Duration::ZERO);
            let digits = text.bytes().any(|byte| byte.is_ascii_digit());
            assert!(digits, "a value without a digit");
            let again = format!("{}ns", duration.subsec_nanos());
            if duration.as_secs() == 0 {
                assert_eq!(bsh::parse_duration(&again), Ok(duration));
            }
            assert!(!bsh::format_duration(duration).is_empty());
        }
        Err(error) => assert!(!bsh::one_line(&error.to_string()).is_empty()),
    }
    match bsh::parse_size(text) {
        Ok(size) => {
            assert!(size > 0);
            assert!(!bsh::format_bytes(size).is_empty());
        }
        Err(error) => assert!(!bsh::one_line(&error.to_string()).is_empty()),
    }
});
