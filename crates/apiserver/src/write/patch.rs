//! PATCH: parts of an object changed, by JSON patch or by merge patch.
//!
//! In: the patch. Out: the stored object. The patch is applied to the current state under the lock, so it can only
//! conflict when it names a resourceVersion itself. Strategic merge and apply are refused by name.

use json_patch::jsonptr::Pointer;
use json_patch::{AddOperation, PatchOperation};
use pintle_core::call::PatchKind;
use serde_json::Value;

use crate::cluster::{Cluster, Run, Subject, Written};
use crate::kinds::Kind;
use crate::status::{Answer, Refusal, bad_request, invalid, not_found, refuse, too_large, unsupported_media_type};
use crate::view;

/// A decoded patch.
pub(crate) enum Patch {
    Json(json_patch::Patch),
    Merge(Value),
}

impl Patch {
    /// Decodes the body of a patch of this kind.
    pub(crate) fn decode(kind: &Kind, patch: PatchKind, body: &[u8]) -> Answer<Patch> {
        let undecodable = |error: serde_json::Error| bad_request(format!("error decoding patch: {error}"));
        match patch {
            PatchKind::Json => {
                let patch: json_patch::Patch = serde_json::from_slice(body).map_err(undecodable)?;
                if patch.0.len() > OPERATIONS_MAX {
                    return Err(too_large(&format!(
                        "The allowed maximum operations in a JSON patch is {OPERATIONS_MAX}, got {}",
                        patch.0.len()
                    )));
                }
                Ok(Patch::Json(patch))
            }
            PatchKind::Merge => {
                let patch: Value = serde_json::from_slice(body).map_err(undecodable)?;
                if patch.is_object() {
                    Ok(Patch::Merge(patch))
                } else {
                    Err(bad_request("a merge patch must be a JSON object"))
                }
            }
            PatchKind::Strategic if kind.is_custom() => Err(unsupported_media_type(CUSTOM_TYPES)),
            PatchKind::Strategic => Err(missing(
                "strategic merge patch (application/strategic-merge-patch+json)",
            )),
            PatchKind::Apply => Err(missing("server-side apply (application/apply-patch+yaml)")),
        }
    }

    fn apply(self, target: &mut Value) -> Result<(), json_patch::PatchError> {
        match self {
            Patch::Json(patch) => patch.0.into_iter().try_for_each(|operation| perform(operation, target)),
            Patch::Merge(patch) => {
                json_patch::merge(target, &patch);
                Ok(())
            }
        }
    }
}

/// One operation of a JSON patch. Where a field of an object is not there, kube-apiserver is kinder than RFC 6902: it
/// counts as null in a test, and is added when it should be replaced.
fn perform(operation: PatchOperation, target: &mut Value) -> Result<(), json_patch::PatchError> {
    let is_absent = |path: &Pointer| {
        let parent = path.parent().and_then(|parent| parent.resolve(target).ok());
        parent.is_some_and(Value::is_object) && path.resolve(target).is_err()
    };
    let operation = match operation {
        PatchOperation::Test(test) if test.value.is_null() && is_absent(&test.path) => return Ok(()),
        PatchOperation::Replace(replace) if is_absent(&replace.path) => PatchOperation::Add(AddOperation {
            path: replace.path,
            value: replace.value,
        }),
        other => other,
    };
    json_patch::patch(target, &[operation])
}

impl Cluster {
    /// Changes parts of an object.
    pub(crate) fn patch(&mut self, subject: &Subject, patch: Patch, run: Run) -> Answer<Written> {
        let place = subject.place(subject.name());
        let Some(old) = self.store.get(&place.resource, &place.key) else {
            return Err(not_found(&subject.kind, subject.name()));
        };
        let mut value = view::object(&subject.kind, &old)?.into_value();
        patch.apply(&mut value).map_err(|_| rejected(subject))?;
        let mut object = super::object(subject, value)?;
        super::check_name(subject, &mut object)?;
        self.replace(subject, &old, object, run)
    }
}

/// kube-apiserver says no more than this about a JSON patch that does not fit its object.
fn rejected(subject: &Subject) -> Refusal {
    let mut refusal = invalid(&subject.kind.kind, &subject.kind.group, subject.name(), &[]);
    refusal.message = "the server rejected our request due to an error in our request".to_owned();
    refusal
}

fn missing(feature: &str) -> Refusal {
    let message = format!(
        "{feature} is not implemented by this server yet - accepted media types include: {}",
        [PatchKind::Json.content_type(), PatchKind::Merge.content_type()].join(", ")
    );
    refuse(415, "UnsupportedMediaType", message)
}

/// What a built-in kind accepts on kube-apiserver.
pub(crate) const BUILT_IN_TYPES: &[&str] = &[
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
];

/// What a custom resource accepts on kube-apiserver.
pub(crate) const CUSTOM_TYPES: &[&str] = &[
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/apply-patch+yaml",
];

/// kube-apiserver's limit, which bounds the time one request can take.
const OPERATIONS_MAX: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(patch: &Value, expected: Option<&Value>) {
        let mut target = json!({"a": {"b": 1}, "l": [1]});
        let decoded = Patch::Json(serde_json::from_value(patch.clone()).unwrap());
        let applied = decoded.apply(&mut target).is_ok();
        assert_eq!(applied.then_some(&target), expected, "{patch}");
    }

    #[test]
    fn an_absent_field_is_null_to_a_test_and_added_by_a_replace() {
        let unchanged = json!({"a": {"b": 1}, "l": [1]});
        let added = json!({"a": {"b": 1, "x": 1}, "l": [1]});
        check(
            &json!([{"op": "test", "path": "/a/x", "value": null}]),
            Some(&unchanged),
        );
        check(&json!([{"op": "test", "path": "/a/b", "value": 1}]), Some(&unchanged));
        check(&json!([{"op": "replace", "path": "/a/x", "value": 1}]), Some(&added));
    }

    #[test]
    fn what_does_not_fit_fails() {
        check(&json!([{"op": "test", "path": "/q/x", "value": null}]), None);
        check(&json!([{"op": "test", "path": "/a/b", "value": null}]), None);
        check(&json!([{"op": "test", "path": "/a/x", "value": 1}]), None);
        check(&json!([{"op": "test", "path": "/l/5", "value": null}]), None);
        check(&json!([{"op": "remove", "path": "/a/x"}]), None);
        check(&json!([{"op": "add", "path": "/q/x", "value": 1}]), None);
    }
}
