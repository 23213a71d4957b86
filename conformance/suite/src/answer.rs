//! What a server answered, and the questions behaviours ask about it.

use std::fmt;

use bytes::Bytes;
use http::response::Parts;
use serde_json::Value;

/// An answer, whole.
pub(crate) struct Answer {
    pub(crate) code: u16,
    head: Parts,
    body: Bytes,
    namespace: String,
    group: String,
}

impl Answer {
    pub(crate) fn new(head: Parts, body: Bytes, (namespace, group): (&str, &str)) -> Self {
        Self { code: head.status.as_u16(), head, body, namespace: namespace.to_owned(), group: group.to_owned() }
    }

    /// The body, after the code is what is expected.
    #[track_caller]
    pub(crate) fn value(&self, code: u16) -> Value {
        assert_eq!(self.code, code, "expected {code}: {self}");
        self.json()
    }

    /// The body as JSON; null where it is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.body
    }

    /// A header's text, empty where it is missing.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The texts of all `Warning` headers.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let lines = self.head.headers.get_all("warning").iter().filter_map(|value| value.to_str().ok());
        let text = |line: &str| {
            let quoted = line.strip_prefix("299 - \"").and_then(|rest| rest.strip_suffix('"'));
            quoted.unwrap_or(line).replace("\\\"", "\"")
        };
        lines.map(text).collect()
    }

    /// A Status with this code, reason and message; `{ns}` and `{group}` in it stand for the place's.
    #[track_caller]
    pub(crate) fn refused(&self, code: u16, reason: &str, message: &str) -> Value {
        let status = self.status(code, reason);
        let expected = message.replace("{ns}", &self.namespace).replace("{group}", &self.group);
        assert_eq!(status["message"], expected.as_str(), "{self}");
        status
    }

    /// A Status with this code and reason, and a message that holds `part`.
    #[track_caller]
    pub(crate) fn refused_with(&self, code: u16, reason: &str, part: &str) -> Value {
        let status = self.status(code, reason);
        let part = part.replace("{ns}", &self.namespace).replace("{group}", &self.group);
        let message = status["message"].as_str().unwrap_or_default();
        assert!(message.contains(&part), "expected a message with {part:?}: {self}");
        status
    }

    #[track_caller]
    fn status(&self, code: u16, reason: &str) -> Value {
        let status = self.value(code);
        assert_eq!((&status["kind"], &status["apiVersion"]), (&"Status".into(), &"v1".into()), "{self}");
        assert_eq!(status["status"], "Failure", "{self}");
        assert_eq!(status["code"], code, "{self}");
        assert_eq!(status["reason"].as_str().unwrap_or_default(), reason, "{self}");
        status
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text();
        let shown: String = text.chars().take(SHOWN_MAX).collect();
        write!(f, "{} {}", self.code, shown.trim_end())
    }
}

/// The names of a list's items, in order.
pub(crate) fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().into_iter().flatten();
    items.map(|item| item["metadata"]["name"].as_str().unwrap_or_default().to_owned()).collect()
}

/// An object's resourceVersion, or a list's.
#[track_caller]
pub(crate) fn version_of(object: &Value) -> &str {
    object["metadata"]["resourceVersion"].as_str().unwrap_or_else(|| panic!("no resourceVersion in {object}"))
}

/// The same as a number, to compare.
#[track_caller]
pub(crate) fn revision(object: &Value) -> u64 {
    version_of(object).parse().unwrap_or_else(|_| panic!("{} is not a decimal number", version_of(object)))
}

/// Enough for a Status; a list is not worth more.
const SHOWN_MAX: usize = 1_500;
