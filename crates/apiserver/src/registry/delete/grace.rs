//! How long a deleted object may still stand there: only pods have such a time, because a kubelet has to stop them.
//!
//! In: the object and the seconds asked for. Out: what the deletion does to its grace period. A second delete can only
//! make it shorter, counted from the first one; a delete with none left is seen by watchers as a mark, then as the end.

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::clock;
use crate::codec::object::Object;

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
    pub(super) fn of(kind: &Kind, object: &Object, asked: Option<i64>) -> Grace {
        if !kind.is("", "pods") {
            return Grace::None;
        }
        let asked = asked.map(|seconds| if seconds < 0 { 1 } else { seconds });
        if !object.is_deleting() {
            return Grace::First(first(object, asked));
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

/// The period of a pod that was not deleted before: none if it runs nowhere.
fn first(object: &Object, asked: Option<i64>) -> i64 {
    let at = |part: &str, field: &str| object.get(part)?.get(field);
    let text = |part, field| at(part, field).and_then(Value::as_str).unwrap_or_default();
    let ended = matches!(text("status", "phase"), "Succeeded" | "Failed");
    if text("spec", "nodeName").is_empty() || ended {
        return 0;
    }
    let own = at("spec", "terminationGracePeriodSeconds").and_then(Value::as_i64);
    match asked.or(own).unwrap_or(POD_GRACE_SECONDS) {
        negative if negative < 0 => 1,
        seconds => seconds,
    }
}

/// Kubernetes' default for pods that do not say.
const POD_GRACE_SECONDS: i64 = 30;
