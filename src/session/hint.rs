//! What to try next, said to a person on a terminal.

use std::time::Duration;

use bsh::{ShellLimits, format_duration, terminal};

use crate::session::print::complain;

/// After a timeout: how to have a longer one.
pub fn hint_at_timeout(limits: &ShellLimits) {
    if terminal::is_stderr_terminal() {
        let most = format_duration(Duration::from_millis(limits.max_timeout_ms));
        complain(&format!(
            "-t sets the timeout, --max-timeout the longest that -t may be (now {most})"
        ));
    }
}
