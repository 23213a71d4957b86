//! Evicting a pod: a deletion that PodDisruptionBudgets may refuse.
//!
//! In: an Eviction. Out: the pod deleted, and the budget it took one disruption from; or 429 while none is left. Pods
//! that do not count (pending, ended, going already) are deleted without asking.

use std::sync::Arc;

use pintle_core::response::{StatusCause, StatusDetails};
use serde_json::{Value, json};

use crate::catalog::crd::with_condition;
use crate::cluster::{Cluster, DryRun, ResolvedTarget};
use crate::codec::object::Object;
use crate::registry::delete::DeleteOptions;
use crate::registry::subresources::selector;
use crate::response::status::{Answer, Refusal, bad_request, not_found, refuse, unforeseen};
use crate::storage::entry::Entry;
use crate::storage::store::{Resource, StorageKey, scan};

impl Cluster {
    /// Asks the budget of a pod whether it may be evicted; returns how it is to be deleted.
    pub(crate) fn begin_eviction(
        &mut self,
        target: &ResolvedTarget,
        eviction: &Object,
        dry_run: DryRun,
    ) -> Answer<(DeleteOptions, DryRun)> {
        if eviction.name() != target.name() {
            return Err(bad_request("name in URL does not match name in Eviction object"));
        }
        let place = target.place(target.name());
        let Some(pod) = self.store.get(&place.resource, &place.key) else {
            return Err(not_found(&target.kind, target.name()));
        };
        let options = options(eviction)?;
        let dry_run = if options.dry_run.iter().flatten().any(|stage| stage == "All") { DryRun::All } else { dry_run };
        let pod = pod.object();
        if counts(&pod) {
            self.take_disruption(target, &pod, dry_run)?;
        }
        Ok((options, dry_run))
    }

    /// Takes one disruption from the budget of a pod, if it has one.
    fn take_disruption(&mut self, target: &ResolvedTarget, pod: &Object, dry_run: DryRun) -> Answer<()> {
        let budgets = self.budgets_of(target.namespace.as_deref(), pod);
        let (place, budget) = match &budgets[..] {
            [] => return Ok(()),
            [one] => one,
            _ => {
                let why =
                    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
                return Err(unforeseen(why));
            }
        };
        let mut object = budget.object();
        let mut status = object.remove("status").filter(Value::is_object).unwrap_or_else(|| json!({}));
        if !is_ready(pod) && may_evict_unhealthy(&object, &status) {
            return Ok(());
        }
        let number = |field: &str| status.get(field).and_then(Value::as_i64).unwrap_or_default();
        if number("observedGeneration") < object.generation() {
            return Err(too_many(budget.head.name(), None));
        }
        if number("disruptionsAllowed") <= 0 {
            return Err(too_many(budget.head.name(), Some((number("desiredHealthy"), number("currentHealthy")))));
        }
        status["disruptionsAllowed"] = (number("disruptionsAllowed") - 1).into();
        if !status["disruptedPods"].is_object() {
            status["disruptedPods"] = json!({});
        }
        status["disruptedPods"][pod.name()] = self.clock.timestamp().into();
        if status["disruptionsAllowed"] == 0 {
            let condition = json!({
                "type": "DisruptionAllowed", "status": "False", "reason": "InsufficientPods", "message": "",
                "observedGeneration": status["observedGeneration"],
            });
            status = with_condition(status, condition, &self.clock.timestamp());
        }
        object.set("status", status);
        if dry_run == DryRun::No {
            self.put(place, &object)?;
        }
        Ok(())
    }

    fn budgets_of(&self, namespace: Option<&str>, pod: &Object) -> Vec<(StorageKey, Arc<Entry>)> {
        let resource = Resource::new("policy", "poddisruptionbudgets");
        let snapshot = self.store.snapshot(&resource);
        let labels = pod.metadata().get("labels");
        let covers = |entry: &Entry| {
            let object = entry.object();
            let selector = object.get("spec").and_then(|spec| spec.get("selector")).cloned();
            selector.is_some_and(|selector| selector::matches(&selector, labels))
        };
        scan(&snapshot, namespace, "")
            .filter(|(_, entry)| covers(entry))
            .map(|(key, entry)| (StorageKey { resource: resource.clone(), key: Arc::clone(key) }, Arc::clone(entry)))
            .collect()
    }
}

fn options(eviction: &Object) -> Answer<DeleteOptions> {
    match eviction.get("deleteOptions").filter(|options| !options.is_null()) {
        None => Ok(DeleteOptions::default()),
        Some(options) => serde_json::from_value(options.clone())
            .map_err(|error| bad_request(format!("deleteOptions cannot be read: {error}"))),
    }
}

/// Whether budgets count this pod: evicting one that does not run, or is being deleted, is not a disruption.
fn counts(pod: &Object) -> bool {
    let phase = pod.get("status").and_then(|status| status.get("phase")).and_then(Value::as_str).unwrap_or_default();
    !matches!(phase, "Pending" | "Succeeded" | "Failed") && !pod.is_deleting()
}

fn is_ready(pod: &Object) -> bool {
    let conditions = pod.get("status").and_then(|status| status.get("conditions")).and_then(Value::as_array);
    conditions.into_iter().flatten().any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}

/// A pod that is not ready may go if its budget says so always, or while enough others are healthy.
fn may_evict_unhealthy(budget: &Object, status: &Value) -> bool {
    let policy = budget.get("spec").and_then(|spec| spec.get("unhealthyPodEvictionPolicy")).and_then(Value::as_str);
    let number = |field: &str| status.get(field).and_then(Value::as_i64).unwrap_or_default();
    let is_healthy = number("currentHealthy") >= number("desiredHealthy") && number("desiredHealthy") > 0;
    policy == Some("AlwaysAllow") || is_healthy
}

/// 429; with the numbers of healthy pods it needs and has, or without them while the controller has not counted yet.
fn too_many(budget: &str, healthy: Option<(i64, i64)>) -> Refusal {
    let message = match healthy {
        None => format!("The disruption budget {budget} is still being processed by the server."),
        Some((needed, now)) => {
            format!("The disruption budget {budget} needs {needed} healthy pods and has {now} currently")
        }
    };
    let cause = StatusCause { message, reason: "DisruptionBudget".to_owned(), field: String::new() };
    let details = StatusDetails {
        causes: vec![cause],
        retry_after_seconds: if healthy.is_none() { RETRY_SECONDS } else { 0 },
        ..StatusDetails::default()
    };
    let why = "Cannot evict pod as it would violate the pod's disruption budget.";
    Box::new(refuse(429, "TooManyRequests", why).with_details(details))
}

/// kube-apiserver's guess at when a new budget will have been looked at.
const RETRY_SECONDS: u32 = 10;
