//! Pods: what runs. The spec of one can hardly be changed ([`update`]) but for what its subresources write
//! ([`subresources`]); one that runs on a node gets time to end.

pub(crate) mod binding;
mod columns;
pub(crate) mod eviction;
mod subresources;
mod update;

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::{Object, put_if_absent};
use crate::managed_fields::ResetFields;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::{pod_spec, pod_warnings};
use crate::response::status::{Answer, FieldError};
use crate::response::table::columns::Column;
use crate::storage::selectable_fields;

/// The strategy of Pods.
#[derive(Debug)]
pub(super) struct Pods;

impl Strategy for Pods {
    /// A negative grace period means the least one.
    fn complete_body(&self, _: &ResolvedTarget, pod: &mut Object) {
        let grace = pod.get("spec").and_then(|spec| spec.get("terminationGracePeriodSeconds"));
        if grace.and_then(Value::as_i64).is_some_and(|grace| grace < 0) {
            let least = LEAST_GRACE_SECONDS.into();
            pod.change_field("spec", |spec| drop(spec.insert("terminationGracePeriodSeconds".to_owned(), least)));
        }
    }

    fn prepare_for_create(&self, _: &ClusterSnapshot, _: &ResolvedTarget, pod: &mut Object) -> Answer<()> {
        let quality = quality_of_service(pod);
        pod.change_field("status", |status| put_if_absent(status, "qosClass", quality.into()));
        Ok(())
    }

    fn status_reset_fields(&self) -> ResetFields {
        &[&["spec"], &["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"]]
    }

    fn prepare_for_subresource_update(
        &self,
        _: &ClusterSnapshot,
        target: &ResolvedTarget,
        before: &Object,
        new: Object,
    ) -> Answer<Object> {
        subresources::changed(target, before, &new)
    }

    fn validate(&self, _: &Kind, pod: &Object) -> Vec<FieldError> {
        let mut errors = errors(pod);
        errors.extend(of_new(&Field::of(pod, "spec")));
        errors
    }

    fn validate_update(&self, _: &Kind, before: &Object, pod: &Object) -> Vec<FieldError> {
        // Most writes are about something else, and what is stored has passed.
        if before.get("spec") == pod.get("spec") {
            return Vec::new();
        }
        let mut errors = errors(pod);
        errors.extend(update::errors(before, pod));
        errors
    }

    fn grace_period(&self, pod: &Object, asked: Option<i64>) -> Option<i64> {
        Some(grace_seconds(pod, asked))
    }

    /// Who changes a pod that is there is seldom a person.
    fn warnings(&self, before: Option<&Object>, pod: &Object) -> Vec<String> {
        if before.is_none() { pod_warnings::of_pod(pod) } else { Vec::new() }
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        columns::all()
    }

    fn selectable_field(&self, pod: &Value, field: &str) -> String {
        selectable_fields::text_or(pod, field, "spec.hostNetwork", "false")
    }
}

/// Guaranteed where every container is limited to what it requests, BestEffort where none asks for anything.
fn quality_of_service(pod: &Object) -> &'static str {
    let containers: Vec<&Value> = ["containers", "initContainers"]
        .iter()
        .filter_map(|list| pod.get("spec")?.get(*list)?.as_array())
        .flatten()
        .collect();
    let amount = |container: &Value, what: &str, name: &str| {
        let found = container.get("resources").and_then(|it| it.get(what)).and_then(|it| it.get(name)).cloned();
        found.filter(|amount| *amount != "0")
    };
    let names = ["cpu", "memory"];
    let asks = |container: &&Value| {
        names
            .iter()
            .any(|name| amount(container, "requests", name).is_some() || amount(container, "limits", name).is_some())
    };
    if !containers.iter().any(asks) {
        return "BestEffort";
    }
    let is_guaranteed = |container: &&Value| {
        names.iter().all(|name| {
            let limit = amount(container, "limits", name);
            limit.is_some() && limit == amount(container, "requests", name)
        })
    };
    if containers.iter().all(is_guaranteed) { "Guaranteed" } else { "Burstable" }
}

/// What is wrong with a pod, new or not.
fn errors(pod: &Object) -> Vec<FieldError> {
    let spec = Field::of(pod, "spec");
    let mut errors = pod_spec::errors(&spec);
    for list in ["containers", "initContainers"] {
        errors.extend(spec.field(list).items().filter_map(|container| untrimmed(&container.field("image"))));
    }
    errors.extend(anonymous_tokens(&spec));
    errors
}

/// What only a pod that is there already can have, or no longer has.
fn of_new(spec: &Field<'_>) -> Vec<FieldError> {
    let (ephemeral, node) = (spec.field("ephemeralContainers"), spec.field("nodeName"));
    let mut errors = Vec::new();
    if !ephemeral.is_empty() {
        errors.push(ephemeral.forbidden("cannot be set on create"));
    }
    if !node.is_empty() && !spec.field("schedulingGates").is_empty() {
        errors.push(node.forbidden("cannot be set until all schedulingGates have been cleared"));
    }
    errors
}

/// Tokens are somebody's.
fn anonymous_tokens(spec: &Field<'_>) -> Vec<FieldError> {
    if !spec.field("serviceAccountName").is_empty() {
        return Vec::new();
    }
    let sources = spec.field("volumes").items().flat_map(|volume| volume.field("projected").field("sources").items());
    let tokens = sources.map(|source| source.field("serviceAccountToken")).filter(|token| !token.value.is_null());
    tokens.map(|token| token.forbidden("must not be specified when serviceAccountName is not set")).collect()
}

/// An image with space around it, which only a pod itself is refused for: templates were never checked.
fn untrimmed(image: &Field<'_>) -> Option<FieldError> {
    let is_trimmed = image.text() == image.text().trim();
    (!is_trimmed).then(|| image.wrong_text("must not have leading or trailing whitespace"))
}

/// The period of a pod that was not deleted before: none if it runs nowhere.
fn grace_seconds(pod: &Object, asked: Option<i64>) -> i64 {
    let at = |part: &str, field: &str| pod.get(part)?.get(field);
    let text = |part, field| at(part, field).and_then(Value::as_str).unwrap_or_default();
    let ended = matches!(text("status", "phase"), "Succeeded" | "Failed");
    if text("spec", "nodeName").is_empty() || ended {
        return 0;
    }
    let own = at("spec", "terminationGracePeriodSeconds").and_then(Value::as_i64);
    match asked.or(own).unwrap_or(GRACE_SECONDS) {
        negative if negative < 0 => LEAST_GRACE_SECONDS,
        seconds => seconds,
    }
}

/// What a negative period means.
const LEAST_GRACE_SECONDS: i64 = 1;

/// Kubernetes' default for pods that do not say.
const GRACE_SECONDS: i64 = 30;
