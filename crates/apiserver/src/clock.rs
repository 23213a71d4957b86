//! Wall time, for the timestamps in objects.
//!
//! In: a function that says what time it is. Out: timestamps as Kubernetes prints them, in whole seconds or in microseconds.
//! Timers never ask it: they use `tokio::time`, so that a test can pause and move them.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;

/// The one source of wall time of a server.
#[derive(Clone)]
pub(crate) struct Clock {
    now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    is_system: bool,
}

impl Clock {
    pub(crate) fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Clock { now: Arc::new(now), is_system: false }
    }

    /// Whether it is the system's, and not one of a test.
    pub(crate) fn is_system(&self) -> bool {
        self.is_system
    }

    /// Now.
    pub(crate) fn now(&self) -> Timestamp {
        (self.now)()
    }

    /// Now, in seconds since 1970.
    pub(crate) fn second(&self) -> i64 {
        (self.now)().as_second()
    }

    /// Now, as `metadata.creationTimestamp` is written.
    pub(crate) fn timestamp(&self) -> String {
        self.seconds_from_now(0)
    }

    /// Now, as `MicroTime` fields are written.
    pub(crate) fn microsecond(&self) -> String {
        (self.now)().strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string()
    }

    /// A moment in the future, as `metadata.deletionTimestamp` of a pod is written.
    pub(crate) fn seconds_from_now(&self, seconds: i64) -> String {
        let now = (self.now)();
        let moment = Timestamp::from_second(now.as_second().saturating_add(seconds)).unwrap_or(now);
        print(moment)
    }
}

/// A timestamp so many seconds later; what is not a timestamp stays as it is.
pub(crate) fn moved(timestamp: &str, seconds: i64) -> String {
    let later = |moment: Timestamp| Timestamp::from_second(moment.as_second().saturating_add(seconds));
    match timestamp.parse().and_then(later) {
        Ok(moment) => print(moment),
        Err(_) => timestamp.to_owned(),
    }
}

fn print(moment: Timestamp) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

impl Default for Clock {
    fn default() -> Self {
        Clock { is_system: true, ..Clock::new(Timestamp::now) }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.timestamp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_whole_seconds_in_utc() {
        let clock = Clock::new(|| Timestamp::new(0, 999_999_999).unwrap());
        assert_eq!(clock.timestamp(), "1970-01-01T00:00:00Z");
        assert_eq!(clock.microsecond(), "1970-01-01T00:00:00.999999Z");
        assert_eq!(clock.seconds_from_now(30), "1970-01-01T00:00:30Z");
        assert_eq!(moved("1970-01-01T00:00:30Z", -20), "1970-01-01T00:00:10Z");
        assert_eq!(moved("soon", 1), "soon");
    }
}
