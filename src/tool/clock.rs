//! The clock of a run: monotonic, and standing still while the run is suspended.

use std::time::Duration;

use tokio::time::Instant;

/// Counts from the start of a run, without the time in which it was suspended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    started: Instant,
    paused_since: Option<Instant>,
    paused: Duration,
}

impl Clock {
    pub(super) fn start() -> Self {
        Self {
            started: Instant::now(),
            paused_since: None,
            paused: Duration::ZERO,
        }
    }

    pub(super) fn pause(&mut self) {
        self.paused_since.get_or_insert_with(Instant::now);
    }

    pub(super) fn resume(&mut self) {
        if let Some(since) = self.paused_since.take() {
            self.paused += since.elapsed();
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        let until = self.paused_since.unwrap_or_else(Instant::now);
        until
            .saturating_duration_since(self.started)
            .saturating_sub(self.paused)
    }

    /// When `timeout` will have passed; none while suspended, and none beyond what can be counted.
    pub(super) fn deadline(&self, timeout: Duration) -> Option<Instant> {
        match self.paused_since {
            Some(_) => None,
            None => self.started.checked_add(timeout)?.checked_add(self.paused),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn suspended_time_does_not_count() {
        let mut clock = Clock::start();
        tokio::time::advance(Duration::from_secs(2)).await;
        clock.pause();
        assert_eq!(clock.deadline(Duration::from_secs(5)), None);
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(clock.elapsed(), Duration::from_secs(2));
        clock.resume();
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(clock.elapsed(), Duration::from_secs(3));
        let deadline = clock.deadline(Duration::from_secs(5));
        assert_eq!(deadline, Some(Instant::now() + Duration::from_secs(2)));
    }
}
