//! What a server made of a request: its status, and the reason in the Status it sent, in whatever encoding.

use std::fmt;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use pintle_wire::protobuf;
use serde_json::Value;

/// An answer, as far as it is compared; and its message, for people.
pub(super) struct Verdict {
    code: u16,
    reason: String,
    media_type: String,
    message: String,
}

impl Verdict {
    /// Reads an answer. The body of a success is not read: it may be a watch.
    pub(super) async fn of(answer: Result<Response<Incoming>, String>) -> Verdict {
        let answer = match answer {
            Ok(answer) => answer,
            Err(problem) => return Verdict::without_answer(problem),
        };
        let code = answer.status().as_u16();
        let media_type = media_type(answer.headers());
        if code < 400 {
            return Verdict { code, reason: String::new(), media_type, message: String::new() };
        }
        let body = match answer.into_body().collect().await {
            Ok(body) => body.to_bytes(),
            Err(error) => return Verdict::without_answer(error.to_string()),
        };
        let status = status(&media_type, &body);
        let text = |field: &str| status.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let message = if status.is_null() { String::from_utf8_lossy(&body).into_owned() } else { text("message") };
        Verdict { code, reason: text("reason"), media_type, message }
    }

    /// No answer in time.
    pub(super) fn silence() -> Verdict {
        Verdict::without_answer("no answer in time".to_owned())
    }

    fn without_answer(message: String) -> Verdict {
        Verdict { code: 0, reason: String::new(), media_type: String::new(), message }
    }

    pub(super) fn code(&self) -> u16 {
        self.code
    }

    /// Whether there was no answer at all.
    pub(super) fn is_silent(&self) -> bool {
        self.code == 0
    }

    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.code) || self.code == 409
    }

    /// Whether status, reason or the encoding of a refusal differ.
    pub(super) fn is_other_than(&self, other: &Verdict) -> bool {
        let encoding = |verdict: &Verdict| if verdict.code >= 400 { verdict.media_type.clone() } else { String::new() };
        self.code != other.code || self.reason != other.reason || encoding(self) != encoding(other)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message: String = self.message.chars().take(MESSAGE_SHOWN).collect();
        write!(f, "{} {} {} {message:?}", self.code, self.reason, self.media_type)
    }
}

fn media_type(headers: &HeaderMap) -> String {
    let said = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    said.split(';').next().unwrap_or_default().trim().to_owned()
}

/// The Status in a body; null where it is none.
fn status(media_type: &str, body: &Bytes) -> Value {
    match media_type {
        "application/json" => serde_json::from_slice(body).unwrap_or_default(),
        protobuf::MEDIA_TYPE => {
            let json = protobuf::to_json(body).ok();
            json.and_then(|json| serde_json::from_slice(&json).ok()).unwrap_or_default()
        }
        "application/yaml" => {
            // Its fields stand one to a line, and a reason is one word.
            let text = String::from_utf8_lossy(body);
            let field = |name: &str| {
                let line = text.lines().find_map(|line| line.strip_prefix(name));
                Value::from(line.unwrap_or_default().trim().to_owned())
            };
            serde_json::json!({"reason": field("reason:"), "message": field("message:")})
        }
        _ => Value::Null,
    }
}

/// A line or two.
const MESSAGE_SHOWN: usize = 200;
