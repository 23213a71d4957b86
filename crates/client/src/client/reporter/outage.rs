//! When to say that calls get no answer, and when that they do again. Pure: it takes the time and returns what to log.
//!
//! A problem is logged when it begins, when it changes, and once a minute while it lasts; never once per try or call.

use std::time::Duration;

use tokio::time::Instant;

/// How long a problem that lasts is not said again: often enough to be found in a log, rare enough to be read.
const AGAIN_AFTER: Duration = Duration::from_secs(60);

/// A problem that comes back after it was over is logged sooner, but a flickering one must not fill the log.
const BACK_AFTER: Duration = Duration::from_secs(10);

/// How many problems are logged in a minute: more is noise.
const KNOWN_MAX: usize = 16;

/// What keeps calls from being answered.
#[derive(Debug, Default)]
pub(in crate::client) struct Outage {
    /// Since when; `None` while all is well.
    since: Option<Instant>,
    /// Whether the current trouble was logged.
    is_said: bool,
    failures: u32,
    known: Vec<Problem>,
}

#[derive(Debug)]
struct Problem {
    text: String,
    said: Instant,
    /// Whether it was over since.
    was_over: bool,
}

/// A problem to be said now.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::client) struct Report {
    /// How long calls have failed, and how many: nothing for the first.
    pub(in crate::client) lasts: Option<(Duration, u32)>,
}

impl Outage {
    /// A call or try failed; says whether that is to be logged.
    pub(in crate::client) fn failed(&mut self, text: &str, now: Instant) -> Option<Report> {
        let since = *self.since.get_or_insert(now);
        self.failures += 1;
        if !self.is_due(text, now) {
            return None;
        }
        self.is_said = true;
        self.known.retain(|problem| problem.text != text && now - problem.said < AGAIN_AFTER);
        self.known.push(Problem { text: text.to_owned(), said: now, was_over: false });
        Some(Report { lasts: (self.failures > 1).then(|| (now - since, self.failures)) })
    }

    /// A failure that is not worth a line yet.
    pub(in crate::client) fn noted(&mut self, now: Instant) {
        self.since.get_or_insert(now);
        self.failures += 1;
    }

    /// Whether something failed since the last answer.
    pub(in crate::client) fn is_any(&self) -> bool {
        self.since.is_some()
    }

    /// A call was answered; says how long the trouble lasted, where its end is to be logged.
    pub(in crate::client) fn answered(&mut self, now: Instant) -> Option<Duration> {
        let since = self.since.take()?;
        self.failures = 0;
        for problem in &mut self.known {
            problem.was_over = true;
        }
        std::mem::take(&mut self.is_said).then(|| now - since)
    }

    fn is_due(&self, text: &str, now: Instant) -> bool {
        let Some(problem) = self.known.iter().find(|problem| problem.text == text) else {
            return self.known.iter().filter(|problem| now - problem.said < AGAIN_AFTER).count() < KNOWN_MAX;
        };
        now - problem.said >= if problem.was_over { BACK_AFTER } else { AGAIN_AFTER }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seconds, and what happens: a failure of that name, or an answer. Returns what is logged when.
    fn logged(events: &[(u64, Option<&str>)]) -> Vec<String> {
        let start = Instant::now();
        let mut outage = Outage::default();
        let mut lines = Vec::new();
        for (second, event) in events {
            let now = start + Duration::from_secs(*second);
            match event {
                Some(text) => {
                    if let Some(said) = outage.failed(text, now) {
                        let lasts = said.lasts.map(|(time, count)| format!(" {count} in {time:?}"));
                        lines.push(format!("{second}: {text}{}", lasts.unwrap_or_default()));
                    }
                }
                None => lines.extend(outage.answered(now).map(|lasted| format!("{second}: over after {lasted:?}"))),
            }
        }
        lines
    }

    #[test]
    fn a_problem_is_said_when_it_begins_once_a_minute_and_when_it_changes() {
        let refused: Vec<_> = (0..130).map(|second| (second, Some("refused"))).collect();
        assert_eq!(logged(&refused), ["0: refused", "60: refused 61 in 60s", "120: refused 121 in 120s"]);
        let changing = [(0, Some("refused")), (1, Some("refused")), (2, Some("reset")), (3, Some("reset"))];
        assert_eq!(logged(&changing), ["0: refused", "2: reset 3 in 2s"]);
    }

    #[test]
    fn its_end_is_said_once_and_only_where_its_beginning_was() {
        assert!(logged(&[(0, None), (1, None)]).is_empty());
        assert_eq!(logged(&[(0, Some("refused")), (7, None), (8, None)]), ["0: refused", "7: over after 7s"]);
    }

    #[test]
    fn a_flickering_problem_does_not_fill_the_log() {
        let events: Vec<_> = (0..20).flat_map(|second| [(second, Some("reset")), (second, None)]).collect();
        assert_eq!(logged(&events), ["0: reset", "0: over after 0ns", "10: reset", "10: over after 0ns"]);
    }

    #[test]
    fn endless_new_problems_neither_fill_the_log_nor_the_memory() {
        let mut outage = Outage::default();
        let now = Instant::now();
        let said = (0..100).filter(|number| outage.failed(&number.to_string(), now).is_some()).count();
        assert_eq!((said, outage.known.len()), (KNOWN_MAX, KNOWN_MAX));
    }
}
