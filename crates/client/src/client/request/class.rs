//! How the answer to a request comes: it decides about time limits, connections, compression and other tries.

use std::time::Duration;

use http::Uri;
use pintle_core::call::{Call, Verb};

/// How an answer comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::client) enum RequestClass {
    /// At once and to its end.
    Plain,
    /// A watch, which the server ends after the given time where the request says so.
    Watch(Option<Duration>),
    /// For as long as the reader likes: a log that is followed.
    Follow,
    /// Another protocol on the same connection: exec, attach, port-forward.
    Upgrade,
}

impl RequestClass {
    pub(super) fn of_call(call: &Call) -> Self {
        if call.verb == Verb::Watch {
            return Self::Watch(life(call.query.timeout_seconds));
        }
        if call.query.logs.follow { Self::Follow } else { Self::Plain }
    }

    /// The class of a request that is not one of the API's, such as a kubelet's log: the words of its query are the same.
    pub(super) fn of_foreign(uri: &Uri) -> Self {
        let words = || uri.query().unwrap_or_default().split('&');
        if words().any(|word| matches!(word, "watch=true" | "watch=1")) {
            return Self::Watch(life(words().find_map(|word| word.strip_prefix("timeoutSeconds=")?.parse().ok())));
        }
        if words().any(|word| matches!(word, "follow=true" | "follow=1")) { Self::Follow } else { Self::Plain }
    }
}

/// A server takes 0 for its own choice.
fn life(seconds: Option<u64>) -> Option<Duration> {
    seconds.filter(|seconds| *seconds > 0).map(Duration::from_secs)
}
