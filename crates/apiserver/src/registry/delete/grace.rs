//! How long a deleted object may still stand there: a pod has such a time, because a kubelet has to stop it.
//!
//! In: the object and the seconds asked for. Out: what the deletion does to its grace period. A second delete can only
//! make it shorter, counted from the first one; a delete with none left is seen by watchers as a mark, then as the end.

use serde_json::Value;

use crate::clock;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;

/// What a delete does to the grace period.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Grace {
    /// The kind has none.
    None,
    /// It begins.
    First(i64),
    /// It is cut short.
    Shorter { seconds: i64, until: String },
    /// It goes on as it is.
    Pending,
}

impl Grace {
    pub(super) fn of(strategy: &dyn Strategy, object: &Object, asked: Option<i64>) -> Grace {
        let asked = asked.map(|seconds| if seconds < 0 { 1 } else { seconds });
        let Some(seconds) = strategy.grace_period(object, asked) else { return Grace::None };
        if !object.is_deleting() {
            return Grace::First(seconds);
        }
        let running = object.metadata().get("deletionGracePeriodSeconds").and_then(Value::as_i64);
        match (running, asked) {
            (None, _) => Grace::None,
            (Some(running), Some(seconds)) if seconds < running => {
                Grace::Shorter { seconds, until: clock::moved(object.meta("deletionTimestamp"), seconds - running) }
            }
            (Some(_), _) => Grace::Pending,
        }
    }

    /// Whether nothing of it is left.
    pub(super) fn is_over(&self) -> bool {
        matches!(self, Grace::None | Grace::First(0) | Grace::Shorter { seconds: 0, .. })
    }
}
