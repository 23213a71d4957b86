//! An open watch, read event by event.

use std::time::Duration;

use bytes::BytesMut;
use http::Response;
use http_body_util::BodyExt;
use pintle::client::Body;
use serde_json::Value;

/// The events of one watch.
pub(crate) struct Watch {
    response: Response<Body>,
    rest: BytesMut,
}

/// What comes next.
#[derive(Debug)]
pub(crate) enum Next {
    Event(Value),
    /// The server ended the watch.
    End,
    /// Nothing came for a while.
    Silence,
}

impl Watch {
    pub(crate) fn new(response: Response<Body>) -> Self {
        Self { response, rest: BytesMut::new() }
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// What comes next within `patience`.
    pub(crate) async fn within(&mut self, patience: Duration) -> Next {
        tokio::time::timeout(patience, self.read()).await.unwrap_or(Next::Silence)
    }

    /// The next event.
    #[track_caller]
    pub(crate) fn event(&mut self) -> impl Future<Output = Value> {
        let caller = std::panic::Location::caller();
        async move {
            match self.within(PATIENCE).await {
                Next::Event(event) => event,
                other => panic!("expected an event at line {}, but: {other:?}", caller.line()),
            }
        }
    }

    /// The next event that is not a bookmark, which has this type and is about this name; its object.
    #[track_caller]
    pub(crate) fn expect(&mut self, kind: &str, name: &str) -> impl Future<Output = Value> {
        let caller = std::panic::Location::caller();
        async move {
            let mut event = self.event().await;
            while event["type"] == "BOOKMARK" {
                event = self.event().await;
            }
            let seen = (event["type"].as_str(), event["object"]["metadata"]["name"].as_str());
            assert_eq!(seen, (Some(kind), Some(name)), "at line {}: {event}", caller.line());
            event["object"].take()
        }
    }

    /// The next bookmark, after no other event; its object.
    pub(crate) async fn bookmark(&mut self) -> Value {
        let mut event = self.event().await;
        assert_eq!(event["type"], "BOOKMARK", "{event}");
        event["object"].take()
    }

    /// Events up to the end, which comes by itself.
    pub(crate) async fn rest(&mut self) -> Vec<Value> {
        let mut events = Vec::new();
        loop {
            match self.within(PATIENCE).await {
                Next::Event(event) => events.push(event),
                Next::End => return events,
                Next::Silence => panic!("the watch does not end; so far {events:?}"),
            }
        }
    }

    /// Asserts that nothing comes: `marker` is an event that was caused afterwards and must be the next.
    #[track_caller]
    pub(crate) fn nothing_before(&mut self, kind: &str, marker: &str) -> impl Future<Output = Value> {
        self.expect(kind, marker)
    }

    async fn read(&mut self) -> Next {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line = self.rest.split_to(end + 1);
                let event = serde_json::from_slice(&line);
                return Next::Event(event.unwrap_or_else(|error| panic!("an event that is not JSON: {error}")));
            }
            match self.response.body_mut().frame().await {
                None => return Next::End,
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        self.rest.extend_from_slice(&data);
                    }
                }
                Some(Err(error)) => panic!("the watch broke off: {error}"),
            }
        }
    }
}

/// Events come within milliseconds; a busy machine may need seconds.
const PATIENCE: Duration = Duration::from_secs(20);
