//! A backoff that begins anew when it was not needed for a while.

use std::time::Duration;

use tokio::time::Instant;

use crate::watcher::backoff::Backoff;

/// Begins anew when no delay was asked for during `reset_duration`.
#[derive(Clone, Debug)]
pub struct ResetTimerBackoff<B> {
    backoff: B,
    reset_duration: Duration,
    asked: Option<Instant>,
}

impl<B: Backoff> ResetTimerBackoff<B> {
    /// Lets `backoff` begin anew after `reset_duration` without a failure.
    pub fn new(backoff: B, reset_duration: Duration) -> Self {
        Self { backoff, reset_duration, asked: None }
    }
}

impl<B: Backoff> Iterator for ResetTimerBackoff<B> {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let now = Instant::now();
        if self.asked.is_some_and(|asked| now.duration_since(asked) > self.reset_duration) {
            self.backoff.reset();
        }
        self.asked = Some(now);
        self.backoff.next()
    }
}

impl<B: Backoff> Backoff for ResetTimerBackoff<B> {
    fn reset(&mut self) {
        self.backoff.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watcher::ExponentialBackoff;

    #[tokio::test(start_paused = true)]
    async fn it_begins_anew_after_a_while_without_failures() {
        let mut backoff = ResetTimerBackoff::new(ExponentialBackoff::default(), Duration::from_secs(120));
        let mut delays = Vec::new();
        for pause in [0, 10, 119, 121, 5] {
            tokio::time::advance(Duration::from_secs(pause)).await;
            delays.push(backoff.next().unwrap().as_secs());
        }
        assert_eq!(delays, [1, 2, 4, 1, 2]);
    }
}
