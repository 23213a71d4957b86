//! What `kubectl apply --server-side` finds of `kubectl apply`: the annotation with what was applied last.
//!
//! Only the manager `kubectl` is treated so. Fields which the annotation names are not conflicts, since it is the same
//! person who applied them; and while the annotation is there it is kept up to date, so that they can go back.

use serde_json::Value;

use super::Writer;
use super::apply::{Refused, apply as apply_plainly};
use super::managers::Managers;
use super::versions::Versions;
use crate::managed_fields::merge::FieldSet;
use crate::managed_fields::merge::owned::owned;

/// Applies, with what the annotation allows.
pub(super) fn apply(
    managers: &mut Managers,
    versions: &Versions,
    writer: &Writer,
    live: &Value,
    stated: &Value,
    force: bool,
) -> Result<Option<Value>, Refused> {
    if writer.name != KUBECTL {
        return apply_plainly(managers, versions, writer, live, stated, force);
    }
    let known = managers.clone();
    let mut done = apply_plainly(managers, versions, writer, live, stated, force);
    if let Err(Refused::Conflicts(conflicts)) = &mut done {
        let allowed = allowed(versions, writer, live);
        conflicts.retain(|conflict| {
            let mut path = FieldSet::default();
            path.insert(&conflict.path.0);
            !path.difference(&allowed).is_empty()
        });
        if conflicts.is_empty() {
            *managers = known;
            done = apply_plainly(managers, versions, writer, live, stated, true);
        }
    }
    let merged = done?;
    Ok(if annotation(live).is_some() {
        Some(annotated(merged.unwrap_or_else(|| live.clone()), stated))
    } else {
        merged
    })
}

/// The fields that were applied from the client's side.
fn allowed(versions: &Versions, writer: &Writer, live: &Value) -> FieldSet {
    let last = annotation(live).and_then(|text| serde_json::from_str::<Value>(text).ok());
    match (last, versions.schema(&writer.api_version)) {
        (Some(last), Some(schema)) => owned(schema, &last),
        _ => FieldSet::default(),
    }
}

fn annotation(object: &Value) -> Option<&str> {
    object.get("metadata")?.get("annotations")?.get(ANNOTATION)?.as_str()
}

fn annotated(mut object: Value, stated: &Value) -> Value {
    let mut stated = stated.clone();
    if let Some(annotations) = stated.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut) {
        annotations.remove(ANNOTATION);
    }
    object["metadata"]["annotations"][ANNOTATION] = format!("{stated}\n").into();
    object
}

const KUBECTL: &str = "kubectl";
const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";
