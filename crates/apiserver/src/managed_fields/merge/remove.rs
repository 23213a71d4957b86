//! A value without the fields of a set.
//!
//! A map or list of which nothing is left becomes null, as it does on kube-apiserver. What merges as a whole goes as a
//! whole or stays.

use pintle_core::field_set::{FieldSet, PathElement};
use serde_json::{Map as Fields, Value};

use super::items;
use super::schema::{Schema, Shape};

/// The value without these fields.
pub(crate) fn without(schema: Schema<'_>, value: &Value, fields: &FieldSet) -> Value {
    match (schema.shape(value), value) {
        (Shape::Map(map), Value::Object(present)) if !map.is_atomic => {
            let kept: Fields<String, Value> = present
                .iter()
                .filter_map(|(name, value)| {
                    let schema = map.child(name).map_or(Schema::Opaque, |child| child.schema);
                    Some((name.clone(), kept(schema, value, fields, &PathElement::field(name))?))
                })
                .collect();
            if kept.is_empty() { Value::Null } else { Value::Object(kept) }
        }
        (Shape::List(list), Value::Array(present)) if !list.relation.is_atomic() => {
            let left: Vec<Value> = present
                .iter()
                .filter_map(|item| match items::element(&list, item) {
                    Ok(element) => kept(list.items, item, fields, &element),
                    Err(_) => Some(item.clone()),
                })
                .collect();
            if left.is_empty() { Value::Null } else { Value::Array(left) }
        }
        (Shape::Scalar(_), _) => value.clone(),
        _ => Value::Null,
    }
}

fn kept(schema: Schema<'_>, value: &Value, fields: &FieldSet, element: &PathElement) -> Option<Value> {
    if fields.has(element) {
        return None;
    }
    match fields.below(element) {
        Some(below) => Some(without(schema, value, below)),
        None => Some(value.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::owned::owned;
    use super::*;
    use pintle_wire::facts;
    use serde_json::json;

    #[test]
    fn items_and_fields_go_and_their_neighbours_stay() {
        let schema = Schema::Type(facts::kind_of("v1", "Pod").unwrap());
        let container = |name: &str| json!({"name": name, "image": "i"});
        let pod = json!({"metadata": {"name": "p", "labels": {"a": "1"}}, "spec": {"containers": [container("a"), container("b")]}});
        let gone = json!({"metadata": {"labels": {"a": "1"}}, "spec": {"containers": [container("b")]}});
        let left = without(schema, &pod, &owned(schema, &gone));
        assert_eq!(left, json!({"metadata": {"name": "p", "labels": null}, "spec": {"containers": [container("a")]}}));
    }
}
