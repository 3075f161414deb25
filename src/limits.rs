//! Within what a command runs: how long, and how much of its output is kept and shown.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The limits in force. Every value is over 0, and `head_percent` at most 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ShellLimits {
    /// The timeout of a request without one, in milliseconds.
    pub default_timeout_ms: u64,
    /// The longest timeout of a request, in milliseconds.
    pub max_timeout_ms: u64,
    /// The time between the stop signal and SIGKILL, in milliseconds.
    pub kill_grace_ms: u64,
    /// Bytes of UTF-8 text in the view.
    pub max_output_bytes: u64,
    /// Lines in the view.
    pub max_output_lines: u64,
    /// The share of both budgets of the view that goes to its head, in percent.
    pub head_percent: u64,
    /// Raw bytes past which the command is stopped.
    pub max_capture_bytes: u64,
}

impl Default for ShellLimits {
    fn default() -> Self {
        Self {
            default_timeout_ms: 120_000,
            max_timeout_ms: 600_000,
            kill_grace_ms: 2_000,
            max_output_bytes: 30_000,
            max_output_lines: 2_000,
            head_percent: 20,
            max_capture_bytes: 10_485_760,
        }
    }
}

impl ShellLimits {
    /// The time between the stop signal and SIGKILL.
    pub fn kill_grace(&self) -> Duration {
        Duration::from_millis(self.kill_grace_ms)
    }
}

/// The limits that somebody set; the others keep their defaults.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[allow(missing_docs)]
pub struct LimitOverrides {
    pub default_timeout_ms: Option<u64>,
    pub max_timeout_ms: Option<u64>,
    pub kill_grace_ms: Option<u64>,
    pub max_output_bytes: Option<u64>,
    pub max_output_lines: Option<u64>,
    pub head_percent: Option<u64>,
    pub max_capture_bytes: Option<u64>,
}

impl LimitOverrides {
    /// Lays `winner` over these, key by key.
    #[must_use]
    pub fn merged_with(self, winner: Self) -> Self {
        Self {
            default_timeout_ms: winner.default_timeout_ms.or(self.default_timeout_ms),
            max_timeout_ms: winner.max_timeout_ms.or(self.max_timeout_ms),
            kill_grace_ms: winner.kill_grace_ms.or(self.kill_grace_ms),
            max_output_bytes: winner.max_output_bytes.or(self.max_output_bytes),
            max_output_lines: winner.max_output_lines.or(self.max_output_lines),
            head_percent: winner.head_percent.or(self.head_percent),
            max_capture_bytes: winner.max_capture_bytes.or(self.max_capture_bytes),
        }
    }
}

/// Why limits were refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LimitError {
    /// A limit of zero.
    #[error("{0} has to be a whole number over 0")]
    Zero(&'static str),
    /// More than the whole view for its head.
    #[error("headPercent is {0}. Expected 1 to 100")]
    Percent(u64),
    /// The default that was set is above the maximum.
    #[error("defaultTimeoutMs ({default}) is above maxTimeoutMs ({max})")]
    DefaultAboveMax {
        /// The default timeout that was set, in milliseconds.
        default: u64,
        /// The maximum in force, in milliseconds.
        max: u64,
    },
}

/// Merges overrides with the defaults, key by key.
///
/// A default timeout that was not set is lowered to a maximum that was.
///
/// # Errors
/// A value of zero, a percentage over 100, a default timeout that was set above the maximum.
pub fn resolve_shell_limits(overrides: LimitOverrides) -> Result<ShellLimits, LimitError> {
    let defaults = ShellLimits::default();
    let pick = |name, set: Option<u64>, default| match set {
        Some(0) => Err(LimitError::Zero(name)),
        Some(value) => Ok(value),
        None => Ok(default),
    };
    let mut limits = ShellLimits {
        default_timeout_ms: pick(
            "defaultTimeoutMs",
            overrides.default_timeout_ms,
            defaults.default_timeout_ms,
        )?,
        max_timeout_ms: pick(
            "maxTimeoutMs",
            overrides.max_timeout_ms,
            defaults.max_timeout_ms,
        )?,
        kill_grace_ms: pick(
            "killGraceMs",
            overrides.kill_grace_ms,
            defaults.kill_grace_ms,
        )?,
        max_output_bytes: pick(
            "maxOutputBytes",
            overrides.max_output_bytes,
            defaults.max_output_bytes,
        )?,
        max_output_lines: pick(
            "maxOutputLines",
            overrides.max_output_lines,
            defaults.max_output_lines,
        )?,
        head_percent: pick("headPercent", overrides.head_percent, defaults.head_percent)?,
        max_capture_bytes: pick(
            "maxCaptureBytes",
            overrides.max_capture_bytes,
            defaults.max_capture_bytes,
        )?,
    };
    if limits.head_percent > 100 {
        return Err(LimitError::Percent(limits.head_percent));
    }
    if limits.default_timeout_ms > limits.max_timeout_ms {
        if overrides.default_timeout_ms.is_some() {
            return Err(LimitError::DefaultAboveMax {
                default: limits.default_timeout_ms,
                max: limits.max_timeout_ms,
            });
        }
        limits.default_timeout_ms = limits.max_timeout_ms;
    }
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_merge_key_by_key() {
        let low = LimitOverrides {
            kill_grace_ms: Some(5),
            head_percent: Some(30),
            ..LimitOverrides::default()
        };
        let high = LimitOverrides {
            head_percent: Some(40),
            ..LimitOverrides::default()
        };
        let limits = resolve_shell_limits(low.merged_with(high)).expect("valid limits");
        assert_eq!((limits.kill_grace_ms, limits.head_percent), (5, 40));
        assert_eq!(limits.max_output_lines, 2_000);
    }

    #[test]
    fn a_default_above_the_maximum_is_lowered_unless_it_was_set() {
        let mut overrides = LimitOverrides {
            max_timeout_ms: Some(60_000),
            ..LimitOverrides::default()
        };
        let limits = resolve_shell_limits(overrides).expect("lowered");
        assert_eq!(limits.default_timeout_ms, 60_000);
        overrides.default_timeout_ms = Some(60_001);
        assert_eq!(
            resolve_shell_limits(overrides),
            Err(LimitError::DefaultAboveMax {
                default: 60_001,
                max: 60_000
            })
        );
        let only_default = LimitOverrides {
            default_timeout_ms: Some(600_001),
            ..LimitOverrides::default()
        };
        assert!(resolve_shell_limits(only_default).is_err());
    }

    #[test]
    fn zero_and_more_than_all_are_refused() {
        let zero = LimitOverrides {
            max_capture_bytes: Some(0),
            ..LimitOverrides::default()
        };
        assert_eq!(
            resolve_shell_limits(zero),
            Err(LimitError::Zero("maxCaptureBytes"))
        );
        let percent = LimitOverrides {
            head_percent: Some(101),
            ..LimitOverrides::default()
        };
        assert_eq!(resolve_shell_limits(percent), Err(LimitError::Percent(101)));
    }
}
