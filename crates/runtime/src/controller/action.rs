//! What a reconciler wants next.

use std::time::Duration;

/// When to look at an object again.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Action {
    next: Next,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Next {
    Change,
    After(Duration),
    Backoff,
}

impl Action {
    /// After `duration` at the latest, even if nothing changes.
    #[must_use]
    pub const fn requeue(duration: Duration) -> Self {
        Self { next: Next::After(duration) }
    }

    /// When something changes.
    #[must_use]
    pub const fn await_change() -> Self {
        Self { next: Next::Change }
    }

    /// After a delay that doubles with each time in a row that this object asks for it: 5 ms, 10 ms, … 1000 s.
    #[must_use]
    pub const fn backoff() -> Self {
        Self { next: Next::Backoff }
    }

    pub(super) fn next(&self) -> Next {
        self.next
    }
}
