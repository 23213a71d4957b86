//! What distinguishes the items of a list: their value in a set, the values of their keys in a list of maps.

use pintle_core::field_set::{OrderedValue, PathElement};
use serde_json::Value;

use super::schema::{List, Relation};

/// The path element of an item, or why it has none.
pub(super) fn element(list: &List<'_>, item: &Value) -> Result<PathElement, String> {
    match list.relation.keys() {
        Some(keys) => by_keys(list, &keys, item),
        None => by_value(item),
    }
}

/// The items of a list with their elements; those without one are left out. An atomic list has none.
pub(super) fn elements<'v>(list: &List<'_>, value: &'v Value) -> Vec<(PathElement, &'v Value)> {
    if matches!(list.relation, Relation::Atomic) {
        return Vec::new();
    }
    let items = value.as_array().into_iter().flatten();
    items.filter_map(|item| element(list, item).ok().map(|element| (element, item))).collect()
}

fn by_keys(list: &List<'_>, keys: &[&str], item: &Value) -> Result<PathElement, String> {
    let fields = match item {
        Value::Object(fields) => fields,
        Value::Null => return Err("associative list with keys may not have a null element".to_owned()),
        _ => return Err("associative list with keys may not have non-map elements".to_owned()),
    };
    let mut found = Vec::with_capacity(keys.len());
    for key in keys {
        let value = match fields.get(*key) {
            Some(value) => value.clone(),
            None => list.items.default_of(key).map(std::borrow::Cow::into_owned).ok_or_else(|| {
                format!(
                    "associative list with keys has an element that omits key field {key:?} (and doesn't have default value)"
                )
            })?,
        };
        found.push(((*key).to_owned(), OrderedValue(value)));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(PathElement::Key(found))
}

fn by_value(item: &Value) -> Result<PathElement, String> {
    match item {
        Value::Object(_) => Err("associative list without keys has an element that's a map type".to_owned()),
        Value::Array(_) => Err("not supported: associative list with lists as elements".to_owned()),
        Value::Null => Err("associative list without keys has an element that's an explicit null".to_owned()),
        scalar => Ok(PathElement::Value(OrderedValue(scalar.clone()))),
    }
}
