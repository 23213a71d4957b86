//! What the registry of kube-apiserver adds to a new object, beyond the defaults of its type.
//!
//! In: an object that was admitted. Out: the same with what only the server can know: a Service's address and ports, the
//! labels by which a Job finds its pods, a pod's quality of service. An update that leaves such a value out keeps it.

pub(crate) mod certificate_request;
pub(crate) mod custom_resource;
mod service;
mod service_type;
pub(crate) mod unenforced;

use serde_json::{Map, Value, json};

use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::codec::typed;
use crate::response::status::Answer;

impl ClusterSnapshot {
    /// Completes a new object.
    pub(in crate::registry) fn complete_new(&self, target: &ResolvedTarget, object: &mut Object) -> Answer<()> {
        match (target.kind.group.as_str(), target.kind.plural.as_str()) {
            ("", "pods") => complete_pod(object),
            ("", "services") => self.complete_service(target, None, object)?,
            ("", "persistentvolumes") => {
                let now = self.clock.timestamp();
                object.change_field("status", |status| put_if_absent(status, "lastPhaseTransitionTime", now.into()));
            }
            ("apps", "daemonsets") => count_templates(object, 1),
            ("batch", "jobs") => complete_job(object),
            ("resource.k8s.io", _) => self.date_taints(object),
            _ => {}
        }
        Ok(())
    }

    /// Completes the new state of an object that exists.
    pub(in crate::registry) fn complete_changed(
        &self,
        target: &ResolvedTarget,
        before: &Object,
        object: &mut Object,
    ) -> Answer<()> {
        match (target.kind.group.as_str(), target.kind.plural.as_str()) {
            ("", "services") => self.complete_service(target, Some(before), object)?,
            ("apps", "daemonsets") => {
                let template = |set: &Object| set.get("spec").and_then(|spec| spec.get("template")).cloned();
                let mut printed = object.clone();
                typed::finish(&target.kind, &mut printed);
                let is_other = template(before) != template(&printed);
                count_templates(object, templates(before) + i64::from(is_other));
            }
            ("batch", "jobs") => keep(before, object, &["selector"]),
            ("certificates.k8s.io", "certificatesigningrequests") => certificate_request::keep(before, object),
            ("resource.k8s.io", _) => self.date_taints(object),
            _ => {}
        }
        Ok(())
    }

    /// A taint of a device says since when it is there.
    fn date_taints(&self, object: &mut Object) {
        let now = self.clock.timestamp();
        object.change(|value| {
            let Some(spec) = value.get_mut("spec").and_then(Value::as_object_mut) else { return };
            let of_rule = spec.get_mut("taint").and_then(Value::as_object_mut);
            of_rule.into_iter().for_each(|taint| put_if_absent(taint, "timeAdded", now.as_str().into()));
            let devices = spec.get_mut("devices").and_then(Value::as_array_mut).into_iter().flatten();
            let lists = devices.filter_map(|device| device.get_mut("taints").and_then(Value::as_array_mut));
            for taint in lists.flatten().filter_map(Value::as_object_mut) {
                put_if_absent(taint, "timeAdded", now.as_str().into());
            }
        });
    }
}

fn complete_pod(pod: &mut Object) {
    let quality = quality_of_service(pod);
    pod.change_field("status", |status| put_if_absent(status, "qosClass", quality.into()));
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

/// How many templates a DaemonSet has had, which it says in an annotation since its field is gone.
fn templates(set: &Object) -> i64 {
    let annotations = set.metadata().get("annotations");
    let said = annotations.and_then(|all| all.get(TEMPLATES)).and_then(Value::as_str);
    said.and_then(|said| said.parse().ok()).unwrap_or(1)
}

fn count_templates(set: &mut Object, count: i64) {
    let mut annotations =
        set.metadata().get("annotations").filter(|all| all.is_object()).cloned().unwrap_or_else(|| json!({}));
    annotations[TEMPLATES] = count.to_string().into();
    set.set_meta("annotations", annotations);
}

const TEMPLATES: &str = "deprecated.daemonset.template.generation";

/// A job that does not choose its pods finds them by its uid.
fn complete_job(job: &mut Object) {
    let (name, uid) = (job.name().to_owned(), job.meta("uid").to_owned());
    if job.get("spec").and_then(|spec| spec.get("manualSelector")) == Some(&Value::Bool(true)) {
        return;
    }
    let mut labels = Map::new();
    for (key, value) in [("controller-uid", &uid), ("job-name", &name)] {
        labels.insert(key.to_owned(), value.as_str().into());
        labels.insert(format!("batch.kubernetes.io/{key}"), value.as_str().into());
    }
    job.change_field("spec", |spec| {
        let selector = spec.entry("selector").or_insert_with(|| json!({}));
        if !selector["matchLabels"].is_object() {
            selector["matchLabels"] = json!({});
        }
        selector["matchLabels"]["batch.kubernetes.io/controller-uid"] = uid.as_str().into();
        let template = spec.entry("template").or_insert_with(|| json!({}));
        if !template["metadata"]["labels"].is_object() {
            template["metadata"]["labels"] = json!({});
        }
        for (key, value) in &labels {
            template["metadata"]["labels"][key.as_str()] = value.clone();
        }
    });
    if job.metadata().get("labels").and_then(Value::as_object).is_none_or(Map::is_empty) {
        job.set_meta("labels", labels);
    }
}

fn keep(before: &Object, object: &mut Object, fields: &[&str]) {
    let old = before.get("spec").cloned().unwrap_or_default();
    object.change_field("spec", |spec| {
        for field in fields {
            if let Some(value) = old.get(*field) {
                put_if_absent(spec, field, value.clone());
            }
        }
    });
}

fn spec_text(object: &Object, field: &str) -> String {
    object.get("spec").and_then(|spec| spec.get(field)).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn put_if_absent(fields: &mut Map<String, Value>, field: &str, value: Value) {
    if fields.get(field).is_none_or(|known| known.is_null() || known == "") {
        fields.insert(field.to_owned(), value);
    }
}
