//! One operation of a JSON patch, and how much a patch may make of a small body.
//!
//! In: an operation and the object so far. Out: the object changed, or the fact that it does not fit. Copies are
//! counted, because each can double an object; and nothing is put deeper than JSON can be read back from.

use json_patch::jsonptr::Pointer;
use json_patch::{AddOperation, PatchOperation};
use serde_json::Value;

/// An operation that does not fit the object, or too much of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rejected;

/// The operations of one patch, performed one after the other.
#[derive(Default)]
pub(crate) struct Operations {
    copied_bytes: usize,
}

impl Operations {
    /// Performs one. Where a field of an object is not there, kube-apiserver is kinder than RFC 6902: it counts as
    /// null in a test, and is added when it should be replaced.
    pub(crate) fn perform(&mut self, operation: PatchOperation, target: &mut Value) -> Result<(), Rejected> {
        self.check(&operation, target)?;
        let is_absent = |path: &Pointer| {
            let parent = path.parent().and_then(|parent| parent.resolve(target).ok());
            parent.is_some_and(Value::is_object) && path.resolve(target).is_err()
        };
        let operation = match operation {
            PatchOperation::Test(test) if test.value.is_null() && is_absent(&test.path) => return Ok(()),
            PatchOperation::Replace(replace) if is_absent(&replace.path) => {
                PatchOperation::Add(AddOperation { path: replace.path, value: replace.value })
            }
            other => other,
        };
        json_patch::patch(target, &[operation]).map_err(|_| Rejected)
    }

    fn check(&mut self, operation: &PatchOperation, target: &Value) -> Result<(), Rejected> {
        match operation {
            PatchOperation::Add(add) => check_depth(&add.path, &add.value),
            PatchOperation::Replace(replace) => check_depth(&replace.path, &replace.value),
            PatchOperation::Copy(copy) => {
                let source = copy.from.resolve(target).map_err(|_| Rejected)?;
                self.copied_bytes += size(source);
                if self.copied_bytes > COPIED_BYTES_MAX {
                    return Err(Rejected);
                }
                check_depth(&copy.path, source)
            }
            // What is not moved down cannot get too deep.
            PatchOperation::Move(change) if change.path.count() > change.from.count() => {
                check_depth(&change.path, change.from.resolve(target).map_err(|_| Rejected)?)
            }
            PatchOperation::Move(_) | PatchOperation::Remove(_) | PatchOperation::Test(_) => Ok(()),
        }
    }
}

fn check_depth(path: &Pointer, value: &Value) -> Result<(), Rejected> {
    match DEPTH_MAX.checked_sub(path.count()) {
        Some(left) if depth(value) <= left => Ok(()),
        _ => Err(Rejected),
    }
}

/// How many arrays and objects are one in the other.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

/// About how many bytes a value takes when printed.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 2 + items.iter().map(|item| size(item) + 1).sum::<usize>(),
        Value::Object(fields) => 2 + fields.iter().map(|(name, value)| name.len() + size(value) + 4).sum::<usize>(),
        Value::String(text) => text.len() + 2,
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}

/// kube-apiserver's limit, the same as for a whole body.
const COPIED_BYTES_MAX: usize = 3 * 1024 * 1024;

/// One more, and what was stored could not be read: the JSON parser stops there, for the sake of the stack.
const DEPTH_MAX: usize = 127;

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize as _;
    use serde_json::json;

    fn check(patch: &Value, expected: Option<&Value>) {
        let mut target = json!({"a": {"b": 1}, "l": [1]});
        let decoded = json_patch::Patch::deserialize(patch).unwrap();
        let mut operations = Operations::default();
        let done = decoded.0.into_iter().try_for_each(|operation| operations.perform(operation, &mut target));
        assert_eq!(done.ok().map(|()| &target), expected, "{patch}");
    }

    #[test]
    fn an_absent_field_is_null_to_a_test_and_added_by_a_replace() {
        let unchanged = json!({"a": {"b": 1}, "l": [1]});
        check(&json!([{"op": "test", "path": "/a/x", "value": null}]), Some(&unchanged));
        check(&json!([{"op": "test", "path": "/a/b", "value": 1}]), Some(&unchanged));
        check(&json!([{"op": "replace", "path": "/a/x", "value": 1}]), Some(&json!({"a": {"b": 1, "x": 1}, "l": [1]})));
    }

    #[test]
    fn what_does_not_fit_fails() {
        check(&json!([{"op": "test", "path": "/q/x", "value": null}]), None);
        check(&json!([{"op": "test", "path": "/a/b", "value": null}]), None);
        check(&json!([{"op": "test", "path": "/a/x", "value": 1}]), None);
        check(&json!([{"op": "test", "path": "/l/5", "value": null}]), None);
        check(&json!([{"op": "remove", "path": "/a/x"}]), None);
        check(&json!([{"op": "add", "path": "/q/x", "value": 1}]), None);
        check(&json!([{"op": "copy", "from": "/q", "path": "/a/x"}]), None);
        check(&json!([{"op": "move", "from": "/q", "path": "/a/x"}]), None);
    }

    #[test]
    fn copies_and_moves_that_fit_are_made() {
        check(
            &json!([{"op": "copy", "from": "/a/b", "path": "/a/c"}]),
            Some(&json!({"a": {"b": 1, "c": 1}, "l": [1]})),
        );
        check(&json!([{"op": "move", "from": "/l", "path": "/a/l"}]), Some(&json!({"a": {"b": 1, "l": [1]}})));
    }
}
