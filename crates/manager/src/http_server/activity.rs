//! What a connection is doing, and until when it may: pure, with the time passed in.
//!
//! HTTP/1.1 has a limit for headers that began to arrive and a longer one for silence between requests. HTTP/2 sends frames
//! that belong to no request, so there only the time without a request counts.

use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

/// Shared by the stream that sees bytes, the service that sees requests, and the task that ends the connection.
#[derive(Debug)]
pub(super) struct Activity(Mutex<State>);

#[derive(Clone, Copy, Debug)]
struct State {
    requests: usize,
    is_http2: bool,
    /// When the last request ended.
    idle_since: Instant,
    /// When the first byte of the next request came.
    reading_since: Option<Instant>,
}

/// How a connection ends that did nothing for too long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Overdue {
    /// Nobody waits for it: it is closed politely.
    Idle,
    /// A request did not arrive.
    Headers,
}

impl Activity {
    /// A connection that was just accepted: its first request is on its way.
    pub(super) fn new(now: Instant) -> Self {
        let state = State { requests: 0, is_http2: false, idle_since: now, reading_since: Some(now) };
        Self(Mutex::new(state))
    }

    pub(super) fn bytes_came(&self, now: Instant) {
        self.change(|state| {
            if state.requests == 0 && !state.is_http2 {
                state.reading_since.get_or_insert(now);
            }
        });
    }

    pub(super) fn request_came(&self, version: http::Version) {
        self.change(|state| {
            state.requests += 1;
            state.is_http2 |= version == http::Version::HTTP_2;
            state.reading_since = None;
        });
    }

    pub(super) fn request_ended(&self, now: Instant) {
        self.change(|state| {
            state.requests -= 1;
            state.idle_since = now;
        });
    }

    /// When the connection is to end unless something happens; `None` while it has requests.
    pub(super) fn deadline(&self, header_read_timeout: Duration, idle_timeout: Duration) -> Option<(Instant, Overdue)> {
        let state = self.change(|state| *state);
        match state.reading_since {
            _ if state.requests > 0 => None,
            Some(since) => Some((since + header_read_timeout, Overdue::Headers)),
            None => Some((state.idle_since + idle_timeout, Overdue::Idle)),
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        // A panic cannot leave it half changed, so that poison means nothing.
        change(&mut self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Version;

    const HEADERS: Duration = Duration::from_secs(32);
    const IDLE: Duration = Duration::from_secs(90);

    #[test]
    fn headers_have_their_limit_from_their_first_byte_and_silence_a_longer_one() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let activity = Activity::new(start);
        let deadline = || activity.deadline(HEADERS, IDLE);
        assert_eq!(deadline(), Some((at(32), Overdue::Headers)), "a connection has to begin with a request");
        activity.bytes_came(at(10));
        assert_eq!(deadline(), Some((at(32), Overdue::Headers)), "one byte now and then does not help");
        activity.request_came(Version::HTTP_11);
        assert_eq!(deadline(), None);
        activity.bytes_came(at(20));
        activity.request_ended(at(30));
        assert_eq!(deadline(), Some((at(120), Overdue::Idle)), "what came during a request was its body");
        activity.bytes_came(at(100));
        assert_eq!(deadline(), Some((at(132), Overdue::Headers)));
    }

    #[test]
    fn frames_of_http2_without_a_request_do_not_keep_a_connection() {
        let start = Instant::now();
        let activity = Activity::new(start);
        activity.request_came(Version::HTTP_2);
        activity.request_came(Version::HTTP_2);
        activity.request_ended(start);
        assert_eq!(activity.deadline(HEADERS, IDLE), None, "one of two still runs");
        activity.request_ended(start);
        activity.bytes_came(start + Duration::from_secs(50));
        assert_eq!(activity.deadline(HEADERS, IDLE), Some((start + IDLE, Overdue::Idle)));
    }
}
