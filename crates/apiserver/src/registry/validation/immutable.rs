//! Immutable fields of built-in kinds, by table.
//!
//! Where kube-apiserver shows what was asked for in a form of its own (the differences of two Go values), only the sentence
//! before it is given.

use serde_json::{Value, json};

use super::field::Field;
use super::{at, go_json};
use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::codec::typed::quantity::Quantity;
use crate::response::status::FieldError;

/// What a change asks for that this kind does not allow.
pub(super) fn errors(kind: &Kind, before: &Object, object: &Object) -> Vec<FieldError> {
    let key = (kind.group.as_str(), kind.plural.as_str());
    let rows = FIXED.iter().filter(|row| (row.0, row.1) == key);
    let mut errors = Vec::new();
    if key == ("batch", "jobs") {
        errors.extend(completions(before, object));
    }
    let changed = rows
        .filter(|(_, _, path, _)| at(before, path) != at(object, path))
        .filter(|(_, _, path, _)| !(*path == "spec.template" && is_suspended(before)))
        .map(|(_, _, path, printed)| printed.error(path, at(object, path).unwrap_or(&Value::Null)));
    errors.extend(changed);
    match key {
        ("", "configmaps") => errors.extend(sealed(before, object, &["data", "binaryData"])),
        ("", "secrets") => errors.extend(sealed(before, object, &["data"])),
        ("", "services") => errors.extend(address(before, object)),
        ("", "pods") => errors.extend(pod(before, object)),
        ("", "persistentvolumeclaims") => errors.extend(claim(before, object)),
        ("", "persistentvolumes") => errors.extend(volume(before, object)),
        _ => {}
    }
    errors
}

/// How the error of an immutable field prints the value.
enum Printed {
    /// With what it asked for.
    Value,
    /// With what it asked for, as a selector.
    Selector,
    /// With what it asked for, as a reference to a role.
    RoleReference,
    /// Without it.
    Null,
    /// In other words, and without it.
    Forbidden(&'static str),
    /// Under another name.
    As(&'static str),
}

impl Printed {
    fn error(&self, path: &str, asked: &Value) -> FieldError {
        let shown = match self {
            Printed::Forbidden(why) => return FieldError::forbidden(path, why),
            _ if asked.is_null() => asked.to_string(),
            Printed::Value | Printed::As(_) => asked.to_string(),
            Printed::Selector => go_json::selector(asked),
            Printed::RoleReference => go_json::role_reference(asked),
            Printed::Null => "null".to_owned(),
        };
        let path = if let Printed::As(name) = self { name } else { path };
        FieldError::invalid(path, &shown, "field is immutable")
    }
}

/// What is said to be immutable stays so, and with it all it holds.
fn sealed(before: &Object, object: &Object, fields: &[&str]) -> Vec<FieldError> {
    if before.get("immutable") != Some(&Value::Bool(true)) {
        return Vec::new();
    }
    let why = "field is immutable when `immutable` is set";
    let mut errors = Vec::new();
    if object.get("immutable") != Some(&Value::Bool(true)) {
        errors.push(FieldError::forbidden("immutable", why));
    }
    let changed = fields.iter().filter(|field| at(before, field) != at(object, field));
    errors.extend(changed.map(|field| FieldError::forbidden(field, why)));
    errors
}

/// The address of a Service is for ever, unless it becomes another's name.
fn address(before: &Object, object: &Object) -> Option<FieldError> {
    let (old, new) = (Field::of(before, "spec"), Field::of(object, "spec"));
    let is_external = |spec: &Field<'_>| spec.field("type").text() == "ExternalName";
    let (was, asked) = (old.field("clusterIP").text(), new.field("clusterIP").text());
    if is_external(&old) || is_external(&new) || was.is_empty() || was == asked {
        return None;
    }
    Some(FieldError::invalid("spec.clusterIPs[0]", &json!([asked]).to_string(), "may not change once set"))
}

/// Of a pod the images may change, and a few numbers; the rest is decided when it is made.
fn pod(before: &Object, object: &Object) -> Vec<FieldError> {
    let (old, new) = (Field::of(before, "spec"), Field::of(object, "spec"));
    let names = |spec: &Field<'_>, list: &str| spec.field(list).items().count();
    for list in ["containers", "initContainers"] {
        if names(&old, list) != names(&new, list) {
            return vec![new.field(list).forbidden("pod updates may not add or remove containers")];
        }
    }
    // What waits at a gate has not been placed yet: this holds for the change that takes the last gate away, too.
    let is_gated = !old.field("schedulingGates").is_empty();
    if frozen(&old, is_gated) == frozen(&new, is_gated) {
        return tolerations(&old, &new).into_iter().collect();
    }
    vec![new.forbidden(
        "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,\
         `spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),\
         `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
    )]
}

/// The spec of a pod without what may change.
fn frozen(spec: &Field<'_>, is_gated: bool) -> Value {
    let mut frozen = spec.value.clone();
    for list in ["containers", "initContainers"] {
        for container in frozen.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            container["image"] = Value::Null;
        }
    }
    if let Some(fields) = frozen.as_object_mut() {
        for field in ["activeDeadlineSeconds", "tolerations", "schedulingGates"] {
            fields.remove(field);
        }
        if is_gated {
            for field in ["nodeSelector", "affinity"] {
                fields.remove(field);
            }
        }
        if fields.get("terminationGracePeriodSeconds").and_then(Value::as_i64).is_some_and(|seconds| seconds < 0) {
            fields.insert("terminationGracePeriodSeconds".to_owned(), 1.into());
        }
    }
    frozen
}

fn tolerations(old: &Field<'_>, new: &Field<'_>) -> Option<FieldError> {
    let (old, new) = (old.field("tolerations"), new.field("tolerations"));
    let is_kept = old.items().all(|toleration| {
        // Only how long it holds may change.
        let key = |value: &Value| {
            let mut value = value.clone();
            value["tolerationSeconds"] = Value::Null;
            value
        };
        new.items().any(|other| key(other.value) == key(toleration.value))
    });
    (!is_kept).then(|| new.forbidden("existing toleration can not be modified except its tolerationSeconds"))
}

/// What a volume is stays; how it is used may change.
fn volume(before: &Object, object: &Object) -> Option<FieldError> {
    let source = |volume: &Object| {
        let mut spec = volume.get("spec").cloned().unwrap_or_default();
        if let Some(fields) = spec.as_object_mut() {
            fields.retain(|name, _| super::cluster_resources::VOLUME_SOURCES.contains(&name.as_str()));
        }
        spec
    };
    let path = "spec.persistentvolumesource";
    let why = format!("{path} is immutable after creation");
    (source(before) != source(object)).then(|| FieldError::forbidden(path, &why))
}

/// A claim may be bound, and grow once it is; what it was given, it keeps.
fn claim(before: &Object, object: &Object) -> Option<FieldError> {
    let is_bound = at(before, "status.phase").is_some_and(|phase| phase == "Bound");
    let frozen = |claim: &Object| {
        let mut spec = claim.get("spec").cloned().unwrap_or_default();
        if at(before, "spec.volumeName").is_none() {
            spec["volumeName"] = Value::Null;
        }
        if is_bound {
            spec["resources"]["requests"] = Value::Null;
            spec["volumeAttributesClassName"] = Value::Null;
        }
        spec
    };
    let why =
        "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    if frozen(before) != frozen(object) {
        return Some(FieldError::forbidden("spec", why));
    }
    let size = |claim: &Object, path: &str| at(claim, path).and_then(Value::as_str).and_then(Quantity::parse);
    let path = "spec.resources.requests.storage";
    let (old, new, capacity) = (size(before, path), size(object, path), size(before, "status.capacity.storage"));
    let is_too_small = new < old && new < capacity;
    is_too_small.then(|| FieldError::forbidden(path, "field can not be less than status.capacity"))
}

/// Of a job with indexes both numbers may change together, of another neither.
fn completions(before: &Object, object: &Object) -> Option<FieldError> {
    let path = "spec.completions";
    let (old, new) = (at(before, path), at(object, path));
    let is_indexed = at(object, "spec.completionMode").is_some_and(|mode| mode == "Indexed");
    if old == new || (is_indexed && new == at(object, "spec.parallelism")) {
        return None;
    }
    let why = "can only be modified in tandem with spec.parallelism";
    let shown = new.cloned().unwrap_or_default().to_string();
    Some(FieldError::invalid(path, &shown, if is_indexed { why } else { "field is immutable" }))
}

/// Where the pods of a job that has not begun may run can still be decided.
fn is_suspended(job: &Object) -> bool {
    at(job, "spec.suspend") == Some(&Value::Bool(true)) && at(job, "status.startTime").is_none()
}

/// Group, plural, path, and how the error prints the value.
const FIXED: &[(&str, &str, &str, Printed)] = &[
    ("", "secrets", "type", Printed::Value),
    ("", "resourcequotas", "spec.scopes", Printed::Value),
    ("apps", "deployments", "spec.selector", Printed::Selector),
    ("apps", "replicasets", "spec.selector", Printed::Selector),
    ("apps", "daemonsets", "spec.selector", Printed::Selector),
    ("apps", "statefulsets", "spec.serviceName", Printed::Value),
    ("apps", "statefulsets", "spec.selector", Printed::Selector),
    ("apps", "statefulsets", "spec.podManagementPolicy", Printed::Value),
    ("apps", "statefulsets", "spec.volumeClaimTemplates", Printed::Value),
    ("batch", "jobs", "spec.selector", Printed::Selector),
    ("batch", "jobs", "spec.template", Printed::Value),
    ("batch", "jobs", "spec.completionMode", Printed::Value),
    ("rbac.authorization.k8s.io", "rolebindings", "roleRef", Printed::RoleReference),
    ("rbac.authorization.k8s.io", "clusterrolebindings", "roleRef", Printed::RoleReference),
    ("storage.k8s.io", "storageclasses", "provisioner", Printed::Null),
    ("storage.k8s.io", "storageclasses", "parameters", Printed::Null),
    ("storage.k8s.io", "storageclasses", "reclaimPolicy", Printed::Null),
    ("storage.k8s.io", "storageclasses", "volumeBindingMode", Printed::Null),
    ("storage.k8s.io", "csidrivers", "spec.attachRequired", Printed::As("spec.attachedRequired")),
    ("scheduling.k8s.io", "priorityclasses", "value", Printed::Forbidden("may not be changed in an update.")),
    ("scheduling.k8s.io", "priorityclasses", "preemptionPolicy", Printed::Value),
    ("networking.k8s.io", "ingressclasses", "spec.controller", Printed::Value),
    ("node.k8s.io", "runtimeclasses", "handler", Printed::Null),
    ("discovery.k8s.io", "endpointslices", "addressType", Printed::Null),
];
