//! The monotonic clock as a plain number, which can be sent between processes.

use std::time::Duration;

/// A point on CLOCK_MONOTONIC (clock_gettime(2)), the same for every process of a boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Moment {
    nanoseconds: u64,
}

impl Moment {
    /// Now.
    pub(crate) fn now() -> Self {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: `time` is valid for writing; the call has no other effect.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
        Self {
            nanoseconds: (time.tv_sec as u64).saturating_mul(1_000_000_000) + time.tv_nsec as u64,
        }
    }

    /// As it was sent by another process.
    pub(crate) fn from_nanoseconds(nanoseconds: u64) -> Self {
        Self { nanoseconds }
    }

    pub(crate) fn nanoseconds(self) -> u64 {
        self.nanoseconds
    }

    /// Later by `span`, or the last moment there is.
    pub(crate) fn after(self, span: Duration) -> Self {
        let span = u64::try_from(span.as_nanos()).unwrap_or(u64::MAX);
        Self {
            nanoseconds: self.nanoseconds.saturating_add(span),
        }
    }

    /// The time from `earlier` to this moment; nothing when it is not earlier.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.nanoseconds.saturating_sub(earlier.nanoseconds))
    }

    /// The time left until this moment.
    pub(crate) fn left(self) -> Duration {
        self.since(Self::now())
    }
}

/// Clock ticks since the boot, in the unit of start times in proc_pid_stat(5).
pub(crate) fn boot_ticks() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is valid for writing; sysconf is a query.
    let per_second = unsafe {
        libc::clock_gettime(libc::CLOCK_BOOTTIME, &mut time);
        libc::sysconf(libc::_SC_CLK_TCK)
    };
    let per_second = u64::try_from(per_second).unwrap_or(100).max(1);
    let fraction = (time.tv_nsec as u64).saturating_mul(per_second) / 1_000_000_000;
    (time.tv_sec as u64)
        .saturating_mul(per_second)
        .saturating_add(fraction)
}
