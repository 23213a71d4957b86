//! How long an open watch is waited for, and what it means when it ends.
//!
//! In: how long each event was waited for, and the time. Out: until when to wait for the next one, and the input for the
//! machine when nothing came or the watch ended. Pure. A streaming list has patience of its own, and only waiting for the
//! server uses it up: the consumer may take its time.

use std::time::Duration;

use tokio::time::Instant;

use super::machine::Input;

/// The patience with one open watch.
pub(super) struct Patience {
    opened: Instant,
    dies: Instant,
    /// How long the server was waited for.
    waited: Duration,
    /// How much longer a streaming list may be waited for.
    left: Duration,
    has_news: bool,
}

/// What a watch is waited for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Awaited {
    /// What exists, as the beginning of a streaming list.
    InitialEvents,
    /// What changes.
    Changes,
}

/// A watch that lived less than this and brought nothing new is a failure, or a server that closes every watch would be
/// asked without pause.
const FUTILE_WATCH: Duration = Duration::from_secs(1);
/// How long past its own timeout a watch may live before it is taken for dead.
const WATCH_GRACE: Duration = Duration::from_secs(30);
/// A watch that ended without the bookmark of a streaming list after so long was not one.
const STREAMING_LIST_MAX: Duration = Duration::from_secs(60);
/// A streaming list that brings nothing for so long comes from a server that does not know it; client-go warns after
/// the same time.
const STREAMING_LIST_SILENCE: Duration = Duration::from_secs(10);
/// What a streaming list may take longer for each object it brings: a server that ignores the option brings a few
/// changes now and then, one that knows it thousands a second.
const STREAMING_LIST_GRANT: Duration = Duration::from_millis(10);

impl Patience {
    /// With a watch that was opened at `opened` and that the server ends after `lifetime`.
    pub(super) fn new(opened: Instant, lifetime: Duration) -> Self {
        let dies = opened + lifetime + WATCH_GRACE;
        Self { opened, dies, waited: Duration::ZERO, left: STREAMING_LIST_SILENCE, has_news: false }
    }

    /// Until when to wait for the next event.
    pub(super) fn deadline(&self, awaited: Awaited, now: Instant) -> Instant {
        match awaited {
            Awaited::InitialEvents => self.dies.min(now + self.left),
            Awaited::Changes => self.dies,
        }
    }

    /// The server was waited for so long.
    pub(super) fn waited(&mut self, time: Duration) {
        self.waited += time;
        self.left = self.left.saturating_sub(time);
    }

    /// An object of a streaming list came.
    pub(super) fn granted(&mut self) {
        self.left += STREAMING_LIST_GRANT;
    }

    /// An event brought something new.
    pub(super) fn saw_news(&mut self) {
        self.has_news = true;
    }

    /// Nothing came until the deadline.
    pub(super) fn silent<T>(&self, awaited: Awaited) -> Input<T> {
        match awaited {
            Awaited::InitialEvents if self.left.is_zero() => Input::Stalled,
            // Its lifetime went by while its objects were taken: that says nothing about the server.
            Awaited::InitialEvents | Awaited::Changes => Input::Ended { was_futile: false },
        }
    }

    /// The watch ended.
    pub(super) fn ended<T>(&self, awaited: Awaited, now: Instant) -> Input<T> {
        if awaited == Awaited::InitialEvents && self.waited >= STREAMING_LIST_MAX {
            return Input::Stalled;
        }
        let is_short = now.saturating_duration_since(self.opened) < FUTILE_WATCH;
        Input::Ended { was_futile: !self.has_news && is_short }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn opened() -> (Patience, Instant) {
        let now = Instant::now();
        (Patience::new(now, 5 * MINUTE), now)
    }

    fn is_stalled(input: &Input<u8>) -> bool {
        matches!(input, Input::Stalled)
    }

    #[test]
    fn only_waiting_for_the_server_uses_patience_up() {
        let (mut patience, start) = opened();
        for minute in 0..60_u32 {
            let now = start + minute * MINUTE;
            assert!(patience.deadline(Awaited::InitialEvents, now) <= now + STREAMING_LIST_SILENCE);
            patience.waited(STREAMING_LIST_GRANT);
            patience.granted();
        }
        let now = start + 60 * MINUTE;
        assert!(!is_stalled(&patience.ended(Awaited::InitialEvents, now)), "the consumer took an hour, not the server");
        assert!(!is_stalled(&patience.silent(Awaited::InitialEvents)), "its lifetime is over, its patience is not");
        patience.waited(STREAMING_LIST_SILENCE + MINUTE);
        assert!(is_stalled(&patience.silent(Awaited::InitialEvents)));
        assert!(is_stalled(&patience.ended(Awaited::InitialEvents, now)));
        assert!(!is_stalled(&patience.silent(Awaited::Changes)), "changes may never come");
    }

    #[test]
    fn a_watch_that_ends_at_once_is_futile_unless_it_brought_something_new() {
        let (mut patience, start) = opened();
        let is_futile = |patience: &Patience, after| {
            let input: Input<u8> = patience.ended(Awaited::Changes, start + Duration::from_millis(after));
            matches!(input, Input::Ended { was_futile: true })
        };
        assert_eq!((is_futile(&patience, 999), is_futile(&patience, 1000)), (true, false));
        patience.saw_news();
        assert!(!is_futile(&patience, 0));
    }
}
