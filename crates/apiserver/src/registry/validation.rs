//! Whether an object may be stored: kube-apiserver's rules and its words for what breaks them.
//!
//! ```text
//!   a new object ───────► metadata ─► its kind's own rules ──┐
//!   an object changed ──► metadata, what is fixed ───────────┴─► no errors, or a 422 that names every field
//! ```
//! In: an object that is otherwise ready to be stored, and for a change the state before. Out: an [`Answer`]. Every error is
//! collected: a client gets all of them at once. What a schema says about custom resources is in `catalog/crd`.
//!
//! More files than elsewhere, because there is one per family of kinds, as kube has one `validation` package per API group;
//! `field`, `metadata`, `names`, `qualified_names`, `immutable` and `go_json` serve all of them.

mod autoscaling;
mod cluster_resources;
mod config;
mod cron_schedule;
mod events;
mod field;
mod go_json;
pub(crate) mod immutable;
pub(crate) mod metadata;
pub(crate) mod names;
mod networking;
mod pods;
pub(crate) mod qualified_names;
mod rbac;
mod replica_counts;
mod services;
mod volume_claims;
mod webhooks;
mod workloads;

pub(crate) use metadata::STANDARD_FINALIZERS;
use serde_json::Value;

use crate::catalog::crd;
use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::codec::object::Object;
use crate::registry::is_another_custom_kind;
use crate::registry::strategy::custom_resource;
use crate::response::status::{Answer, FieldError, invalid};

/// Whether this may be stored as a new object.
pub(crate) fn check_new(target: &ResolvedTarget, object: &Object) -> Answer<()> {
    check_custom_kind(target, object)?;
    let kind = &target.kind;
    let mut errors = metadata::of_new(kind, object);
    errors.extend(own_rules(kind, object));
    errors.extend(crd::errors(kind, None, object));
    errors.extend(custom_resource::errors(target, None, object));
    refused(kind, object, &errors)
}

/// Whether this may take the place of the state before.
pub(crate) fn check_change(target: &ResolvedTarget, before: &Object, object: &Object) -> Answer<()> {
    check_custom_kind(target, object)?;
    let kind = &target.kind;
    let mut errors = metadata::of_change(kind, before, object);
    if target.subresource.is_none() {
        errors.extend(own_rules(kind, object));
        errors.extend(crd::errors(kind, Some(before), object));
        errors.extend(immutable::errors(kind, before, object));
    }
    if target.subresource.as_deref() == Some("status") {
        errors.extend(replica_counts::errors(kind, object));
    }
    errors.extend(custom_resource::errors(target, Some(before), object));
    refused(kind, object, &errors)
}

/// A custom resource is of the kind of its path, and refused by the one that it names.
fn check_custom_kind(target: &ResolvedTarget, object: &Object) -> Answer<()> {
    if !is_another_custom_kind(target, object) {
        return Ok(());
    }
    let said = object.text("kind");
    let error = FieldError::invalid_text("kind", said, &format!("must be {}", target.kind.kind));
    Err(invalid(said, &target.kind.group, object.name(), &[error]))
}

/// What a kind asks of its objects beyond their metadata and the types of their fields.
fn own_rules(kind: &Kind, object: &Object) -> Vec<FieldError> {
    match (kind.group.as_str(), kind.plural.as_str()) {
        ("", "configmaps") => config::config_map(object),
        ("", "secrets") => config::secret(object),
        ("", "services") => services::service(object),
        ("", "pods") => pods::pod(object),
        ("", "persistentvolumeclaims") => volume_claims::claim(object),
        ("apps", "deployments" | "replicasets" | "statefulsets" | "daemonsets") => workloads::workload(kind, object),
        ("batch", "jobs") => workloads::job(object),
        ("batch", "cronjobs") => workloads::cron_job(object),
        ("", "endpoints") => networking::endpoints(object),
        ("", "limitranges") => cluster_resources::limits(object),
        ("", "namespaces") => cluster_resources::namespace(object),
        ("", "nodes") => cluster_resources::node(object),
        ("", "replicationcontrollers") => workloads::replication_controller(object),
        ("", "persistentvolumes") => cluster_resources::volume(object),
        ("", "resourcequotas") => cluster_resources::quota(object),
        ("admissionregistration.k8s.io", plural) if plural.ends_with("webhookconfigurations") => {
            webhooks::configuration(object)
        }
        ("autoscaling", "horizontalpodautoscalers") => autoscaling::autoscaler(object),
        ("discovery.k8s.io", "endpointslices") => networking::slice(object),
        ("networking.k8s.io", "ingresses") => networking::ingress(object),
        ("networking.k8s.io", "ingressclasses") => networking::ingress_class(object),
        ("networking.k8s.io", "networkpolicies") => networking::policy(object),
        ("node.k8s.io", "runtimeclasses") => cluster_resources::runtime_class(object),
        ("policy", "poddisruptionbudgets") => autoscaling::budget(object),
        ("scheduling.k8s.io", "priorityclasses") => cluster_resources::priority_class(object),
        ("storage.k8s.io", "storageclasses") => cluster_resources::storage_class(object),
        ("rbac.authorization.k8s.io", "clusterroles") => {
            [rbac::role(kind, object), cluster_resources::aggregation(object)].into_iter().flatten().collect()
        }
        ("rbac.authorization.k8s.io", "roles") => rbac::role(kind, object),
        ("rbac.authorization.k8s.io", "rolebindings" | "clusterrolebindings") => rbac::binding(kind, object),
        ("coordination.k8s.io", "leases") => workloads::lease(object),
        ("" | "events.k8s.io", "events") => events::event(kind, object),
        _ => Vec::new(),
    }
}

fn refused(kind: &Kind, object: &Object, errors: &[FieldError]) -> Answer<()> {
    // An event is the core group's, whichever way it comes.
    let group = if kind.is("events.k8s.io", "events") { "" } else { kind.group.as_str() };
    if errors.is_empty() { Ok(()) } else { Err(invalid(&kind.kind, group, object.name(), errors)) }
}

/// The value at a path such as `spec.selector`; null counts as not there.
fn at<'a>(object: &'a Object, path: &str) -> Option<&'a Value> {
    let mut steps = path.split('.');
    let first = object.get(steps.next()?)?;
    steps.try_fold(first, |value, step| value.get(step)).filter(|value| !value.is_null())
}

/// The items of a list that may not be there.
fn items(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A text that may not be there.
fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}
