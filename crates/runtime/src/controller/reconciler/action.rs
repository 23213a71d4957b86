//! What a reconciler wants next.

use std::fmt;
use std::time::Duration;

/// When to look at an object again.
#[derive(Clone, Eq, PartialEq)]
pub struct Action {
    next: Next,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::controller) enum Next {
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

    /// After a delay that doubles with each time in a row that this object asks for it: 5 ms, 10 ms, … 1000 s, unless
    /// [`Config::backoff`](crate::controller::Config::backoff) says otherwise.
    #[must_use]
    pub const fn backoff() -> Self {
        Self { next: Next::Backoff }
    }

    pub(in crate::controller) fn next(&self) -> Next {
        self.next
    }
}

impl fmt::Debug for Action {
    /// As kube prints it: programs log it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut action = f.debug_struct("Action");
        match self.next {
            Next::Change => action.field("requeue_after", &None::<Duration>),
            Next::After(duration) => action.field("requeue_after", &Some(duration)),
            Next::Backoff => action.field("requeue_after", &Next::Backoff),
        };
        action.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_printed_as_in_kube() {
        let printed = |action: Action| format!("{action:?}");
        assert_eq!(printed(Action::requeue(Duration::from_secs(5))), "Action { requeue_after: Some(5s) }");
        assert_eq!(printed(Action::await_change()), "Action { requeue_after: None }");
        assert_eq!(printed(Action::backoff()), "Action { requeue_after: Backoff }");
    }
}
