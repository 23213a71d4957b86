//! Who took fields over, by what `managedFields` said before and after.

use std::collections::BTreeSet;

use pintle_core::field_set::{FieldPath, FieldSet, PathElement};
use serde_json::Value;

use crate::controller::machine::loop_detector::paths::push_field;

/// A manager that now has fields it did not have before.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Taker {
    pub(super) manager: String,
    pub(super) paths: Vec<String>,
}

/// Who manages fields in `after` that they did not in `before`; the one with the most of them. `own` are the names of
/// one's own.
pub(super) fn taker(before: &Value, after: &Value, own: &[String]) -> Option<Taker> {
    let managed_before: Vec<_> = entries(before).collect();
    let takers = entries(after).filter(|entry| !own.iter().any(|own| own == entry.manager)).map(|entry| {
        let known = managed_before.iter().find(|known| known.is_same_manager(&entry)).map(Entry::fields);
        let taken: Vec<_> = entry.fields().difference(&known.unwrap_or_default()).cloned().collect();
        Taker { manager: entry.manager.to_owned(), paths: taken }
    });
    takers.filter(|taker| !taker.paths.is_empty()).max_by_key(|taker| taker.paths.len())
}

/// The names under which `after` says that something was written since `before`: one's own, if one has just written.
pub(super) fn writers(before: &Value, after: &Value) -> Vec<String> {
    let known: Vec<_> = entries(before).collect();
    let is_new = |entry: &Entry<'_>| !known.iter().any(|known| known.value == entry.value);
    entries(after).filter(is_new).map(|entry| entry.manager.to_owned()).collect()
}

struct Entry<'a> {
    manager: &'a str,
    value: &'a Value,
}

fn entries(object: &Value) -> impl Iterator<Item = Entry<'_>> {
    let entries = object.pointer("/metadata/managedFields").and_then(Value::as_array);
    entries.into_iter().flatten().filter_map(|value| {
        let manager = value.get("manager")?.as_str()?;
        Some(Entry { manager, value })
    })
}

impl Entry<'_> {
    fn is_same_manager(&self, other: &Self) -> bool {
        let same = |field: &str| self.value.get(field) == other.value.get(field);
        self.manager == other.manager && same("operation") && same("subresource")
    }

    /// The paths of the leaves that it manages.
    fn fields(&self) -> BTreeSet<String> {
        let set = self.value.get("fieldsV1").and_then(|fields| FieldSet::parse(fields).ok()).unwrap_or_default();
        set.leaves().iter().map(shown).collect()
    }
}

/// A path as it may be logged: items are known by their keys or values, and those are content.
fn shown(path: &FieldPath) -> String {
    let mut shown = String::new();
    for element in &path.0 {
        match element {
            PathElement::Field(field) => push_field(&mut shown, field),
            _ => shown.push_str("[]"),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(managers: &[(&str, Value)]) -> Value {
        let entries: Vec<_> = managers
            .iter()
            .map(|(manager, fields)| json!({"manager": manager, "operation": "Update", "fieldsV1": fields}))
            .collect();
        json!({"metadata": {"managedFields": entries}})
    }

    #[test]
    fn the_manager_with_new_fields_took_them() {
        let replicas = json!({"f:spec": {"f:replicas": {}}});
        let image = json!({"f:spec": {"f:containers": {r#"k:{"name":"secret"}"#: {".": {}, "f:image": {}}}}});
        let before = object(&[("me", replicas.clone()), ("kubectl", image.clone())]);
        let after = object(&[("kubectl", image.clone()), ("hpa", replicas)]);
        let own = ["me".to_owned()];
        let expected = Taker { manager: "hpa".into(), paths: vec!["spec.replicas".into()] };
        assert_eq!(taker(&before, &after, &own), Some(expected));
        assert_eq!(taker(&before, &before, &own), None);
        assert_eq!(taker(&after, &before, &own), None, "what one takes oneself does not count");
        assert_eq!(writers(&after, &before), ["me"]);
        let theirs = taker(&object(&[]), &object(&[("kubectl", image)]), &own).unwrap();
        assert_eq!(theirs.paths, ["spec.containers[].image"], "no key is shown");
    }
}
