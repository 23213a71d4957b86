//! A body as it arrives.
//!
//! In: chunks. Out: JSON values one after the other (one object, or the events of a watch), or text, or bytes. Reading
//! stops at an end that the script chose, because a watch has none of its own.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Request};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::endpoint::Endpoint;
use crate::exchange::{Answer, Body, is_passing_bookmark};
use crate::script::Reading;

/// A body that is being read.
pub(crate) struct Stream {
    body: Incoming,
    bytes: Vec<u8>,
    ended: Option<Ending>,
}

/// Why reading stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Closed,
    Broken,
    Open,
}

impl Stream {
    /// Sends a request; its answer's body is still to be read.
    pub(crate) async fn open(endpoint: &Endpoint, request: Request<Full<Bytes>>) -> Result<(Answer, Stream), String> {
        let response = endpoint.send(request).await?;
        let headers = response.headers().iter();
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let answer = Answer {
            status: Some(response.status().as_u16()),
            headers: headers.map(|(name, value)| (name.as_str().to_owned(), text(value))).collect(),
            ..Answer::default()
        };
        Ok((answer, Stream { body: response.into_body(), bytes: Vec::new(), ended: None }))
    }

    pub(crate) async fn read(&mut self, reading: Reading) -> Ending {
        let begun = Instant::now();
        match reading {
            Reading::For(time) => self.read_while(begun + time, |_| true).await,
            Reading::ToTheEnd => self.read_while(begun + ANSWER_MAX, |_| true).await,
            Reading::Events(events) => {
                let ending = self.read_while(begun + EVENTS_MAX, |lines| lines < events).await;
                if ending != Ending::Open {
                    return ending;
                }
                // Unexpected events come at once, if they come.
                self.read_while(Instant::now() + LATE_EVENTS, |_| true).await
            }
        }
    }

    /// Reads until an event of a watch is the one that is waited for, or time is up.
    pub(crate) async fn read_until(&mut self, time_max: Duration, is_last: impl Fn(&Value) -> bool) {
        let deadline = Instant::now() + time_max;
        while self.ended.is_none() && Instant::now() < deadline && !self.whole_events().any(|event| is_last(&event)) {
            let events = self.events();
            self.read_while(deadline, |now| now == events).await;
        }
    }

    /// What was read, and not yet taken.
    pub(crate) fn take(&mut self) -> Body {
        let bytes = std::mem::take(&mut self.bytes);
        if bytes.is_empty() {
            return Body::Nothing;
        }
        let values: Result<Vec<Value>, _> = serde_json::Deserializer::from_slice(&bytes).into_iter().collect();
        match (values, String::from_utf8(bytes)) {
            (Ok(values), _) => Body::Json(values),
            (Err(_), Ok(text)) => Body::Text(text),
            (Err(_), Err(error)) => Body::Bytes(error.into_bytes()),
        }
    }

    async fn read_while(&mut self, deadline: Instant, more: impl Fn(usize) -> bool) -> Ending {
        while self.ended.is_none() && more(self.events()) && self.bytes.len() < BODY_MAX {
            match timeout_at(deadline, self.body.frame()).await {
                Err(_) => return Ending::Open,
                Ok(None) => self.ended = Some(Ending::Closed),
                Ok(Some(Err(_))) => self.ended = Some(Ending::Broken),
                Ok(Some(Ok(frame))) => self.bytes.extend_from_slice(&frame.into_data().unwrap_or_default()),
            }
        }
        self.ended.unwrap_or(Ending::Open)
    }

    /// The events that have come whole. Bookmarks that are not waited for come at any time, and are not counted.
    fn events(&self) -> usize {
        self.whole_events().count()
    }

    fn whole_events(&self) -> impl Iterator<Item = Value> {
        let whole = self.bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
        let events = whole.filter_map(|line| serde_json::from_slice(line).ok());
        events.filter(|event: &Value| !is_passing_bookmark(event))
    }
}

impl Ending {
    pub(crate) fn note(self) -> String {
        match self {
            Ending::Closed => "(the server ended the stream)",
            Ending::Broken => "(the stream broke off)",
            Ending::Open => "(still open)",
        }
        .to_owned()
    }
}

/// kube-apiserver gives up after a minute.
const ANSWER_MAX: Duration = Duration::from_secs(65);

/// Events that are due come within milliseconds; bookmarks within a second or two.
const EVENTS_MAX: Duration = Duration::from_secs(5);

/// How long something unexpected is listened for.
const LATE_EVENTS: Duration = Duration::from_millis(300);

/// The longest answers are OpenAPI documents of a few megabytes.
const BODY_MAX: usize = 64 << 20;
