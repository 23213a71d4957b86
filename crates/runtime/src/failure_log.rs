//! When a failure that lasts is worth a line in the log: at once, when it changes, and once a minute while it lasts.
//!
//! In: what failed or worked, and the time. Out: whether to log it. It is pure. What differs in its numbers only (a port,
//! a count, a time) is the same failure, and two that take turns are each logged once a minute, not at each turn.

use std::time::Duration;

use tokio::time::Instant;

/// What was logged of one thing that can fail.
#[derive(Debug, Default)]
pub(crate) struct FailureLog {
    /// What was logged, without its numbers, and when.
    logged: Vec<(String, Instant)>,
    /// Since when it fails.
    since: Option<Instant>,
    /// Whether this failure was logged.
    is_logged: bool,
    worked: Option<Instant>,
}

/// How often a failure that lasts is logged.
const AGAIN_AFTER: Duration = Duration::from_secs(60);
/// What worked for so long has healed: the next failure is a new one.
const HEALED_AFTER: Duration = Duration::from_secs(10);
/// So many failures that take turns are distinguished.
const KINDS_MAX: usize = 8;

impl FailureLog {
    /// It failed; says whether to log it.
    pub(crate) fn failed(&mut self, failure: &str, now: Instant) -> bool {
        if self.worked.take().is_some_and(|worked| now >= worked + HEALED_AFTER) {
            self.logged.clear();
        }
        self.since.get_or_insert(now);
        let is_news = self.is_news(failure, now);
        self.is_logged |= is_news;
        is_news
    }

    /// Something is wrong that does not keep it from working; says whether to log it.
    pub(crate) fn is_news(&mut self, failure: &str, now: Instant) -> bool {
        let kind: String = failure.chars().filter(|char| !char.is_ascii_digit()).collect();
        self.logged.retain(|(_, then)| now < *then + AGAIN_AFTER);
        let is_news = self.logged.len() < KINDS_MAX && !self.logged.iter().any(|(known, _)| *known == kind);
        if is_news {
            self.logged.push((kind, now));
        }
        is_news
    }

    /// It works; says for how long it did not, if that was logged.
    pub(crate) fn worked(&mut self, now: Instant) -> Option<Duration> {
        let since = self.since.take()?;
        self.worked = Some(now);
        std::mem::take(&mut self.is_logged).then(|| now.saturating_duration_since(since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays `steps`, each at its second: a failure, or `""` for success. Returns the seconds of the lines.
    fn lines(steps: &[(u64, &str)]) -> Vec<u64> {
        let (start, mut log) = (Instant::now(), FailureLog::default());
        let is_line = |(second, failure): &&(u64, &str)| {
            let now = start + Duration::from_secs(*second);
            if failure.is_empty() { log.worked(now).is_some() } else { log.failed(failure, now) }
        };
        steps.iter().filter(is_line).map(|(second, _)| *second).collect::<Vec<_>>()
    }

    #[test]
    fn a_failure_is_logged_at_once_when_it_changes_and_once_a_minute() {
        assert_eq!(lines(&[(0, "a"), (1, "a"), (30, "a"), (61, "a"), (62, "a")]), [0, 61]);
        assert_eq!(lines(&[(0, "a"), (1, "b"), (2, "a"), (3, "b"), (61, "a"), (62, "b")]), [0, 1, 61, 62]);
        assert_eq!(lines(&[(0, "port 1"), (1, "port 23"), (2, "port 4 closed")]), [0, 2]);
    }

    #[test]
    fn healing_is_logged_once_and_what_fails_after_it_is_a_new_failure() {
        assert_eq!(lines(&[(0, ""), (1, "a"), (2, ""), (3, ""), (20, "a")]), [1, 2, 20]);
        assert_eq!(lines(&[(0, "a"), (1, ""), (2, "a"), (3, ""), (4, "a")]), [0, 1], "one that flaps is not a flood");
    }

    #[test]
    fn many_kinds_of_failures_are_not_a_flood_either() {
        let kinds: Vec<String> = ('a'..='z').map(String::from).collect();
        let steps: Vec<_> = kinds.iter().map(|kind| (0, kind.as_str())).collect();
        assert_eq!(lines(&steps).len(), KINDS_MAX);
    }
}
