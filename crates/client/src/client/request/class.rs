//! What kind of answer a request waits for: it decides about time limits, connections and repetition.

use std::time::Duration;

use http::Request;
use http::header::UPGRADE;

/// How an answer comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::client) enum Pace {
    /// At once and to its end.
    Plain,
    /// A watch, which the server ends after the given time where the request says so.
    Watch(Option<Duration>),
    /// For as long as somebody likes: a log that is followed.
    Open,
    /// Another protocol on the same connection: exec, attach, port-forward.
    Upgrade,
}

impl Pace {
    pub(in crate::client) fn of<B>(request: &Request<B>) -> Self {
        if request.headers().contains_key(UPGRADE) {
            return Self::Upgrade;
        }
        let words = || request.uri().query().unwrap_or_default().split('&');
        if words().any(|word| matches!(word, "watch=true" | "watch=1")) {
            let seconds = words().find_map(|word| word.strip_prefix("timeoutSeconds=")?.parse().ok());
            // A server takes 0 for its own choice.
            return Self::Watch(seconds.filter(|seconds| *seconds > 0).map(Duration::from_secs));
        }
        if words().any(|word| matches!(word, "follow=true" | "follow=1")) { Self::Open } else { Self::Plain }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_and_the_headers_tell_the_pace() {
        let cases = [
            ("/api/v1/pods?", Pace::Plain),
            ("/api/v1/pods?&watch=true", Pace::Watch(None)),
            ("/api/v1/pods?&watch=1&timeoutSeconds=0", Pace::Watch(None)),
            ("/api/v1/pods?&timeoutSeconds=290&watch=true", Pace::Watch(Some(Duration::from_secs(290)))),
            ("/api/v1/pods?&labelSelector=watch%3Dtrue", Pace::Plain),
            ("/api/v1/namespaces/a/pods/b/log?&follow=true", Pace::Open),
        ];
        for (uri, pace) in cases {
            assert_eq!(Pace::of(&Request::get(uri).body(()).unwrap()), pace, "{uri}");
        }
        let upgrade = Request::get("/exec").header(UPGRADE, "websocket").body(()).unwrap();
        assert_eq!(Pace::of(&upgrade), Pace::Upgrade);
    }
}
