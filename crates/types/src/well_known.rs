//! Types of Kubernetes that a schema has spelled out again.
//!
//! In: the schema of an object. Out: the type of k8s-openapi with the same fields, if there is one. A type is recognised by
//! all of its fields and not by some, so nothing that the schema has is lost.

use crate::model::External;
use crate::schema::Schema;

/// `metav1.Condition`, as far as it is required what k8s-openapi's type always writes. Older conditions, of which only type
/// and status are required, get a type of their own.
pub(crate) fn is_condition(schema: Schema<'_>) -> bool {
    const ALWAYS: [&str; 5] = ["lastTransitionTime", "message", "reason", "status", "type"];
    let is_known = |name: &str| ALWAYS.contains(&name) || name == "observedGeneration";
    let is_time = |time: Schema<'_>| time.text("format") == Some("date-time");
    schema.properties().all(|(name, _)| is_known(name))
        && ALWAYS.iter().all(|name| schema.requires(name) && schema.property(name).is_some())
        && schema.property("lastTransitionTime").is_some_and(is_time)
}

/// One of the types that many kinds have.
pub(crate) fn well_known(schema: Schema<'_>) -> Option<External> {
    if schema.preserves_unknown_fields() || schema.additional_properties().is_some() {
        return None;
    }
    let mut names: Vec<&str> = schema.properties().map(|(name, _)| name).collect();
    names.sort_unstable();
    SHAPES.iter().find(|(_, fields)| *fields == names).map(|(external, _)| *external)
}

/// The fields of each type, sorted. `claims` of resources came with Kubernetes 1.26.
const SHAPES: &[(External, &[&str])] = &[
    (External::Affinity, &["nodeAffinity", "podAffinity", "podAntiAffinity"]),
    (External::LabelSelector, &["matchExpressions", "matchLabels"]),
    (External::ObjectReference, &["apiVersion", "fieldPath", "kind", "name", "namespace", "resourceVersion", "uid"]),
    (External::ResourceRequirements, &["claims", "limits", "requests"]),
    (External::ResourceRequirements, &["limits", "requests"]),
    (External::Toleration, &["effect", "key", "operator", "tolerationSeconds", "value"]),
];
