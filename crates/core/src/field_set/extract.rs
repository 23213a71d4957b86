//! The part of a JSON value that a set of fields names, and whether a value has it all.
//!
//! In: a set, a value, and what is known of the value's type ([`FieldTypes`]; `()` knows nothing). Out: a value with
//! those fields alone. A list item that is found by its keys keeps them, because they say which item it is.

use serde_json::{Map, Value};

use super::ordered_value::is_same_value;
use super::path::PathElement;
use super::{FieldSet, Node};

/// What is known of the type of a value, as far as it matters who owns which part of it.
pub trait FieldTypes: Copy {
    /// The type of a field, or of a value of a map.
    #[must_use]
    fn field(self, name: &str) -> Self;
    /// The type of a list's items.
    #[must_use]
    fn item(self) -> Self;
    /// Whether the parts of `value` have owners of their own (a struct, a map, a list by keys), or it is owned as a whole
    /// (a scalar, an atomic list). `None` where that is not known.
    fn has_parts(self, value: &Value) -> Option<bool>;
    /// The value that a key of this list's items has where an item does not say it.
    fn key_default(self, key: &str) -> Option<Value>;
}

/// The type of which nothing is known.
impl FieldTypes for () {
    fn field(self, _: &str) {}

    fn item(self) {}

    fn has_parts(self, _: &Value) -> Option<bool> {
        None
    }

    fn key_default(self, _: &str) -> Option<Value> {
        None
    }
}

impl FieldSet {
    /// `value` with the fields of this set alone.
    ///
    /// A path with nothing below it means the whole value, unless that has parts with owners of their own: then it means
    /// the empty container. Where the type does not say, it has parts if one of the `others`, the sets of other owners,
    /// has a path below it.
    pub fn extract<T: FieldTypes>(&self, value: &Value, types: T, others: &[&FieldSet]) -> Value {
        let is_shared = || others.iter().any(|other| !other.is_empty());
        if self.is_empty() && !types.has_parts(value).unwrap_or_else(is_shared) {
            return value.clone();
        }
        match value {
            Value::Object(fields) => self.extract_fields(fields, types, others).into(),
            Value::Array(items) => self.extract_items(items, types, others).into(),
            _ => value.clone(),
        }
    }

    fn extract_fields<T: FieldTypes>(
        &self,
        fields: &Map<String, Value>,
        types: T,
        others: &[&FieldSet],
    ) -> Map<String, Value> {
        let owned = fields.iter().filter_map(|(name, value)| {
            let element = PathElement::field(name);
            let below = &self.node(&element)?.below;
            Some((name.clone(), below.extract(value, types.field(name), &all_below(others, &element))))
        });
        owned.collect()
    }

    fn extract_items<T: FieldTypes>(&self, items: &[Value], types: T, others: &[&FieldSet]) -> Vec<Value> {
        let owned = items.iter().enumerate().filter_map(|(index, item)| {
            let (element, node) = self.nodes().find(|(element, _)| element.is_item(index, item, types))?;
            extract_item(element, node, item, types.item(), &all_below(others, element))
        });
        owned.collect()
    }

    /// Whether `value` has something at every path of the set. A key that an item leaves out does not count as its
    /// default.
    pub fn is_within(&self, value: &Value) -> bool {
        self.nodes().all(|(element, node)| element.find(value).is_some_and(|found| node.below.is_within(found)))
    }
}

fn extract_item<T: FieldTypes>(
    element: &PathElement,
    node: &Node,
    item: &Value,
    types: T,
    others: &[&FieldSet],
) -> Option<Value> {
    let PathElement::Key(keys) = element else {
        return Some(node.below.extract(item, types, others));
    };
    let fields = item.as_object()?;
    let mut own = node.below.extract_fields(fields, types, others);
    own.extend(keys.iter().filter_map(|(key, _)| Some((key.clone(), fields.get(key)?.clone()))));
    Some(own.into())
}

/// What each of these sets has below an element.
fn all_below<'a>(sets: &[&'a FieldSet], element: &PathElement) -> Vec<&'a FieldSet> {
    sets.iter().filter_map(|set| set.below(element)).collect()
}

impl PathElement {
    /// What this element leads to in `value`.
    pub fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        if let PathElement::Field(name) = self {
            return value.get(name);
        }
        let mut items = value.as_array()?.iter().enumerate();
        items.find(|(index, item)| self.is_item(*index, item, ())).map(|(_, item)| item)
    }

    /// Whether this element means the item `item` at `index` of a list.
    fn is_item<T: FieldTypes>(&self, index: usize, item: &Value, types: T) -> bool {
        match self {
            PathElement::Field(_) => false,
            PathElement::Index(place) => usize::try_from(*place) == Ok(index),
            PathElement::Value(value) => is_same_value(&value.0, item),
            PathElement::Key(keys) => keys.iter().all(|(name, value)| match item.get(name) {
                Some(said) => is_same_value(&value.0, said),
                None => types.key_default(name).is_some_and(|default| is_same_value(&value.0, &default)),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn extract(fields: &Value, value: &Value, others: &Value) -> Value {
        let others = FieldSet::parse(others).unwrap();
        FieldSet::parse(fields).unwrap().extract(value, (), &[&others])
    }

    #[test]
    fn the_fields_of_a_set_are_extracted_with_the_keys_of_their_items() {
        let value = json!({
            "labels": {"a": "1", "b": "2"}, "args": ["x", "y"], "finalizers": ["p", "q"],
            "ports": [{"name": "a", "port": 1}, {"name": "b", "port": 2, "host": "h"}],
        });
        let fields = json!({
            "f:labels": {"f:a": {}}, "f:args": {"i:1": {}}, "f:finalizers": {"v:\"p\"": {}}, "f:absent": {},
            "f:ports": {"k:{\"name\":\"b\"}": {".": {}, "f:port": {}}},
        });
        let expected = json!({
            "labels": {"a": "1"}, "args": ["y"], "finalizers": ["p"], "ports": [{"name": "b", "port": 2}],
        });
        assert_eq!(extract(&fields, &value, &json!({})), expected);
    }

    #[test]
    fn a_field_without_a_known_type_is_owned_whole_unless_another_owns_a_part_of_it() {
        let value = json!({"whole": {"x": 1}, "shared": {"x": 1}});
        let own = extract(&json!({"f:whole": {}, "f:shared": {}}), &value, &json!({"f:shared": {"f:x": {}}}));
        assert_eq!(own, json!({"whole": {"x": 1}, "shared": {}}));
    }

    #[test]
    fn a_value_has_a_set_if_every_path_leads_to_something() {
        let value = json!({"finalizers": ["a", "b"], "args": ["x"], "ports": [{"port": 80}]});
        for (fields, is_within) in [
            (json!({}), true),
            (json!({"f:finalizers": {"v:\"a\"": {}}, "f:args": {"i:0": {}}}), true),
            (json!({"f:ports": {"k:{\"port\":80}": {".": {}, "f:port": {}}}}), true),
            (json!({"f:finalizers": {"v:\"c\"": {}}}), false),
            (json!({"f:args": {"i:1": {}}}), false),
            (json!({"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {}}}), false),
            (json!({"f:ports": {"f:port": {}}}), false),
        ] {
            assert_eq!(FieldSet::parse(&fields).unwrap().is_within(&value), is_within, "{fields}");
        }
    }
}
