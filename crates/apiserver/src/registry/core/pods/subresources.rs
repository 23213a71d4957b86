//! The parts of a pod through which a little of its spec can be changed after all.
//!
//! In: the stored pod and the one that was sent. Out: the stored one with its ephemeral containers (which can be added
//! and never changed), or with the resources of its containers, and the refusals where more was asked.

use serde_json::{Value, json};

use crate::cluster::ResolvedTarget;
use crate::codec::object::Object;
use crate::response::status::{Answer, FieldError, invalid, not_implemented};

/// What a write to a subresource makes of its pod, whose spec counts as changed only where it was.
pub(super) fn changed(target: &ResolvedTarget, before: &Object, new: &Object) -> Answer<Object> {
    let changed = match target.subresource.as_deref().unwrap_or_default() {
        "ephemeralcontainers" => with_ephemeral_containers(before, new),
        "resize" => resized(before, new),
        other => return Err(not_implemented(&format!("subresource {}/{other}", target.kind.plural))),
    };
    let mut pod = changed.map_err(|errors| invalid(&target.kind.kind, &target.kind.group, target.name(), &errors))?;
    if pod.get("spec") != before.get("spec") {
        pod.set_meta("generation", before.generation() + 1);
    }
    Ok(pod)
}

/// The pod with the ephemeral containers that were sent.
fn with_ephemeral_containers(before: &Object, new: &Object) -> Result<Object, Vec<FieldError>> {
    let (old, asked) = (containers(before, "ephemeralContainers"), containers(new, "ephemeralContainers"));
    let mut errors = Vec::new();
    for container in &old {
        let name = container["name"].as_str().unwrap_or_default();
        match asked.iter().find(|candidate| candidate["name"] == container["name"]) {
            Some(same) if same == container => {}
            found => {
                let change = if found.is_some() { "changed" } else { "removed" };
                let why = format!("existing ephemeral containers {name:?} may not be {change}\n");
                errors.push(FieldError::forbidden("spec.ephemeralContainers", &why));
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut pod = before.clone();
    set_spec(&mut pod, "ephemeralContainers", asked);
    Ok(pod)
}

/// The pod with the resources of the containers that were sent.
fn resized(before: &Object, new: &Object) -> Result<Object, Vec<FieldError>> {
    let mut pod = before.clone();
    for list in ["containers", "initContainers"] {
        let mut resized = containers(before, list);
        let asked = containers(new, list);
        if resized.len() != asked.len() {
            let why = "containers may not be added or removed on resize";
            return Err(vec![FieldError::forbidden(&format!("spec.{list}"), why)]);
        }
        for (container, asked) in resized.iter_mut().zip(&asked) {
            for field in ["resources", "resizePolicy"] {
                match asked.get(field) {
                    Some(value) => container[field] = value.clone(),
                    None => drop(container.as_object_mut().and_then(|fields| fields.remove(field))),
                }
            }
        }
        if !resized.is_empty() {
            set_spec(&mut pod, list, resized);
        }
    }
    Ok(pod)
}

fn containers(pod: &Object, list: &str) -> Vec<Value> {
    pod.get("spec").and_then(|spec| spec.get(list)).and_then(Value::as_array).cloned().unwrap_or_default()
}

fn set_spec(pod: &mut Object, field: &str, value: Vec<Value>) {
    let mut spec = pod.remove("spec").filter(Value::is_object).unwrap_or_else(|| json!({}));
    spec[field] = value.into();
    pod.set("spec", spec);
}
