//! One backoff for all watches of a controller, each waiting by itself.
//!
//! `trigger_backoff` is given one backoff and a controller has many watches. Its delays are handed out in turn; a watch
//! begins it anew only if it is one that has failed, so healthy neighbours do not hide a failing one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::utils::Backoff;

/// A handle for one watch.
pub(in crate::controller) struct SharedBackoff {
    backoff: Arc<Mutex<Box<dyn Backoff>>>,
    has_failed: bool,
}

impl SharedBackoff {
    pub(in crate::controller) fn new(backoff: impl Backoff + 'static) -> Self {
        Self { backoff: Arc::new(Mutex::new(Box::new(backoff))), has_failed: false }
    }
}

/// For another watch, which has not failed yet.
impl Clone for SharedBackoff {
    fn clone(&self) -> Self {
        Self { backoff: Arc::clone(&self.backoff), has_failed: false }
    }
}

impl Iterator for SharedBackoff {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        self.has_failed = true;
        self.backoff.lock().unwrap_or_else(PoisonError::into_inner).next()
    }
}

impl Backoff for SharedBackoff {
    fn reset(&mut self) {
        if std::mem::replace(&mut self.has_failed, false) {
            self.backoff.lock().unwrap_or_else(PoisonError::into_inner).reset();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watcher::ExponentialBackoff;

    #[test]
    fn a_healthy_watch_does_not_shorten_the_pauses_of_a_failing_one() {
        let mut failing = SharedBackoff::new(ExponentialBackoff::default());
        let mut healthy = failing.clone();
        let mut pause = || {
            healthy.reset();
            failing.next().map(|pause| pause.as_secs())
        };
        assert_eq!([pause(), pause(), pause()], [Some(1), Some(2), Some(4)]);
        failing.reset();
        assert_eq!(failing.next(), Some(Duration::from_secs(1)));
    }
}
