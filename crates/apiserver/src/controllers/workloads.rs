//! Simulated workload controllers, scheduler and kubelet: Deployments and Jobs get pods, and pods are ready at once.
//!
//! ```text
//!  Deployment ─► ReplicaSet ─► Pod ◄─ Job        what one writes the next one sees, all within one request
//!       ▲────────────┴──status──┘▲──────┘
//! ```
//!
//! In: objects that were stored or removed. Out: writes as kube-controller-manager, scheduler and kubelet would make them,
//! through the same checks. Off unless a test asks for them. They know no time, no probes and no failures: a rollout is
//! over as soon as it begins. Invariant: what is as it should be is not written again, so they come to rest.

mod deployment;
mod job;
mod pod;
mod replica_set;

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::catalog::kinds;
use crate::cluster::{Cluster, ResolvedTarget};
use crate::codec::object::Object;
use crate::controllers::intents::{Action, Intent};
use crate::registry::delete::Propagation;
use crate::response::status::{Answer, Refusal};
use crate::storage::entry::Entry;
use crate::storage::store::{Resource, StorageKey, key};

/// Whether they run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Workloads {
    #[default]
    Off,
    On,
}

impl Cluster {
    /// Reconciles an object that was just stored.
    pub(crate) fn run_workload(&mut self, place: &StorageKey) {
        if self.workloads == Workloads::Off {
            return;
        }
        let Some(entry) = self.store.get(&place.resource, &place.key) else { return };
        let done = match (&*place.resource.group, &*place.resource.plural) {
            ("apps", "deployments") => self.roll_out(place, &entry),
            ("apps", "replicasets") => self.replicate(place, &entry),
            ("batch", "jobs") => self.run_job(place, &entry),
            ("", "pods") => self.run_pod(place, &entry),
            _ => return,
        };
        if let Err(refusal) = done {
            let (resource, message) = (&place.resource.plural, &refusal.message);
            tracing::warn!(%resource, key = %place.key, "a simulated controller stopped: {message}");
        }
        self.requeue_controller(&entry, place);
    }

    /// Queues the controller of an object, because the object changed or was removed.
    pub(crate) fn requeue_controller(&mut self, entry: &Entry, place: &StorageKey) {
        if self.workloads == Workloads::Off || !matches!(&*place.resource.plural, "pods" | "replicasets") {
            return;
        }
        let namespace = place.key.split_once('/').map(|(namespace, _)| namespace);
        for owner in entry.head.owners().iter().filter(|owner| owner.is_controller()) {
            let plural = match owner.kind() {
                "Deployment" => "deployments",
                "ReplicaSet" => "replicasets",
                "Job" => "jobs",
                _ => continue,
            };
            let group = owner.api_version().split_once('/').map_or("", |(group, _)| group);
            self.requeue(StorageKey { resource: Resource::new(group, plural), key: key(namespace, owner.name()) });
        }
    }

    /// What an object controls of a kind and is not going, oldest first.
    fn controlled(&self, owner: &Entry, plural: &str) -> Vec<(StorageKey, Object)> {
        let uid = owner.head.uid().map(Cow::into_owned).unwrap_or_default();
        let mut found: Vec<(u64, StorageKey, Object)> = Vec::new();
        for place in self.store.dependents(&uid).into_iter().filter(|place| &*place.resource.plural == plural) {
            let Some(entry) = self.store.get(&place.resource, &place.key) else { continue };
            let mut owners = entry.head.owners().iter();
            let is_controlled = owners.any(|it| it.is_controller() && it.uid().as_deref() == Some(&uid));
            if is_controlled && !entry.head.is_deleting() {
                found.push((entry.revision, place, entry.object()));
            }
        }
        found.sort_by_key(|(revision, ..)| *revision);
        found.into_iter().map(|(_, place, object)| (place, object)).collect()
    }

    /// Makes a pod from a template.
    fn make_pod(&mut self, place: &StorageKey, owner: &Object, template: &Value) -> Answer<()> {
        let mut metadata = template.get("metadata").cloned().unwrap_or_else(|| json!({}));
        metadata["generateName"] = format!("{}-", owner.name()).into();
        metadata["ownerReferences"] = json!([reference(owner)]);
        let body = json!({"metadata": metadata, "spec": template.get("spec")});
        let target = target("", "v1", "pods", owner.meta("namespace"), None);
        self.submit(intent(place, Action::Create { target, body }))
    }

    /// Writes the status of an object, where it is another one.
    fn report_status(&mut self, place: &StorageKey, version: &str, status: Value) -> Answer<()> {
        self.report_with(place, version, status, None)
    }

    /// Writes the status of an object and an annotation with it, where they are others.
    fn report_with(
        &mut self,
        place: &StorageKey,
        version: &str,
        status: Value,
        annotation: Option<(&str, String)>,
    ) -> Answer<()> {
        let Some(entry) = self.store.get(&place.resource, &place.key) else { return Ok(()) };
        let mut object = entry.object();
        let before = object.clone();
        object.set("status", status);
        if let Some((name, value)) = annotation {
            object.change(|object| object["metadata"]["annotations"][name] = value.into());
        }
        if object == before {
            return Ok(());
        }
        let (group, plural) = (&place.resource.group, &place.resource.plural);
        let mut target = target(group, version, plural, object.meta("namespace"), Some(object.name()));
        target.subresource = Some("status".to_owned());
        self.submit(intent(place, Action::Update { target, body: object.into_value() }))
    }

    /// Deletes an object, and waits for nothing.
    fn delete_now(&mut self, place: &StorageKey) -> Answer<()> {
        let Some(entry) = self.store.get(&place.resource, &place.key) else { return Ok(()) };
        if self.catalog.kind_of(&place.resource, &entry).is_none() {
            return Ok(());
        }
        self.delete_at(CONTROLLER, place, Propagation::Background, Some(0))
    }
}

/// What a simulated controller writes to.
fn target(group: &str, version: &str, plural: &str, namespace: &str, name: Option<&str>) -> ResolvedTarget {
    let kind = kinds::built_in(group, version, plural).expect("the table of kinds has every kind of workload");
    ResolvedTarget {
        kind: Arc::clone(&kind),
        namespace: Some(namespace.to_owned()),
        name: name.map(str::to_owned),
        subresource: None,
        manager: MANAGER.to_owned(),
    }
}

/// A controller's reference to itself.
fn reference(owner: &Object) -> Value {
    json!({
        "apiVersion": owner.text("apiVersion"),
        "kind": owner.text("kind"),
        "name": owner.name(),
        "uid": owner.meta("uid"),
        "controller": true,
        "blockOwnerDeletion": true,
    })
}

/// A number of the spec, where it says one.
fn number(object: &Object, field: &str) -> Option<i64> {
    object.get("spec").and_then(|spec| spec.get(field)).and_then(Value::as_i64)
}

/// Whether a condition of an object is true.
fn is_true(object: &Object, condition: &str) -> bool {
    let conditions = object.get("status").and_then(|status| status.get("conditions")).and_then(Value::as_array);
    conditions.into_iter().flatten().any(|it| it["type"] == condition && it["status"] == "True")
}

/// A condition that is true, with the times it has had if it was so before.
fn condition(object: &Object, kind: &str, reason: &str, message: &str, now: &str) -> Value {
    let conditions = object.get("status").and_then(|status| status.get("conditions")).and_then(Value::as_array);
    let known = conditions
        .into_iter()
        .flatten()
        .find(|it| it["type"] == kind && it["status"] == "True" && it["reason"] == reason && it["message"] == message);
    known.cloned().unwrap_or_else(|| {
        json!({
            "type": kind,
            "status": "True",
            "reason": reason,
            "message": message,
            "lastTransitionTime": now,
            "lastUpdateTime": now,
        })
    })
}

/// Takes what no JSON of Kubernetes has: fields that are null or zero where that means absent.
fn counts(counts: &[(&str, i64)]) -> Value {
    counts.iter().filter(|(_, count)| *count != 0).map(|(name, count)| ((*name).to_owned(), json!(count))).collect()
}

/// A refusal that does not matter: what was to be done is done already.
fn unless_gone(refusal: Refusal) -> Answer<()> {
    if matches!(refusal.code, 404 | 409) { Ok(()) } else { Err(refusal) }
}

/// A write that is wanted for the object at a place.
fn intent(place: &StorageKey, action: Action) -> Intent {
    Intent::new(CONTROLLER, place, action)
}

/// Their service account; the real ones have one each.
const CONTROLLER: &str = "deployment-controller";

/// Their field manager.
const MANAGER: &str = "pintle-workloads";
