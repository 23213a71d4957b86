//! Classes of storage, priorities and runtimes; quotas and limits: what cluster administrators write.

use std::collections::BTreeSet;

use serde_json::Value;

use super::field::Field;
use super::{STANDARD_FINALIZERS, networking, qualified_names, volume_claims, workloads};
use crate::codec::object::Object;
use crate::codec::typed::quantity::Quantity;
use crate::registry::validation::names;
use crate::response::status::FieldError;

/// What is wrong with a StorageClass.
pub(super) fn storage_class(object: &Object) -> Vec<FieldError> {
    let provisioner = Field::of(object, "provisioner");
    let mut errors: Vec<FieldError> = provisioner.required().into_iter().collect();
    if !provisioner.is_empty() {
        let lower = provisioner.text().to_lowercase();
        let wrong = qualified_names::key(&lower);
        errors.extend(wrong.iter().map(|why| FieldError::invalid_text(&provisioner.path, &lower, why)));
    }
    let parameters = Field::of(object, "parameters");
    if parameters.value.as_object().is_some_and(|all| all.keys().any(String::is_empty)) {
        errors.push(parameters.wrong_text("field can not be empty."));
    }
    errors.extend(Field::of(object, "reclaimPolicy").one_of(&["Delete", "Retain"]));
    errors.extend(Field::of(object, "volumeBindingMode").one_of(&["Immediate", "WaitForFirstConsumer"]));
    for term in Field::of(object, "allowedTopologies").items() {
        for expression in term.field("matchLabelExpressions").items() {
            errors.extend(expression.field("values").required());
            errors.extend(expression.field("key").named(qualified_names::key));
        }
    }
    errors
}

/// What is wrong with a PriorityClass.
pub(super) fn priority_class(object: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (name, value) = (object.name(), Field::of(object, "value"));
    if name.starts_with(SYSTEM_PREFIX) && !SYSTEM_CLASSES.contains(&name) {
        let why = format!(
            "priority class names with '{SYSTEM_PREFIX}' prefix are reserved for system use only. error: {name} is not a known system priority class"
        );
        errors.push(FieldError::forbidden("metadata.name", &why));
    } else if value.value.as_i64().is_some_and(|value| value > PRIORITY_MAX) && !SYSTEM_CLASSES.contains(&name) {
        let why = format!("maximum allowed value of a user defined priority is {PRIORITY_MAX}");
        errors.push(value.forbidden(&why));
    }
    errors.extend(Field::of(object, "preemptionPolicy").one_of(&["PreemptLowerPriority", "Never"]));
    errors
}

/// What is wrong with a RuntimeClass.
pub(super) fn runtime_class(object: &Object) -> Vec<FieldError> {
    let handler = Field::of(object, "handler");
    match handler.required() {
        Some(error) => vec![error],
        None => handler.named(names::label),
    }
}

/// What is wrong with a ResourceQuota.
pub(super) fn quota(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let hard = spec.field("hard");
    let mut errors = Vec::new();
    for (name, amount) in hard.value.as_object().into_iter().flatten() {
        let at = format!("{}[{name}]", hard.path);
        errors.extend(qualified_names::key(name).iter().map(|why| FieldError::invalid_text(&at, name, why)));
        if !name.contains('/') && !is_standard(name) {
            errors.push(FieldError::invalid_text(&at, name, "must be a standard resource for quota"));
        }
        if amount.as_str().is_some_and(|amount| amount.starts_with('-')) {
            errors.push(FieldError::invalid(&at, &amount.to_string(), "must be greater than or equal to 0"));
        }
    }
    let scopes = spec.field("scopes");
    for scope in scopes.items() {
        if !SCOPES.contains(&scope.text()) {
            errors.push(FieldError::invalid(&scopes.path, &scopes.value.to_string(), "unsupported scope"));
        }
    }
    let has = |name: &str| scopes.items().any(|scope| scope.text() == name);
    for (one, other) in [("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating")] {
        if has(one) && has(other) {
            errors.push(FieldError::invalid(&scopes.path, &scopes.value.to_string(), "conflicting scopes"));
        }
    }
    errors
}

/// What a quota can count without a domain in front of it.
fn is_standard(name: &str) -> bool {
    let plain = name.strip_prefix("requests.").or_else(|| name.strip_prefix("limits.")).unwrap_or(name);
    let is_compute = matches!(plain, "cpu" | "memory" | "ephemeral-storage");
    is_compute || name.starts_with("hugepages-") || name.starts_with("requests.hugepages-") || COUNTED.contains(&name)
}

/// What is wrong with the labels that choose the parts of an aggregated ClusterRole.
pub(super) fn aggregation(object: &Object) -> Vec<FieldError> {
    let rule = Field::of(object, "aggregationRule");
    if rule.value.is_null() {
        return Vec::new();
    }
    let selectors = rule.field("clusterRoleSelectors");
    let mut errors: Vec<FieldError> = Vec::new();
    errors
        .extend(selectors.required_because("at least one clusterRoleSelector required if aggregationRule is non-nil"));
    for selector in selectors.items() {
        let wrong = workloads::selector_errors(&selector);
        let is_wrong = !wrong.is_empty();
        errors.extend(wrong);
        errors.extend(is_wrong.then(|| FieldError::invalid(&selector.path, "null", "invalid label selector.")));
    }
    errors
}

/// What is wrong with a PersistentVolume.
pub(super) fn volume(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let (modes, capacity) = (spec.field("accessModes"), spec.field("capacity"));
    let mut errors: Vec<FieldError> = modes.required().into_iter().collect();
    errors.extend(
        modes.items().filter_map(|mode| Field { path: modes.path.clone(), ..mode }.one_of(volume_claims::MODES)),
    );
    errors.extend(capacity.required());
    let has_storage = capacity.value.get("storage").is_some();
    if !has_storage || (capacity.value.as_object().is_some_and(|all| all.len() > 1)) {
        errors.push(FieldError::none_of(&capacity.path, &capacity.value.to_string(), &["storage"]));
    }
    let size = capacity.field("storage");
    if size.value.is_string() && (size.text() == "0" || size.text().starts_with('-')) {
        let at = format!("{}[storage]", capacity.path);
        errors.push(FieldError::invalid(&at, &size.value.to_string(), "must be greater than zero"));
    }
    let policy = spec.field("persistentVolumeReclaimPolicy");
    errors.extend(policy.one_of(&["Delete", "Recycle", "Retain"]));
    errors.extend(sources(&spec));
    let path = spec.field("hostPath").field("path");
    if path.text() == "/" && policy.text() == "Recycle" {
        errors.push(policy.forbidden("may not be 'recycle' for a hostPath mount of '/'"));
    }
    errors.extend(spec.field("storageClassName").subdomain());
    errors.extend(spec.field("volumeMode").one_of(&["Block", "Filesystem"]));
    errors
}

/// A volume is one thing, and that in full.
fn sources(spec: &Field<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut found = 0;
    for name in VOLUME_SOURCES {
        let source = spec.field(name);
        if source.value.is_null() {
            continue;
        }
        found += 1;
        if found > 1 {
            errors.push(source.forbidden("may not specify more than 1 volume type"));
            continue;
        }
        let (path, server) = (source.field("path"), source.field("server"));
        match *name {
            "hostPath" | "local" => {
                errors.extend(path.required());
                if path.text().split('/').any(|step| step == "..") {
                    errors.push(path.wrong_text("must not contain '..'"));
                }
            }
            "nfs" => {
                errors.extend(server.required());
                errors.extend(path.required());
                if !path.is_empty() && !path.text().starts_with('/') {
                    errors.push(path.wrong_text("must be an absolute path"));
                }
            }
            "csi" => {
                errors.extend(["driver", "volumeHandle"].iter().filter_map(|field| source.field(field).required()));
            }
            _ => {}
        }
    }
    if found == 0 {
        errors.push(FieldError::required(&spec.path, "must specify a volume type"));
    }
    errors
}

/// What a limit says of one type of thing.
pub(super) fn limits(object: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for limit in Field::of(object, "spec").field("limits").items() {
        let kind = limit.field("type");
        errors.extend(kind.required());
        if seen.contains(&kind.text()) {
            errors.push(FieldError::duplicate(&kind.path, &kind.value.to_string()));
        }
        seen.push(kind.text());
        errors.extend(bounds(&limit));
        if kind.text() == "Pod" {
            for field in ["default", "defaultRequest"] {
                let spot = limit.field(field);
                if !spot.is_empty() {
                    errors.push(spot.forbidden("may not be specified when `type` is 'Pod'"));
                }
            }
        }
    }
    errors
}

/// Smallest, greatest and what is given unasked fit each other, for each resource.
fn bounds(limit: &Field<'_>) -> Vec<FieldError> {
    let named = |field: &str| limit.field(field).value.as_object().into_iter().flatten();
    let all = ["max", "min", "default", "defaultRequest"].into_iter().flat_map(named);
    let names: BTreeSet<&String> = all.map(|(name, _)| name).collect();
    let mut errors = Vec::new();
    for name in names {
        let amount = |field: &str| limit.field(field).value.get(name.as_str()).and_then(Value::as_str);
        for (less, of_less, more, of_more, at, shown) in BOUNDS {
            let (Some(one), Some(other), Some(value)) = (amount(less), amount(more), amount(shown)) else { continue };
            if Quantity::parse(one) > Quantity::parse(other) {
                let why = format!("{of_less} value {one} is greater than {of_more} value {other}");
                errors.push(FieldError::invalid_text(&format!("{}.{at}[{name}]", limit.path), value, &why));
            }
        }
    }
    errors
}

/// What may not be greater than what, both with their words; at which field the error is reported, and with which value.
const BOUNDS: &[(&str, &str, &str, &str, &str, &str)] = &[
    ("min", "min", "max", "max", "min", "min"),
    ("min", "min", "defaultRequest", "default request", "defaultRequest", "defaultRequest"),
    ("defaultRequest", "default request", "max", "max", "defaultRequest", "defaultRequest"),
    ("defaultRequest", "default request", "default", "default limit", "defaultRequest", "defaultRequest"),
    ("min", "min", "default", "default", "default", "min"),
    ("default", "default", "max", "max", "default", "max"),
];

/// What is wrong with a Node.
pub(super) fn node(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let mut errors = Vec::new();
    let taints = spec.field("taints");
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for (place, taint) in taints.items().enumerate() {
        // Its path is not the document's.
        let taint = Field { path: format!("metadata.taints[{place}]"), value: taint.value };
        let (key, value, effect) = (taint.field("key"), taint.field("value"), taint.field("effect"));
        errors.extend(key.named(qualified_names::key));
        errors.extend(value.named(qualified_names::label_value));
        errors.extend(effect.one_of(&["NoSchedule", "PreferNoSchedule", "NoExecute"]));
        if seen.contains(&(key.text(), effect.text())) {
            let text = |spot: &Field<'_>| Value::from(spot.text());
            let shown = format!(
                "{{\"Key\":{},\"Value\":{},\"Effect\":{},\"TimeAdded\":{}}}: taints must be unique by key and effect pair",
                text(&key),
                text(&value),
                text(&effect),
                taint.field("timeAdded").value
            );
            errors.push(FieldError::duplicate(&taint.path, &shown));
        }
        seen.push((key.text(), effect.text()));
    }
    errors.extend(spec.field("podCIDRs").items().filter_map(|cidr| networking::cidr_error(&cidr)));
    errors
}

/// What is wrong with the finalizers in the spec of a Namespace.
pub(super) fn namespace(object: &Object) -> Vec<FieldError> {
    let finalizers = Field::of(object, "spec").field("finalizers");
    let mut errors = Vec::new();
    for finalizer in finalizers.items() {
        let finalizer = Field { path: finalizers.path.clone(), ..finalizer };
        errors.extend(finalizer.named(qualified_names::key));
        if !finalizer.text().contains('/') && !STANDARD_FINALIZERS.contains(&finalizer.text()) {
            let why = "name is neither a standard finalizer name nor is it fully qualified";
            errors.push(finalizer.wrong_text(why));
        }
    }
    errors
}

/// What else a quota counts.
const COUNTED: &[&str] = &[
    "configmaps",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "requests.storage",
    "resourcequotas",
    "secrets",
    "services",
    "services.loadbalancers",
    "services.nodeports",
];

const SYSTEM_PREFIX: &str = "system-";
const SYSTEM_CLASSES: &[&str] = &["system-node-critical", "system-cluster-critical"];

/// What is above is the system's.
const PRIORITY_MAX: i64 = 1_000_000_000;

const SCOPES: &[&str] = &[
    "BestEffort",
    "CrossNamespacePodAffinity",
    "NotBestEffort",
    "NotTerminating",
    "PriorityClass",
    "Terminating",
    "VolumeAttributesClass",
];

/// What a volume can be, in the order in which kube-apiserver looks.
pub(super) const VOLUME_SOURCES: &[&str] = &[
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
];
