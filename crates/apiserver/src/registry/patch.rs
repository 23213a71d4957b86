//! PATCH: parts of an object changed, by JSON patch, merge patch or strategic merge patch; apply has a file of its own.
//!
//! In: the patch. Out: the stored object. The patch is applied to the state that it replaces, even if others write
//! meanwhile, so it can only conflict when it names a resourceVersion itself.

pub(crate) mod json_patch_operations;
mod strategic;

use json_patch_operations::{Operations, Rejected};
use pintle_core::call::PatchKind;
use pintle_wire::facts::Type;
use serde_json::Value;
use strategic::Unfit;

use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::{typed, yaml};
use crate::managed_fields::Tracker;
use crate::registry::field_validation::{FieldValidation, invalid_patch};
use crate::registry::guaranteed_update::{Outcome, TryUpdate};
use crate::registry::subresources::{SubresourceType, scale};
use crate::registry::write::{Attempted, Write};
use crate::response::status::{
    Answer, Refusal, bad_request, not_found, refuse_plainly, too_large, unforeseen, unsupported_media_type,
};
use crate::storage::entry::Entry;
use crate::storage::view;

/// A decoded patch.
pub(crate) struct Patch {
    body: PatchBody,
    /// What a strict reader finds in it.
    strict: Vec<String>,
    validation: FieldValidation,
}

enum PatchBody {
    Json(json_patch::Patch),
    Merge(Value),
    Strategic(&'static Type, Value),
    /// What a manager states, and whether it takes fields that other managers have set.
    Apply {
        stated: Value,
        force: bool,
    },
}

impl Patch {
    /// Decodes the body of a patch of this kind.
    pub(crate) fn decode(
        target: &ResolvedTarget,
        patch: PatchKind,
        body: &[u8],
        force: bool,
        validation: FieldValidation,
    ) -> Answer<Patch> {
        if patch == PatchKind::Apply {
            let strict = if validation == FieldValidation::Ignore { Vec::new() } else { yaml::duplicate_keys(body) };
            let body = PatchBody::Apply { stated: super::apply::decode(body)?, force };
            return Ok(Patch { body, strict, validation });
        }
        let read = typed::read_free(body).map_err(|_| bad_request("invalid JSON patch"))?;
        if patch == PatchKind::Json {
            let found = read.strict.iter().map(|found| format!("json patch {found}"));
            let strict = found.chain(unknown_in_operations(&read.value)).collect();
            return Ok(Patch { body: PatchBody::Json(operations(read.value)?), strict, validation });
        }
        let strategy = if patch == PatchKind::Strategic { Some(typed::of_body(target)) } else { None };
        if matches!(strategy, Some(None)) {
            return Err(unsupported_media_type(CUSTOM_TYPES));
        }
        if !read.value.is_object() {
            return Err(no_patch(&read.value, "map[string]interface {}"));
        }
        let body = match strategy.flatten() {
            Some(kind) => PatchBody::Strategic(kind, read.value),
            None => PatchBody::Merge(read.value),
        };
        Ok(Patch { body, strict: read.strict, validation })
    }

    /// What a controller of the server states, whichever manager set it before.
    pub(crate) fn applied(stated: Value, validation: FieldValidation) -> Patch {
        Patch { body: PatchBody::Apply { stated, force: true }, strict: Vec::new(), validation }
    }

    /// Whether it may read or change `metadata.managedFields`.
    fn reaches_managers(&self) -> bool {
        // A directive is about what is beside it.
        let is_meant = |field: &String| field == "managedFields" || field.starts_with('$');
        let reaches = |fields: &Value| fields.as_object().is_none_or(|fields| fields.keys().any(is_meant));
        match &self.body {
            PatchBody::Json(patch) => patch.0.iter().any(reaches_managers),
            PatchBody::Merge(patch) | PatchBody::Strategic(_, patch) => {
                reaches(patch) || patch.get("metadata").is_some_and(reaches)
            }
            PatchBody::Apply { .. } => true,
        }
    }

    /// What becomes of a value, read again as its type, and what a client is warned of.
    fn patched(&self, target: &ResolvedTarget, mut value: Value) -> Answer<(Value, Vec<String>)> {
        let patched = &mut value;
        match &self.body {
            PatchBody::Json(patch) => {
                let mut operations = Operations::default();
                let mut all = patch.0.iter().cloned();
                all.try_for_each(|operation| operations.perform(operation, patched)).map_err(|Rejected| rejected())?;
            }
            PatchBody::Merge(patch) => {
                let mut patch = patch.clone();
                drop_nulls_in_lists(&mut patch, false);
                json_patch::merge(patched, &patch);
            }
            PatchBody::Strategic(kind, patch) => {
                strategic::merge(kind, patched, patch).map_err(|unfit| match unfit {
                    Unfit::Malformed(why) => bad_request(why),
                    Unfit::Unforeseen(why) => unforeseen(why),
                })?;
            }
            PatchBody::Apply { .. } => return Err(rejected()),
        }
        self.validation.reread(target, value, self.strict.clone())
    }
}

impl TryUpdate for Patch {
    fn try_update(&self, target: &ResolvedTarget, old: &Entry, tracker: &Tracker) -> Answer<Outcome> {
        let before = view::object(&target.kind, old)?;
        if let PatchBody::Apply { stated, force } = &self.body {
            let outcome = super::apply::outcome(target, before, stated, *force, tracker)?;
            return Ok(Outcome { warnings: self.validation.judge_applied(&self.strict)?, ..outcome });
        }
        if target.subresource_type() == SubresourceType::Scale {
            let (value, warnings) = self.patched(target, scale::of(&target.kind, &before)?)?;
            let scale = super::object(target, value)?;
            super::check_name(target, &scale)?;
            return Ok(Outcome { warnings, ..scale::outcome(target, before, &scale, tracker)? });
        }
        // Managers that the patch leaves alone are not carried along: those of the state before count then.
        let patchable = if self.reaches_managers() { before.clone() } else { before.without_managers() };
        let (mut value, mut warnings) = self.patched(target, patchable.into_value())?;
        warnings.extend(super::owner_references::dedup(&mut value));
        if matches!(self.body, PatchBody::Strategic(..)) {
            // It is merged into a Go value, which stays what it is whatever the patch calls it.
            value["apiVersion"] = before.text("apiVersion").into();
            value["kind"] = before.text("kind").into();
        }
        if let Some(why) = super::patched_away(target, &value) {
            return Err(invalid_patch(&why));
        }
        let object = super::object(target, value)?;
        super::check_name(target, &object)?;
        Ok(Outcome { warnings, ..super::update::tracked(target, before, object, tracker)? })
    }
}

/// Whether an operation is about `metadata.managedFields`, what is in it, or what it is in.
fn reaches_managers(operation: &json_patch::PatchOperation) -> bool {
    let reaches = |path: &str| MANAGERS.starts_with(path) || path.starts_with(MANAGERS);
    let from = match operation {
        json_patch::PatchOperation::Move(operation) => Some(operation.from.as_str()),
        json_patch::PatchOperation::Copy(operation) => Some(operation.from.as_str()),
        _ => None,
    };
    reaches(operation.path().as_str()) || from.is_some_and(reaches)
}

/// Where managers are, as a JSON pointer.
const MANAGERS: &str = "/metadata/managedFields";

/// A list of a merge patch takes the place of another, and the objects in it begin as empty ones: null removes nothing there.
fn drop_nulls_in_lists(value: &mut Value, is_in_list: bool) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| drop_nulls_in_lists(item, true)),
        Value::Object(fields) => {
            fields.retain(|_, value| !(is_in_list && value.is_null()));
            fields.values_mut().for_each(|value| drop_nulls_in_lists(value, is_in_list));
        }
        _ => {}
    }
}

fn operations(value: Value) -> Answer<json_patch::Patch> {
    let Some(list) = value.as_array() else {
        return Err(no_patch(&value, "[]handlers.jsonPatchOp"));
    };
    if let Some(other) = list.iter().find(|operation| !operation.is_object()) {
        return Err(no_patch(other, "handlers.jsonPatchOp"));
    }
    // Whether an operation makes sense is found out only when it is performed.
    let patch: json_patch::Patch = serde_json::from_value(value).map_err(|_| rejected())?;
    if patch.0.len() > OPERATIONS_MAX {
        let count = patch.0.len();
        return Err(too_large(&format!(
            "The allowed maximum operations in a JSON patch is {OPERATIONS_MAX}, got {count}"
        )));
    }
    Ok(patch)
}

/// 400: JSON that is not a patch, in Go's words.
fn no_patch(value: &Value, wanted: &str) -> Refusal {
    let found = typed::go_errors::type_name(value);
    bad_request(format!("error decoding patch: json: cannot unmarshal {found} into Go value of type {wanted}"))
}

fn unknown_in_operations(patch: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (at, operation) in patch.as_array().into_iter().flatten().enumerate() {
        let fields = operation.as_object().into_iter().flat_map(|fields| fields.keys());
        for field in fields.filter(|field| !matches!(field.as_str(), "op" | "path" | "from" | "value")) {
            found.push(format!("json patch unknown field \"[{at}].{field}\""));
        }
    }
    found
}

impl Write<'_> {
    /// Works out what a patch makes of its object, or of a new one if it is an apply.
    pub(crate) async fn attempt_patch(&self, snapshot: &ClusterSnapshot, patch: &Patch) -> Answer<Attempted> {
        if let Some(attempted) = self.attempt_update(snapshot, patch).await? {
            return Ok(attempted);
        }
        match &patch.body {
            PatchBody::Apply { stated, force } if self.target.subresource.is_none() => {
                let new = super::apply::new_object(snapshot, &self.target, stated, *force)?;
                let warnings = patch.validation.judge_applied(&patch.strict)?;
                let mut attempted = self.attempt_create(snapshot, new).await?;
                attempted.warnings.extend(warnings);
                Ok(attempted)
            }
            _ => Err(not_found(&self.target.kind, self.target.name())),
        }
    }
}

/// kube-apiserver says no more than this about a JSON patch that does not fit its object.
fn rejected() -> Refusal {
    refuse_plainly(422, "Invalid", "the server rejected our request due to an error in our request")
}

/// What a custom resource accepts on kube-apiserver.
pub(crate) const CUSTOM_TYPES: &[&str] =
    &["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];

/// kube-apiserver's limit, which bounds the time one request can take.
const OPERATIONS_MAX: usize = 10_000;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn managers_are_left_aside_only_by_patches_that_do_not_reach_them() {
        let patch = |body| Patch { body, strict: Vec::new(), validation: FieldValidation::Ignore };
        let merge = |value| patch(PatchBody::Merge(value)).reaches_managers();
        assert!(!merge(json!({"metadata": {"labels": {"a": "b"}}, "spec": {"managedFields": 1}})));
        assert!(merge(json!({"metadata": {"managedFields": [{}]}})));
        assert!(merge(json!({"metadata": null})) && merge(json!({"metadata": {"$patch": "replace"}})));
        assert!(merge(json!({"$retainKeys": ["metadata"]})));
        let operation = |value| patch(PatchBody::Json(operations(json!([value])).unwrap())).reaches_managers();
        assert!(!operation(json!({"op": "add", "path": "/metadata/labels/a", "value": "b"})));
        for path in ["/metadata/managedFields", "/metadata/managedFields/0/time", "/metadata", ""] {
            assert!(operation(json!({"op": "test", "path": path, "value": null})), "{path}");
            assert!(operation(json!({"op": "copy", "from": path, "path": "/metadata/annotations/a"})), "{path}");
            assert!(operation(json!({"op": "move", "from": "/spec", "path": path})), "{path}");
        }
    }
}
