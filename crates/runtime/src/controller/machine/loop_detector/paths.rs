//! Where two states of an object differ: paths, never values.

use std::fmt::Write;

use serde_json::Value;

/// What a server writes by itself with every change.
const SERVERS_OWN: [&str; 3] = ["metadata.resourceVersion", "metadata.managedFields", "metadata.generation"];
/// So many paths say enough.
const PATHS_MAX: usize = 5;

/// The paths of the leaves at which `old` and `new` differ, at most [`PATHS_MAX`], but for what servers write.
pub(super) fn differing(old: &Value, new: &Value) -> Vec<String> {
    let mut paths = Vec::new();
    walk(&mut String::new(), Some(old), Some(new), &mut paths);
    paths
}

fn walk(path: &mut String, old: Option<&Value>, new: Option<&Value>, paths: &mut Vec<String>) {
    if old == new || paths.len() == PATHS_MAX || SERVERS_OWN.contains(&path.as_str()) {
        return;
    }
    let length = path.len();
    match (old, new) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let added = new.keys().filter(|key| !old.contains_key(*key));
            for key in old.keys().chain(added) {
                push_field(path, key);
                walk(path, old.get(key), new.get(key), paths);
                path.truncate(length);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                push_index(path, index);
                walk(path, Some(old), Some(new), paths);
                path.truncate(length);
            }
        }
        _ => paths.push(path.clone()),
    }
}

/// Adds a field to a path: `.name`, or `["na.me"]` where that would be misread.
pub(super) fn push_field(path: &mut String, field: &str) {
    if field.contains(['.', '[', '/']) {
        // Writing to a string does not fail.
        let _ = write!(path, "[{field:?}]");
    } else {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(field);
    }
}

fn push_index(path: &mut String, index: usize) {
    let _ = write!(path, "[{index}]");
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(old: &Value, new: &Value, expected: &[&str]) {
        assert_eq!(differing(old, new), expected);
        assert_eq!(differing(new, old).len(), expected.len());
    }

    #[test]
    fn leaves_that_differ_are_named_by_their_path() {
        let old = json!({"metadata": {"resourceVersion": "1", "annotations": {"a.b/c": "1"}},
            "status": {"at": 1, "conditions": [{"type": "Ready", "at": 1}], "list": [1]}});
        check(&old, &old, &[]);
        check(
            &old,
            &json!({"metadata": {"resourceVersion": "2", "generation": 3, "managedFields": [], "annotations": {"a.b/c": "2"}},
                "status": {"at": 2, "conditions": [{"type": "Ready", "at": 2}], "list": [1, 2]}}),
            &["metadata.annotations[\"a.b/c\"]", "status.at", "status.conditions[0].at", "status.list"],
        );
        check(&json!({}), &json!({"status": {"secret": "value"}}), &["status"]);
    }

    #[test]
    fn a_few_paths_are_enough() {
        let many = |value: u32| (0..100).map(|at| (format!("f{at:02}"), json!(value))).collect::<Value>();
        assert_eq!(differing(&many(1), &many(2)), ["f00", "f01", "f02", "f03", "f04"]);
    }
}
