//! The patch for a changed object, when the handler's type may not know all of it.
//!
//! In: the object as it came, the same after a round trip through the handler's type, and what the handler made of that.
//! Out: operations that lead from the first to the last. Only what the handler changed is touched: a field that its type
//! does not know stays, also within items of lists, and a value that the type writes in another way stays as it was.

use serde_json::{Map, Value};

/// The operations that bring the handler's changes to the object as it came.
pub(super) fn patch(sent: &Value, read: &Value, changed: &Value) -> json_patch::Patch {
    json_patch::diff(sent, &carried_over(sent, read, changed))
}

/// `sent`, with what differs between `read` and `changed`.
fn carried_over(sent: &Value, read: &Value, changed: &Value) -> Value {
    if read == changed {
        return sent.clone();
    }
    match (sent, read, changed) {
        (Value::Object(sent), Value::Object(read), Value::Object(changed)) => object(sent, read, changed).into(),
        (Value::Array(sent), Value::Array(read), Value::Array(changed)) if sent.len() == read.len() => {
            changed.iter().enumerate().map(|(index, item)| list_item(sent, read, changed.len(), index, item)).collect()
        }
        _ => changed.clone(),
    }
}

fn object(sent: &Map<String, Value>, read: &Map<String, Value>, changed: &Map<String, Value>) -> Map<String, Value> {
    let mut result = sent.clone();
    for name in read.keys().filter(|name| !changed.contains_key(*name)) {
        result.remove(name);
    }
    for (name, value) in changed {
        let value = match (sent.get(name), read.get(name)) {
            (Some(sent), Some(read)) => carried_over(sent, read, value),
            // The type writes a default that was not sent: it is no change.
            (None, Some(read)) if read == value => continue,
            _ => value.clone(),
        };
        result.insert(name.clone(), value);
    }
    result
}

/// An item of a changed list, with the unknown fields of the item that it was: an equal one, one of the same name, or in a
/// list as long as before the one at its place.
fn list_item(sent: &[Value], read: &[Value], length: usize, index: usize, item: &Value) -> Value {
    let name = item.get("name");
    let same_place = (read.len() == length).then_some(index);
    let was = match read.iter().position(|was| was == item) {
        Some(equal) => Some(equal),
        None if name.is_some() => read.iter().position(|was| was.get("name") == name),
        None => same_place.filter(|index| read[*index].get("name").is_none()),
    };
    was.map_or_else(|| item.clone(), |was| carried_over(&sent[was], &read[was], item))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Applies the patch to what was sent, and compares.
    #[track_caller]
    fn check(sent: &Value, read: &Value, changed: &Value, expected: &Value) {
        let mut result = sent.clone();
        json_patch::patch(&mut result, &patch(sent, read, changed).0).expect("it applies to what it was made from");
        assert_eq!(&result, expected);
    }

    #[test]
    fn nothing_changed_is_no_operation_whatever_the_type_loses_or_adds() {
        let sent = json!({"spec": {"unknown": 1, "quantity": "1000m"}});
        let read = json!({"spec": {"quantity": "1", "default": true}});
        assert!(patch(&sent, &read, &read).0.is_empty());
    }

    #[test]
    fn unknown_fields_stay_beside_changed_made_and_removed_ones() {
        let sent = json!({"spec": {"unknown": 1, "changed": 1, "gone": 1}, "other": 2});
        let read = json!({"spec": {"changed": 1, "gone": 1}});
        let changed = json!({"spec": {"changed": 2, "made": {"a": 1}}, "status": {}});
        let expected = json!({"spec": {"unknown": 1, "changed": 2, "made": {"a": 1}}, "other": 2, "status": {}});
        check(&sent, &read, &changed, &expected);
    }

    #[test]
    fn a_null_that_the_type_does_not_know_is_replaced() {
        let (sent, read) = (json!({"metadata": {"labels": null}}), json!({"metadata": {}}));
        let changed = json!({"metadata": {"labels": {"a": "b"}}});
        check(&sent, &read, &changed, &changed);
    }

    #[test]
    fn an_item_that_moves_in_its_list_takes_its_unknown_fields_along() {
        let sent = json!([{"name": "a", "x": 1}, {"name": "b", "image": "1", "x": 2}, {"name": "c", "x": 3}]);
        let read = json!([{"name": "a"}, {"name": "b", "image": "1"}, {"name": "c"}]);
        let changed = json!([{"name": "b", "image": "2"}, {"name": "new"}, {"name": "c"}]);
        let expected = json!([{"name": "b", "image": "2", "x": 2}, {"name": "new"}, {"name": "c", "x": 3}]);
        check(&sent, &read, &changed, &expected);
    }

    #[test]
    fn items_without_names_are_told_by_what_they_are_or_where_they_stand() {
        let (sent, read) = (json!([{"a": 1, "x": 1}, {"a": 2, "x": 2}]), json!([{"a": 1}, {"a": 2}]));
        check(&sent, &read, &json!([{"a": 2}]), &json!([{"a": 2, "x": 2}]));
        check(&sent, &read, &json!([{"a": 1}, {"a": 3}]), &json!([{"a": 1, "x": 1}, {"a": 3, "x": 2}]));
        check(&json!([1, 2, 3]), &json!([1, 2, 3]), &json!([3, 1]), &json!([3, 1]));
    }
}
