//! The request parser: whatever bytes come, a request that is valid or an error of one line.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match bsh::parse_bash_text(bytes) {
        Ok(request) => {
            request.validate().expect("what was parsed is valid");
            let again = serde_json::to_string(&request).expect("a request is JSON");
            let again = bsh::parse_bash_text(&again).expect("a request is itself valid input");
            assert_eq!(again, request);
        }
        Err(error) => {
            let text = bsh::one_line(&error.to_string());
            assert!(!text.is_empty());
        }
    }
    if let Ok(value) = serde_json::from_slice(bytes) {
        // The value may be taken where the text is not: a key given twice is one in a value.
        let by_value = bsh::parse_bash_input(&value);
        if let Ok(by_text) = bsh::parse_bash_text(bytes) {
            assert_eq!(by_value.ok(), Some(by_text));
        }
    }
});
