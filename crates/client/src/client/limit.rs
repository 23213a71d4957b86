//! How long the calls of one handle may take, all tries included.
//!
//! A timeout is counted for each call anew, a deadline is a moment for all of them. For a plain call it holds until the
//! whole answer is there. For a watch, a log and a connection it holds until they begin: how long those last is said
//! otherwise. It works over any service, and comes on top of the limits that a client from a `Config` has.

use std::future::Future;
use std::time::Duration;

use http::Method;
use tokio::time::Instant;

use super::call::Unanswered;
use super::deadline::{Stage, Stalled};
use crate::error::{Error, Result};

/// What a handle grants its calls.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limit {
    pub(super) timeout: Option<Duration>,
    pub(super) deadline: Option<Instant>,
}

impl Limit {
    /// Waits for `call`, but not longer than granted.
    pub(super) async fn hold<T>(self, method: Method, path: &str, call: impl Future<Output = Result<T>>) -> Result<T> {
        let begun = Instant::now();
        let ends = [self.timeout.and_then(|timeout| begun.checked_add(timeout)), self.deadline];
        let Some(end) = ends.into_iter().flatten().min() else {
            return call.await;
        };
        let limit = end.saturating_duration_since(begun);
        // A call that is too late must not be sent: what is polled once may have reached the wire.
        let stage = if limit.is_zero() { Stage::Before } else { Stage::Whole };
        if let Stage::Whole = stage
            && let Ok(answer) = tokio::time::timeout_at(end, call).await
        {
            return answer;
        }
        let stalled = Stalled::new(stage, limit);
        Err(Error::Service(Unanswered::new(method, path, stalled.into()).into()))
    }
}
