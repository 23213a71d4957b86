//! ResourceQuotas: what a namespace may have at most. The plugin ResourceQuota counts.

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::immutable::{ImmutableFields, Printed};
use crate::registry::validation::qualified_names;
use crate::response::status::FieldError;
use crate::response::table::cells::text;
use crate::response::table::columns::Column;

/// The strategy of ResourceQuotas.
#[derive(Debug)]
pub(super) struct ResourceQuotas;

impl Strategy for ResourceQuotas {
    fn validate(&self, _: &Kind, quota: &Object) -> Vec<FieldError> {
        errors(quota)
    }

    fn immutable_fields(&self) -> ImmutableFields {
        &[("spec.scopes", Printed::Value)]
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![
            Column::name(),
            Column::computed("Request", |quota| used(quota, false)),
            Column::computed("Limit", |quota| used(quota, true)),
            Column::age(),
        ]
    }
}

/// What is wrong with a ResourceQuota.
fn errors(object: &Object) -> Vec<FieldError> {
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

fn used(quota: &Value, limits: bool) -> Value {
    let amount =
        |name: &str| quota.pointer("/status/used").and_then(|used| used.get(name)).map_or("0".to_owned(), text);
    let hard = quota.pointer("/status/hard").and_then(Value::as_object);
    let chosen = hard.into_iter().flatten().filter(|(name, _)| name.starts_with("limits.") == limits);
    let texts: Vec<String> = chosen.map(|(name, most)| format!("{name}: {}/{}", amount(name), text(most))).collect();
    texts.join(", ").into()
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

const SCOPES: &[&str] = &[
    "BestEffort",
    "CrossNamespacePodAffinity",
    "NotBestEffort",
    "NotTerminating",
    "PriorityClass",
    "Terminating",
    "VolumeAttributesClass",
];
