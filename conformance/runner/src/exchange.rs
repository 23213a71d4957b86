//! What was asked and what was answered.

use serde_json::Value;

/// One step of a recording.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exchange {
    pub(crate) title: String,
    /// As it stands in the script: with its variables.
    pub(crate) asked: String,
    pub(crate) answer: Answer,
    /// The body before it was shortened for printing: what is masked is learnt from it.
    pub(crate) whole: Body,
}

/// An answer, or what was read of one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: Option<u16>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Body,
    /// What the runner has to say about it.
    pub(crate) notes: Vec<String>,
}

/// The body of an answer.
#[derive(Clone, Debug, Default)]
pub(crate) enum Body {
    #[default]
    Nothing,
    /// One value, or the events of a watch.
    Json(Vec<Value>),
    Text(String),
    Bytes(Vec<u8>),
}

impl Body {
    /// One value, or the events of a watch, or nothing.
    pub(crate) fn values(&self) -> &[Value] {
        match self {
            Body::Json(values) => values,
            _ => &[],
        }
    }

    /// Puts events that follow each other and say `ADDED` in the order of their objects' names.
    pub(crate) fn sort_added(&mut self) {
        let Body::Json(values) = self else { return };
        let is_added = |value: &Value| value["type"] == "ADDED";
        let name = |value: &Value| {
            let part = |key: &str| value["object"]["metadata"][key].as_str().unwrap_or_default().to_owned();
            (part("namespace"), part("name"))
        };
        values.chunk_by_mut(|a, b| is_added(a) && is_added(b)).for_each(|run| run.sort_by_key(name));
    }

    /// Leaves out bookmarks that come when they come.
    pub(crate) fn drop_passing_bookmarks(&mut self) {
        if let Body::Json(values) = self {
            values.retain(|value| !is_passing_bookmark(value));
        }
    }

    /// What a JSON pointer leads to. Events are an array.
    pub(crate) fn pointer(&self, pointer: &str) -> Option<Value> {
        match self.values() {
            [value] if !is_event(value) => value.pointer(pointer).cloned(),
            values => Value::from(values.to_vec()).pointer(pointer).cloned(),
        }
    }
}

/// Whether an event is a bookmark that no request is owed: the one that ends the initial events has an annotation.
pub(crate) fn is_passing_bookmark(event: &Value) -> bool {
    event["type"] == "BOOKMARK" && !event["object"].to_string().contains("k8s.io/initial-events-end")
}

/// Whether a value is an event of a watch.
pub(crate) fn is_event(value: &Value) -> bool {
    value.get("type").is_some() && value.get("object").is_some()
}
