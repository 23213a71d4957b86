//! Strategic merge patch: a merge patch that knows which lists are maps by a key.
//!
//! In: an object, a patch, and the type that says how each field merges. Out: the object changed. A patch may carry
//! directives: `$patch` (replace, delete, merge) in a map or a list's element, `$retainKeys`, `$setElementOrder/list` and
//! `$deleteFromPrimitiveList/list`; none of them is ever stored.

use pintle_wire::facts::{Field, Holds, Shape, Type};
use serde_json::{Map, Value};

/// Why a patch cannot be applied.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// The patch itself is wrong.
    Malformed(String),
    /// The patch does not fit the object.
    Unforeseen(String),
}

/// Changes an object of a type as a patch says.
pub(crate) fn merge(kind: &'static Type, target: &mut Value, patch: &Value) -> Result<(), Unfit> {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => merge_maps(Some(kind), None, target, patch),
        _ => Err(Unfit::Malformed("a strategic merge patch must be a JSON object".to_owned())),
    }
}

/// `kind` is that of a struct, `entries` that of the values of a map.
fn merge_maps(
    kind: Option<&'static Type>,
    entries: Option<&'static Type>,
    target: &mut Map<String, Value>,
    patch: &Map<String, Value>,
) -> Result<(), Unfit> {
    match patch.get(DIRECTIVE).map(|directive| directive.as_str().unwrap_or_default()) {
        None | Some("merge") => {}
        Some("replace") => {
            *target = without_directives(patch);
            return Ok(());
        }
        Some("delete") => {
            target.clear();
            return Ok(());
        }
        Some(other) => return Err(Unfit::Malformed(format!("unknown patch type found: {other}"))),
    }
    retain(target, patch)?;
    for (name, values) in directives(patch, DELETE_FROM) {
        delete_values(target, name, values)?;
    }
    for (name, value) in patch {
        if name.starts_with('$') {
            continue;
        }
        let field = kind.and_then(|kind| kind.field(name));
        let order = patch.get(&format!("{ORDER}{name}"));
        merge_field(field, entries, target, name, value, order)?;
    }
    reorder_alone(kind, target, patch);
    Ok(())
}

fn merge_field(
    field: Option<&'static Field>,
    entries: Option<&'static Type>,
    target: &mut Map<String, Value>,
    name: &str,
    value: &Value,
    order: Option<&Value>,
) -> Result<(), Unfit> {
    if value.is_null() {
        target.remove(name);
        return Ok(());
    }
    let replaces = field.is_some_and(|field| field.patch_strategies().any(|strategy| strategy == "replace"));
    match (target.get_mut(name), value) {
        (Some(Value::Object(old)), Value::Object(new)) if !replaces => {
            let (kind, entries) = below(field, entries);
            merge_maps(kind, entries, old, new)
        }
        (Some(Value::Array(old)), Value::Array(new)) if merges(field) => {
            *old = merge_lists(field, std::mem::take(old), new, order)?;
            Ok(())
        }
        (_, Value::Array(new)) if merges(field) => {
            let merged = merge_lists(field, Vec::new(), new, order)?;
            target.insert(name.to_owned(), Value::Array(merged));
            Ok(())
        }
        _ => {
            target.insert(name.to_owned(), plain(value));
            Ok(())
        }
    }
}

/// What the map in a field is: a struct of some type, or entries of some type.
fn below(
    field: Option<&'static Field>,
    entries: Option<&'static Type>,
) -> (Option<&'static Type>, Option<&'static Type>) {
    let struct_of = |kind: &'static Type| (kind.shape() == Shape::Struct).then_some(kind);
    match field {
        Some(field) if field.holds() == Holds::Map => (None, struct_of(field.kind())),
        Some(field) => (struct_of(field.kind()), None),
        None => (entries, None),
    }
}

fn merges(field: Option<&Field>) -> bool {
    field.is_some_and(|field| field.patch_strategies().any(|strategy| strategy == "merge"))
}

fn merge_lists(
    field: Option<&'static Field>,
    old: Vec<Value>,
    patch: &[Value],
    order: Option<&Value>,
) -> Result<Vec<Value>, Unfit> {
    let before = old.clone();
    let key = field.and_then(Field::patch_merge_key);
    let merged = match key {
        None => merge_values(old, patch),
        Some(key) => merge_elements(field.map(Field::kind), key, old, patch)?,
    };
    // A patch that states no order means the one in which it names elements.
    let order = order.and_then(Value::as_array).map_or(patch, Vec::as_slice);
    Ok(in_order(merged, order, &before, key))
}

/// Values that are their own keys.
fn merge_values(mut old: Vec<Value>, patch: &[Value]) -> Vec<Value> {
    for value in patch {
        if !old.contains(value) {
            old.push(value.clone());
        }
    }
    old
}

fn merge_elements(
    kind: Option<&'static Type>,
    key: &str,
    mut old: Vec<Value>,
    patch: &[Value],
) -> Result<Vec<Value>, Unfit> {
    let directive = |element: &Value| element.get(DIRECTIVE).and_then(Value::as_str).map(str::to_owned);
    if patch.iter().any(|element| directive(element).as_deref() == Some("replace")) {
        let kept = patch.iter().filter(|element| directive(element).is_none());
        return Ok(kept.map(plain).collect());
    }
    for element in patch {
        let Some(fields) = element.as_object() else {
            return Err(Unfit::Unforeseen("invalid type of an element of a list that merges by key".to_owned()));
        };
        let Some(found) = fields.get(key) else {
            return Err(Unfit::Unforeseen(format!("map: an element does not contain declared merge key: {key}")));
        };
        let place = old.iter().position(|candidate| candidate.get(key) == Some(found));
        match (directive(element).as_deref(), place) {
            (Some("delete"), _) => old.retain(|candidate| candidate.get(key) != Some(found)),
            (_, Some(place)) => {
                if let Some(target) = old[place].as_object_mut() {
                    merge_maps(kind, None, target, fields)?;
                }
            }
            (_, None) => old.push(plain(element)),
        }
    }
    Ok(old)
}

/// The elements that an order names stand in that order; the others stay beside their old neighbours.
fn in_order(merged: Vec<Value>, order: &[Value], before: &[Value], key: Option<&str>) -> Vec<Value> {
    let key_of = |value: &Value| key.map_or_else(|| value.clone(), |key| value.get(key).cloned().unwrap_or_default());
    let place_in = |list: &[Value], value: &Value| list.iter().position(|other| key_of(other) == key_of(value));
    let (mut named, mut others): (Vec<Value>, Vec<Value>) =
        merged.into_iter().partition(|value| place_in(order, value).is_some());
    named.sort_by_key(|value| place_in(order, value));
    others.sort_by_key(|value| place_in(before, value));
    let mut others = others.into_iter().peekable();
    let mut ordered = Vec::new();
    for value in named {
        let mark = place_in(before, &value);
        while let Some(other) =
            others.next_if(|other| matches!((place_in(before, other), mark), (Some(a), Some(b)) if a < b))
        {
            ordered.push(other);
        }
        ordered.push(value);
    }
    ordered.extend(others);
    ordered
}

/// An order without a list to merge moves what is there.
fn reorder_alone(kind: Option<&'static Type>, target: &mut Map<String, Value>, patch: &Map<String, Value>) {
    for (name, order) in directives(patch, ORDER) {
        let key = kind.and_then(|kind| kind.field(name)).and_then(Field::patch_merge_key);
        if let (Some(Value::Array(list)), Value::Array(order), None) = (target.get_mut(name), order, patch.get(name)) {
            let before = std::mem::take(list);
            *list = in_order(before.clone(), order, &before, key);
        }
    }
}

/// Removes what `$retainKeys` does not name.
fn retain(target: &mut Map<String, Value>, patch: &Map<String, Value>) -> Result<(), Unfit> {
    let Some(kept) = patch.get(RETAIN) else {
        return Ok(());
    };
    let Some(kept) = kept.as_array() else {
        return Err(Unfit::Malformed("invalid patch format of retainKeys".to_owned()));
    };
    let is_kept = |name: &str| kept.iter().any(|value| value == name);
    if patch.iter().any(|(name, value)| !name.starts_with('$') && !value.is_null() && !is_kept(name)) {
        return Err(Unfit::Malformed("invalid patch format of retainKeys".to_owned()));
    }
    target.retain(|name, _| is_kept(name));
    Ok(())
}

fn delete_values(target: &mut Map<String, Value>, name: &str, values: &Value) -> Result<(), Unfit> {
    let Some(values) = values.as_array() else {
        return Err(Unfit::Malformed("invalid patch format of primitive list".to_owned()));
    };
    if let Some(Value::Array(list)) = target.get_mut(name) {
        list.retain(|value| !values.contains(value));
    }
    Ok(())
}

fn directives<'a>(patch: &'a Map<String, Value>, prefix: &str) -> Vec<(&'a str, &'a Value)> {
    patch.iter().filter_map(|(name, value)| name.strip_prefix(prefix).map(|list| (list, value))).collect()
}

/// A value that is taken over from a patch as it is: without directives and without nulls.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(without_directives(fields)),
        Value::Array(items) => {
            let is_deletion = |item: &&Value| item.get(DIRECTIVE).and_then(Value::as_str) == Some("delete");
            items.iter().filter(|item| !is_deletion(item)).map(plain).collect()
        }
        other => other.clone(),
    }
}

fn without_directives(fields: &Map<String, Value>) -> Map<String, Value> {
    let kept = fields.iter().filter(|(name, value)| !is_directive(name) && !value.is_null());
    kept.map(|(name, value)| (name.clone(), plain(value))).collect()
}

fn is_directive(name: &str) -> bool {
    name == DIRECTIVE || name == RETAIN || name.starts_with(ORDER) || name.starts_with(DELETE_FROM)
}

const DIRECTIVE: &str = "$patch";
const RETAIN: &str = "$retainKeys";
const ORDER: &str = "$setElementOrder/";
const DELETE_FROM: &str = "$deleteFromPrimitiveList/";

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_wire::facts::kind_of;
    use serde_json::json;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a table of `json!` reads best without ampersands")]
    fn check(mut target: Value, patch: Value, expected: Value) {
        merge(kind_of("apps/v1", "Deployment").unwrap(), &mut target, &patch).unwrap();
        assert_eq!(target, expected, "{patch}");
    }

    #[expect(clippy::needless_pass_by_value, reason = "a table of `json!` reads best without ampersands")]
    fn pod(containers: Value) -> Value {
        json!({"spec": {"template": {"spec": {"containers": containers}}}})
    }

    #[test]
    fn lists_merge_by_their_key() {
        check(
            pod(json!([{"name": "a", "image": "1"}, {"name": "b", "image": "1"}])),
            pod(json!([{"name": "b", "image": "2"}, {"name": "c", "image": "3", "command": null}])),
            pod(json!([{"name": "a", "image": "1"}, {"name": "b", "image": "2"}, {"name": "c", "image": "3"}])),
        );
    }

    #[test]
    fn elements_are_deleted_and_lists_replaced_by_directive() {
        let two = pod(json!([{"name": "a"}, {"name": "b"}]));
        check(two.clone(), pod(json!([{"name": "a", "$patch": "delete"}])), pod(json!([{"name": "b"}])));
        check(two.clone(), pod(json!([{"$patch": "replace"}, {"name": "z"}])), pod(json!([{"name": "z"}])));
        check(two, json!({"spec": {"$patch": "replace", "replicas": 1}}), json!({"spec": {"replicas": 1}}));
        check(json!({"spec": {"replicas": 1}}), json!({"spec": {"$patch": "delete"}}), json!({"spec": {}}));
    }

    #[test]
    fn an_order_moves_elements_and_leaves_the_servers_own_in_place() {
        let mut patch = pod(json!([{"name": "c", "image": "3"}]));
        patch["spec"]["template"]["spec"]["$setElementOrder/containers"] = json!([{"name": "c"}, {"name": "a"}]);
        check(
            pod(json!([{"name": "a"}, {"name": "x"}, {"name": "c"}])),
            patch,
            pod(json!([{"name": "x"}, {"name": "c", "image": "3"}, {"name": "a"}])),
        );
    }

    #[test]
    fn values_merge_as_a_set_and_are_deleted_by_directive() {
        check(
            json!({"metadata": {"finalizers": ["a", "b"]}}),
            json!({"metadata": {"finalizers": ["b", "c"], "$deleteFromPrimitiveList/finalizers": ["a"]}}),
            json!({"metadata": {"finalizers": ["b", "c"]}}),
        );
    }

    #[test]
    fn kept_keys_are_all_that_is_left() {
        check(
            json!({"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}}),
            json!({"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}),
            json!({"spec": {"strategy": {"type": "Recreate"}}}),
        );
    }

    #[test]
    fn other_lists_are_replaced_and_nulls_remove() {
        check(
            json!({"spec": {"template": {"spec": {"containers": [{"name": "a", "args": ["x"], "env": [{"name": "e", "value": "1"}]}]}}}}),
            pod(json!([{"name": "a", "args": ["y"], "env": null}])),
            pod(json!([{"name": "a", "args": ["y"]}])),
        );
        check(
            json!({"metadata": {"labels": {"a": "1", "b": "2"}}}),
            json!({"metadata": {"labels": {"a": null}}}),
            json!({"metadata": {"labels": {"b": "2"}}}),
        );
    }

    #[test]
    fn what_lacks_its_key_is_refused() {
        let mut target = pod(json!([]));
        let deployment = kind_of("apps/v1", "Deployment").unwrap();
        assert!(merge(deployment, &mut target, &pod(json!([{"image": "x"}]))).is_err());
        assert!(merge(deployment, &mut target, &json!({"spec": {"$patch": "nonsense"}})).is_err());
    }
}
