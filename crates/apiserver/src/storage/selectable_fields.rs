//! The fields of a stored object by which it can be selected, as texts.
//!
//! In: a kind and a body. Out: the text of each of the kind's selectable fields. An entry keeps them, so that a body is decoded
//! once, and not for each watcher that selects by a field.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::catalog::kinds::Kind;

/// The texts of the fields that a version of a kind selects by.
pub(super) struct SelectableFields {
    names: Arc<[String]>,
    texts: Box<[Box<str>]>,
    /// Those of another version, which selects by other fields.
    pub(super) of_another_version: OnceLock<Box<SelectableFields>>,
}

impl SelectableFields {
    pub(super) fn read(kind: &Kind, body: &[u8]) -> SelectableFields {
        let body: Value = serde_json::from_slice(body).expect("stored bodies were encoded by this server");
        let text = |field: &String| kind.strategy.selectable_field(&body, field).into_boxed_str();
        SelectableFields {
            names: Arc::clone(&kind.selectable_fields),
            texts: kind.selectable_fields.iter().map(text).collect(),
            of_another_version: OnceLock::new(),
        }
    }

    /// Whether these are the fields of this version.
    pub(super) fn are_of(&self, kind: &Kind) -> bool {
        Arc::ptr_eq(&self.names, &kind.selectable_fields)
    }

    /// The text of a field, if it is one of them.
    pub(super) fn get(&self, field: &str) -> Option<&str> {
        let place = self.names.iter().position(|name| name == field)?;
        self.texts.get(place).map(|text| &**text)
    }
}

/// The text at a path such as `spec.nodeName`, if there is something.
pub(crate) fn text_at(body: &Value, path: &str) -> Option<String> {
    text(path.split('.').try_fold(body, |value, part| value.get(part))?)
}

/// The same where one field counts as something while it is absent.
pub(crate) fn text_or(body: &Value, path: &str, field: &str, absent: &str) -> String {
    let absent = if path == field { absent } else { "" };
    text_at(body, path).unwrap_or_else(|| absent.to_owned())
}

/// A value as selectors compare it.
pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use pintle_wire::HeadReader;
    use serde_json::json;

    use super::*;
    use crate::catalog::kinds;
    use crate::codec::object::Object;
    use crate::registry::custom_resource::CustomResource;
    use crate::registry::strategy::{self, Strategy};
    use crate::storage::entry::{ChangeKind, Entry};

    /// Counts how often a field is looked for.
    #[derive(Debug)]
    struct Counting;

    static LOOKED: AtomicUsize = AtomicUsize::new(0);

    impl Strategy for Counting {
        fn selectable_field(&self, object: &Value, field: &str) -> String {
            LOOKED.fetch_add(1, Ordering::Relaxed);
            text_at(object, field).unwrap_or_default()
        }
    }

    fn kind(fields: &[&str]) -> Kind {
        let pods = kinds::built_in("", "v1", "pods").unwrap();
        Kind { strategy: &Counting, selectable_fields: kinds::owned(fields).into(), ..Kind::clone(&pods) }
    }

    #[test]
    fn a_body_is_decoded_once_however_many_select_by_its_fields() {
        let object = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {"nodeName": "n"}, "status": {"phase": "Running"},
        });
        let object = Object::from_value(object).unwrap();
        let entry = Entry::new(&mut HeadReader::new(), ChangeKind::Added, &object, 7).unwrap();
        let (one, other) = (kind(&["spec.nodeName", "status.phase"]), kind(&["status.phase", "spec.hostname"]));
        for _watcher in 0..1000 {
            assert_eq!(entry.selectable_field(&one, "spec.nodeName"), "n");
            assert_eq!(entry.selectable_field(&one, "status.phase"), "Running");
        }
        assert_eq!(LOOKED.load(Ordering::Relaxed), 2, "each field of the version once");
        for _watcher in 0..1000 {
            assert_eq!(entry.selectable_field(&other, "status.phase"), "Running");
        }
        assert_eq!(LOOKED.load(Ordering::Relaxed), 2, "what another version selects by as well is known");
        for _watcher in 0..1000 {
            assert_eq!(entry.selectable_field(&other, "spec.hostname"), "");
        }
        assert_eq!(LOOKED.load(Ordering::Relaxed), 4, "and the rest is looked for once more");
        assert_eq!(entry.selectable_field(&one, "spec.unknown"), "", "what no version selects by is nothing");
    }

    #[test]
    fn an_absent_field_is_zero_or_false_only_where_its_kind_says_so() {
        let absent = |strategy: &dyn Strategy, field: &str| strategy.selectable_field(&json!({"status": {}}), field);
        assert_eq!(absent(strategy::of("", "nodes"), "spec.unschedulable"), "false");
        assert_eq!(absent(strategy::of("", "pods"), "spec.hostNetwork"), "false");
        assert_eq!(absent(strategy::of("", "pods"), "status.phase"), "");
        assert_eq!(absent(strategy::of("apps", "replicasets"), "status.replicas"), "0");
        assert_eq!(absent(strategy::of("batch", "jobs"), "status.successful"), "0");
        assert_eq!(absent(&CustomResource, "status.replicas"), "");
    }

    #[test]
    fn an_event_is_selected_by_either_form_of_its_fields() {
        let event = json!({
            "regarding": {"name": "x"}, "reportingController": "c", "source": {"component": "kubelet", "host": "h"},
        });
        for group in ["", "events.k8s.io"] {
            let text = |field| strategy::of(group, "events").selectable_field(&event, field);
            assert_eq!((text("involvedObject.name"), text("regarding.name")), ("x".to_owned(), "x".to_owned()));
            assert_eq!((text("reportingComponent"), text("source")), ("c".to_owned(), "kubelet".to_owned()));
            let reported =
                strategy::of(group, "events").selectable_field(&json!({"reportingController": "c"}), "source");
            assert_eq!(reported, "c", "without a component, who reported it is its source");
        }
    }
}
