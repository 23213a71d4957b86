//! Binding a pod to a node, as a scheduler does.
//!
//! In: a Binding. Out: the pod with its node, and with the condition that says it was scheduled. A pod is bound once.

use serde_json::{Value, json};

use crate::catalog::crd::with_condition;
use crate::catalog::kinds;
use crate::cluster::{Cluster, DryRun, ResolvedTarget};
use crate::codec::object::Object;
use crate::codec::typed;
use crate::registry::subresources;
use crate::registry::write::unstored;
use crate::response::status::{Answer, FieldError, bad_request, conflict_because, not_found, unforeseen};

impl Cluster {
    /// Binds the pod a target names.
    pub(crate) fn bind(&mut self, target: &ResolvedTarget, body: Value, dry_run: DryRun) -> Answer<Value> {
        let binding = crate::registry::object(target, body)?;
        if binding.name() != target.name() {
            return Err(bad_request("name in URL does not match name in Binding object"));
        }
        check_target(&binding)?;
        let place = target.place(target.name());
        let Some(old) = self.store.get(&place.resource, &place.key) else {
            return Err(not_found(&target.kind, target.name()));
        };
        let mut pod = old.object();
        check_unbound(target, &pod)?;
        assign(&mut pod, &binding, &self.clock.timestamp());
        typed::finish(&target.kind, &mut pod);
        match dry_run {
            DryRun::No => self.put(&place, &pod)?,
            DryRun::All => unstored(&pod, self.store.revision())?,
        };
        Ok(subresources::done())
    }

    /// Binds the pod that a Binding names, which was POSTed to the collection of bindings.
    pub(crate) fn bind_named(&mut self, target: &ResolvedTarget, body: Value, dry_run: DryRun) -> Answer<Value> {
        let pods = kinds::built_in("", "v1", "pods").expect("the table of kinds has pods");
        let named = ResolvedTarget {
            kind: pods,
            namespace: target.namespace.clone(),
            name: body.pointer("/metadata/name").and_then(Value::as_str).map(str::to_owned),
            subresource: Some("binding".to_owned()),
            manager: target.manager.clone(),
        };
        self.bind(&named, body, dry_run)
    }
}

fn check_target(binding: &Object) -> Answer<()> {
    let target = |field: &str| binding.get("target").and_then(|target| target.get(field)).and_then(Value::as_str);
    // Here kube-apiserver forgets to make a Status of what it found.
    if let Some(kind) = target("kind").filter(|kind| !matches!(*kind, "" | "Node")) {
        return Err(unforeseen(FieldError::not_supported("target.kind", kind, &["Node", "<empty>"]).text()));
    }
    if target("name").unwrap_or_default().is_empty() {
        return Err(unforeseen(FieldError::required("target.name", "").text()));
    }
    Ok(())
}

fn check_unbound(target: &ResolvedTarget, pod: &Object) -> Answer<()> {
    let why = if pod.is_deleting() {
        format!("pod {} is being deleted, cannot be assigned to a host", pod.name())
    } else {
        match pod.get("spec").and_then(|spec| spec.get("nodeName")).and_then(Value::as_str) {
            None | Some("") => return Ok(()),
            Some(node) => format!("pod {} is already assigned to node {node:?}", pod.name()),
        }
    };
    let mut refusal = conflict_because(&target.kind, pod.name(), &why);
    refusal.message = refusal.message.replacen("on pods ", "on pods/binding ", 1);
    if let Some(details) = &mut refusal.details {
        details.kind = "pods/binding".to_owned();
    }
    Err(refusal)
}

fn assign(pod: &mut Object, binding: &Object, now: &str) {
    let node = binding.get("target").and_then(|target| target.get("name")).cloned().unwrap_or_default();
    let mut spec = pod.remove("spec").filter(Value::is_object).unwrap_or_else(|| json!({}));
    spec["nodeName"] = node;
    pod.set("spec", spec);
    for field in ["annotations", "labels"] {
        for (key, value) in binding.metadata().get(field).and_then(Value::as_object).into_iter().flatten() {
            let mut all = pod.metadata().get(field).filter(|all| all.is_object()).cloned().unwrap_or_else(|| json!({}));
            all[key.as_str()] = value.clone();
            pod.set_meta(field, all);
        }
    }
    let status = pod.remove("status").filter(Value::is_object).unwrap_or_else(|| json!({}));
    pod.set("status", with_condition(status, json!({"type": "PodScheduled", "status": "True"}), now));
}
