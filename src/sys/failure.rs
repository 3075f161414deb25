//! A call that the system refused, in words for people.

use std::io;

use nix::errno::Errno;

/// The system's words for an error, without its number.
pub fn reason(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(number) => Errno::from_raw(number).desc().to_owned(),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_left_out_and_a_sentence_is_kept() {
        let full = io::Error::from_raw_os_error(libc::ENOSPC);
        assert_eq!(reason(&full), "No space left on device");
        assert_eq!(reason(&io::Error::other("it is closed")), "it is closed");
    }
}
