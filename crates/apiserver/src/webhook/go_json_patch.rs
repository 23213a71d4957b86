//! A JSON patch as a webhook sends it, applied as kube-apiserver applies it, with its words where it does not fit.
//!
//! In: the patch and the object as JSON. Out: the object changed. What is allowed beyond RFC 6902, and how much a patch may
//! make of an object, is the business of `json_patch_operations`, as for the patches of clients.

use serde_json::Value;

use crate::codec::typed::go_errors;
use crate::registry::patch::json_patch_operations::Operations;

/// A patch that was decoded, or why it cannot be.
pub(crate) fn decode(patch: &[u8]) -> Result<Vec<Value>, String> {
    let value: Value = serde_json::from_slice(patch)
        .map_err(|error| literal(patch).unwrap_or_else(|| go_errors::syntax_error(&error, patch)))?;
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Array(operations) => Ok(operations),
        other => {
            let found = go_errors::type_name(&other);
            Err(format!("json: cannot unmarshal {found} into Go value of type jsonpatch.Patch"))
        }
    }
}

/// What Go says of a text that begins like one of JSON's words and is another.
fn literal(text: &[u8]) -> Option<String> {
    let word = ["null", "true", "false"].into_iter().find(|word| text.first() == word.as_bytes().first())?;
    let (at, expected) = word.bytes().enumerate().find(|(at, expected)| text.get(*at) != Some(expected))?;
    let found = char::from(*text.get(at)?);
    Some(format!("invalid character {found:?} in literal {word} (expecting {:?})", char::from(expected)))
}

/// Applies the operations of a patch, one after the other.
pub(crate) fn apply(operations: &[Value], object: &mut Value) -> Result<(), String> {
    let mut performed = Operations::default();
    for operation in operations {
        let name = text(operation, "op");
        let parsed = serde_json::from_value(operation.clone());
        let Ok(parsed) = parsed else {
            return Err(format!("Unexpected kind: {}", if name.is_empty() { "unknown" } else { name }));
        };
        performed.perform(parsed, object).map_err(|_| misfit(operation, object))?;
    }
    Ok(())
}

/// Why an operation does not fit an object.
fn misfit(operation: &Value, object: &Value) -> String {
    let (name, path) = (text(operation, "op"), text(operation, "path"));
    let (parent, key) = path.rsplit_once('/').unwrap_or_default();
    let has_parent = object.pointer(parent).is_some_and(|parent| parent.is_object() || parent.is_array());
    match name {
        "test" if has_parent => format!("testing value {path} failed: test failed"),
        "test" => format!("error in test for path: '{path}': missing value"),
        "remove" if has_parent => {
            format!("error in remove for path: '{path}': Unable to remove nonexistent key: {key}: missing value")
        }
        _ => format!("{name} operation does not apply: doc is missing path: \"{path}\": missing value"),
    }
}

fn text<'a>(operation: &'a Value, field: &str) -> &'a str {
    operation.get(field).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[expect(clippy::needless_pass_by_value, reason = "the table reads better without a reference in each row")]
    fn check(operation: Value, expected: Result<Value, &str>) {
        let mut object = json!({"data": {"a": "1"}});
        let done = apply(std::slice::from_ref(&operation), &mut object).map(|()| object);
        assert_eq!(done, expected.map_err(str::to_owned), "{operation}");
    }

    /// As kube-apiserver 1.37 said it.
    #[test]
    fn what_does_not_fit_is_said_as_kube_apiserver_does() {
        check(json!({"op": "add", "path": "/data/b", "value": "2"}), Ok(json!({"data": {"a": "1", "b": "2"}})));
        check(json!({"op": "replace", "path": "/data/b", "value": "2"}), Ok(json!({"data": {"a": "1", "b": "2"}})));
        check(json!({"op": "frob", "path": "/data/b", "value": "2"}), Err("Unexpected kind: frob"));
        let gone = "error in remove for path: '/data/b': Unable to remove nonexistent key: b: missing value";
        check(json!({"op": "remove", "path": "/data/b"}), Err(gone));
        let missing = "add operation does not apply: doc is missing path: \"/nope/b\": missing value";
        check(json!({"op": "add", "path": "/nope/b", "value": 1}), Err(missing));
        check(json!({"op": "test", "path": "/data/a", "value": "2"}), Err("testing value /data/a failed: test failed"));
    }

    #[test]
    fn a_patch_that_is_none_is_said_as_go_does() {
        assert_eq!(decode(b"null"), Ok(Vec::new()));
        let object = "json: cannot unmarshal object into Go value of type jsonpatch.Patch";
        assert_eq!(decode(b"{}"), Err(object.to_owned()));
        let word = "invalid character 'o' in literal null (expecting 'u')";
        assert_eq!(decode(b"not json"), Err(word.to_owned()));
    }
}
