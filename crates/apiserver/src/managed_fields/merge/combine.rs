//! What an object becomes when a client applies to it.
//!
//! In: the live value and the applied one. Out: the applied one wins wherever it says something; maps and lists that
//! merge keep what it does not mention. The items of a list come in the applied order; live items which it does not
//! mention come as early as those they stood behind.

use std::collections::BTreeMap;

use pintle_core::field_set::PathElement;
use serde_json::Value;

use super::items;
use super::schema::{List, Map, Schema, Shape};

/// Merges what is applied into what is there.
pub(crate) fn combine(schema: Schema<'_>, live: &Value, applied: &Value) -> Value {
    either(schema, Some(live), Some(applied)).unwrap_or(Value::Null)
}

fn either(schema: Schema<'_>, live: Option<&Value>, applied: Option<&Value>) -> Option<Value> {
    let shaping = applied.filter(|value| !value.is_null()).or(live).or(applied)?;
    let whole = || applied.or(live).cloned();
    match schema.shape(shaping) {
        Shape::Scalar(_) => whole(),
        Shape::List(list) if list.relation.is_atomic() || (is_empty(live) && is_empty(applied)) => whole(),
        Shape::Map(map) if map.is_atomic || (is_empty(live) && is_empty(applied)) => whole(),
        Shape::List(list) => lists(&list, live, applied),
        Shape::Map(map) => maps(&map, live, applied),
    }
}

fn is_empty(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Object(fields)) => fields.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        _ => true,
    }
}

fn maps(map: &Map<'_>, live: Option<&Value>, applied: Option<&Value>) -> Option<Value> {
    let fields = |value: Option<&Value>| value.and_then(Value::as_object).cloned().unwrap_or_default();
    let (mut live, applied) = (fields(live), fields(applied));
    for (name, value) in &applied {
        let schema = map.child(name).map_or(Schema::Opaque, |child| child.schema);
        if let Some(merged) = either(schema, live.get(name), Some(value)) {
            live.insert(name.clone(), merged);
        }
    }
    (!live.is_empty()).then_some(Value::Object(live))
}

fn lists(list: &List<'_>, live: Option<&Value>, applied: Option<&Value>) -> Option<Value> {
    let live: Vec<(PathElement, &Value)> = live.map(|value| items::elements(list, value)).unwrap_or_default();
    let applied: Vec<(PathElement, &Value)> = applied.map(|value| items::elements(list, value)).unwrap_or_default();
    let mut at_live: BTreeMap<&PathElement, Option<&Value>> = BTreeMap::new();
    for (element, item) in &live {
        // An item that stands twice is merged with nothing: the applied one replaces both.
        at_live.entry(element).and_modify(|known| *known = None).or_insert(Some(item));
    }
    let is_applied = |element: &PathElement| applied.iter().any(|(other, _)| other == element);
    let mut merged = Vec::new();
    let mut rest = live.iter().peekable();
    for (place, (element, item)) in applied.iter().enumerate() {
        let next_shared = applied[place..].iter().map(|(next, _)| next).find(|next| at_live.contains_key(next));
        // Live items in front of the next one that both have come first; those applied elsewhere come there.
        while let Some((before, item)) = rest.next_if(|(before, _)| Some(before) != next_shared) {
            if !is_applied(before) {
                merged.push((*item).clone());
            }
        }
        rest.next_if(|(at, _)| at == element);
        merged.extend(either(list.items, at_live.get(element).copied().flatten(), Some(item)));
    }
    merged.extend(rest.filter(|(element, _)| !is_applied(element)).map(|(_, item)| (*item).clone()));
    (!merged.is_empty()).then_some(Value::Array(merged))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_wire::facts;
    use serde_json::json;

    fn finalizers(live: &Value, applied: &Value) -> Value {
        let schema = Schema::Type(facts::kind_of("v1", "ConfigMap").unwrap());
        let object = |list: &Value| json!({"metadata": {"finalizers": list}});
        combine(schema, &object(live), &object(applied))["metadata"]["finalizers"].clone()
    }

    #[test]
    fn items_come_in_the_applied_order_and_others_as_early_as_their_neighbours_allow() {
        let table = [
            (json!(["x"]), json!(["y"]), json!(["x", "y"])),
            (json!(["a", "b"]), json!(["b", "a"]), json!(["b", "a"])),
            (json!(["a", "b", "x"]), json!(["b", "a", "y"]), json!(["b", "x", "a", "y"])),
            (json!(["b", "x", "a"]), json!(["a", "b"]), json!(["x", "a", "b"])),
            (json!(["a", "x", "c"]), json!(["a", "b", "c"]), json!(["a", "x", "b", "c"])),
            (json!(["a", "a", "x"]), json!(["a"]), json!(["a", "x"])),
            (json!([]), json!(["a"]), json!(["a"])),
            (json!(["a"]), json!([]), json!(["a"])),
        ];
        for (live, applied, expected) in table {
            assert_eq!(finalizers(&live, &applied), expected, "{applied} applied to {live}");
        }
    }

    #[test]
    fn a_merged_list_has_every_item_once_and_the_applied_ones_in_order() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..2000 {
            let mut pick = || {
                let mut names: Vec<&str> = vec!["a", "b", "c", "d", "e"];
                random.shuffle(&mut names);
                names.truncate(random.usize(..5));
                names
            };
            let (live, applied) = (pick(), pick());
            let merged = finalizers(&json!(live), &json!(applied));
            let merged: Vec<&str> =
                merged.as_array().map(|all| all.iter().filter_map(Value::as_str).collect()).unwrap_or_default();
            let mut once = merged.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), merged.len());
            let kept: Vec<&str> = merged.iter().copied().filter(|name| applied.contains(name)).collect();
            assert_eq!(kept, applied);
            let others: Vec<&str> = merged.iter().copied().filter(|name| !applied.contains(name)).collect();
            let expected: Vec<&str> = live.iter().copied().filter(|name| !applied.contains(name)).collect();
            assert_eq!(others, expected);
        }
    }

    #[test]
    fn maps_merge_by_key_and_atomic_ones_as_a_whole() {
        let schema = Schema::Type(facts::kind_of("apps/v1", "Deployment").unwrap());
        let live =
            json!({"metadata": {"labels": {"a": "1", "b": "2"}}, "spec": {"selector": {"matchLabels": {"a": "1"}}}});
        let applied = json!({"metadata": {"labels": {"b": "3"}}, "spec": {"selector": {"matchLabels": {"b": "2"}}}});
        let merged = combine(schema, &live, &applied);
        assert_eq!(merged["metadata"]["labels"], json!({"a": "1", "b": "3"}));
        assert_eq!(merged["spec"]["selector"], json!({"matchLabels": {"b": "2"}}));
    }
}
