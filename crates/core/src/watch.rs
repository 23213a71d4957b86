//! What a watch sends, one event at a time.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use crate::metadata::TypeMeta;
use crate::response::Status;

/// The annotation on the bookmark that ends the initial events of a streaming list.
pub const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// One event of a watch.
#[derive(Clone, Deserialize, Serialize)]
#[serde(tag = "type", content = "object", rename_all = "UPPERCASE")]
pub enum WatchEvent<K> {
    /// An object came to be, or began to match the selector.
    Added(K),
    /// It changed.
    Modified(K),
    /// It went, or ceased to match the selector.
    Deleted(K),
    /// Nothing happened up to this version.
    Bookmark(Bookmark),
    /// The watch failed, and will end.
    Error(Box<Status>),
}

impl<K> fmt::Debug for WatchEvent<K> {
    /// Names the event; the object may be a Secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added(_) => f.write_str("Added event"),
            Self::Modified(_) => f.write_str("Modified event"),
            Self::Deleted(_) => f.write_str("Deleted event"),
            Self::Bookmark(_) => f.write_str("Bookmark event"),
            Self::Error(status) => write!(f, "Error event: {status}"),
        }
    }
}

/// A version up to which the watch has sent everything.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Bookmark {
    /// `apiVersion` and `kind`; empty where the server leaves them out.
    #[serde(flatten, deserialize_with = "types_or_none")]
    pub types: TypeMeta,
    /// The version.
    pub metadata: BookmarkMeta,
}

fn types_or_none<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TypeMeta, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

impl Bookmark {
    /// Whether this ends the initial events of a streaming list.
    pub fn ends_initial_events(&self) -> bool {
        self.metadata.annotations.get(INITIAL_EVENTS_END).is_some_and(|value| value == "true")
    }
}

/// The metadata of a bookmark.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BookmarkMeta {
    /// The version.
    pub resource_version: String,
    /// What else the server says of it.
    #[serde(default)]
    pub annotations: BTreeMap<String, String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::core::v1::ConfigMap;

    fn parse(json: &str) -> WatchEvent<ConfigMap> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn events_parse_and_print() {
        let json = r#"{"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}}"#;
        let event = parse(json);
        assert!(matches!(&event, WatchEvent::Added(map) if map.metadata.name.as_deref() == Some("a")));
        assert_eq!(serde_json::to_string(&event).unwrap(), json);
    }

    #[test]
    fn bookmarks_come_with_and_without_a_type() {
        for types in ["", r#""apiVersion":"v1","kind":"ConfigMap","#] {
            let json = format!(r#"{{"type":"BOOKMARK","object":{{{types}"metadata":{{"resourceVersion":"12345"}}}}}}"#);
            let WatchEvent::Bookmark(bookmark) = parse(&json) else { panic!("{json} is a bookmark") };
            assert_eq!(bookmark.metadata.resource_version, "12345");
            assert!(!bookmark.ends_initial_events());
        }
    }

    #[test]
    fn the_end_of_the_initial_events_is_an_annotated_bookmark() {
        let WatchEvent::Bookmark(bookmark) = parse(
            r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5",
               "annotations":{"k8s.io/initial-events-end":"true"}}}}"#,
        ) else {
            panic!("it is a bookmark")
        };
        assert!(bookmark.ends_initial_events());
    }

    #[test]
    fn an_event_does_not_show_its_object() {
        let event = parse(r#"{"type":"ADDED","object":{"data":{"password":"hunter2"}}}"#);
        assert!(!format!("{event:?}").contains("hunter2"));
    }

    #[test]
    fn any_event_reads_back_as_it_was_written() {
        use crate::response::reason;
        use crate::seeded::Walk;
        for seed in 0..2_000 {
            let mut walk = Walk::new(seed);
            let object = serde_json::json!({"data": walk.text(9), "kind": walk.text(3)});
            let metadata = BookmarkMeta {
                resource_version: walk.text(4),
                annotations: (0..walk.below(3)).map(|_| (walk.text(4), walk.text(4))).collect(),
            };
            let event = match walk.below(5) {
                0 => WatchEvent::Added(object),
                1 => WatchEvent::Modified(object),
                2 => WatchEvent::Deleted(object),
                3 => WatchEvent::Bookmark(Bookmark { types: TypeMeta::default(), metadata }),
                _ => WatchEvent::Error(Status::failure(&walk.text(9), walk.one_of(reason::ALL)).boxed()),
            };
            let written = serde_json::to_string(&event).unwrap();
            let read: WatchEvent<serde_json::Value> = serde_json::from_str(&written).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), written, "seed {seed}");
        }
    }
}
