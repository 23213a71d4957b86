//! The fields that a value says something about: what its author owns.
//!
//! A leaf (a scalar, or whatever merges as a whole) is a path of the set. So is an item of a list, a key of a map and a
//! field that is null or an empty map; a declared field above others is not, since saying `spec.replicas` says nothing
//! about the rest of `spec`. An item that stands twice in a list is one path without anything below it.

use std::collections::BTreeMap;

use pintle_core::field_set::{FieldSet, Node, PathElement};
use serde_json::Value;

use super::items;
use super::schema::{List, Map, Schema, Shape};

/// The set of fields of an object.
pub(crate) fn owned(schema: Schema<'_>, value: &Value) -> FieldSet {
    node(schema, value).below
}

fn node(schema: Schema<'_>, value: &Value) -> Node {
    let leaf = Node { is_member: true, below: FieldSet::default() };
    match (schema.shape(value), value) {
        (Shape::Scalar(_), _) => leaf,
        (Shape::List(list), _) if list.relation.is_atomic() => leaf,
        (Shape::Map(map), _) if map.is_atomic => leaf,
        (Shape::List(list), Value::Array(_)) => Node { is_member: false, below: of_items(&list, value) },
        (Shape::Map(map), Value::Object(fields)) => Node { is_member: false, below: of_fields(&map, fields) },
        _ => Node::default(),
    }
}

fn of_fields(map: &Map<'_>, fields: &serde_json::Map<String, Value>) -> FieldSet {
    let mut set = FieldSet::default();
    for (name, value) in fields {
        let Some(child) = map.child(name) else { continue };
        let mut node = node(child.schema, value);
        let says_nothing = value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
        node.is_member |= says_nothing || !child.is_declared;
        set.put(PathElement::field(name), node);
    }
    set
}

fn of_items(list: &List<'_>, value: &Value) -> FieldSet {
    let items = items::elements(list, value);
    let mut times: BTreeMap<&PathElement, usize> = BTreeMap::new();
    for (element, _) in &items {
        *times.entry(element).or_default() += 1;
    }
    let mut set = FieldSet::default();
    for (element, item) in &items {
        let below = if times[element] > 1 { FieldSet::default() } else { node(list.items, item).below };
        set.put(element.clone(), Node { is_member: true, below });
    }
    set
}
