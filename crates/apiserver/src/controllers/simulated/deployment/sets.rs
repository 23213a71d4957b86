//! The ReplicaSets of a Deployment: that of its template, the others, and how a new one is made.

use serde_json::{Value, json};

use super::super::controller_revisions::{fnv, letters};
use super::super::ownership::reference;
use super::super::plan::Plan;
use super::super::replica_set::SETS;
use super::super::view::{View, integer};
use super::{DEPLOYMENTS, limits, replicas, revisions, wanted};
use crate::codec::object::Object;

/// The sets of a Deployment, oldest first.
pub(super) struct Sets {
    pub(super) new: Option<Object>,
    pub(super) old: Vec<Object>,
}

impl Sets {
    pub(super) fn of(deployment: &Object, all: Vec<Object>) -> Sets {
        let template = without_hash(deployment.at("/spec/template"));
        let mut sets = Sets { new: None, old: Vec::new() };
        for set in all {
            let is_new = sets.new.is_none() && without_hash(set.at("/spec/template")) == template;
            if is_new { sets.new = Some(set) } else { sets.old.push(set) }
        }
        sets
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Object> {
        self.old.iter().chain(&self.new)
    }
}

/// Makes the ReplicaSet of the template.
pub(super) fn create(view: &View<'_>, deployment: &Object, sets: &Sets, plan: &mut Plan) {
    let collisions = integer(deployment, "/status/collisionCount").unwrap_or_default();
    let hash = template_hash(deployment, collisions);
    let name = format!("{}-{hash}", deployment.name());
    if view.get(SETS, Some(deployment.meta("namespace")), &name).is_some() {
        // Somebody else's: the next look tries another name.
        let mut status = deployment.get("status").filter(|it| it.is_object()).cloned().unwrap_or_else(|| json!({}));
        status["collisionCount"] = (collisions + 1).into();
        return plan.status(DEPLOYMENTS, deployment, status);
    }
    let others: i64 = sets.all().map(replicas).sum();
    let limits = limits(deployment);
    let count = limits.most(wanted(deployment)).saturating_sub(others).clamp(0, wanted(deployment));
    let mut template = deployment.at("/spec/template").cloned().unwrap_or_default();
    template["metadata"]["labels"][HASH_LABEL] = hash.as_str().into();
    let mut selector = deployment.at("/spec/selector").cloned().unwrap_or_default();
    selector["matchLabels"][HASH_LABEL] = hash.as_str().into();
    let mut annotations = revisions::inherited(deployment);
    let revision = revisions::next(sets.all());
    revisions::describe(&mut annotations, wanted(deployment), limits.most(wanted(deployment)));
    annotations.insert(super::REVISION.to_owned(), revision.to_string().into());
    let mut spec = json!({"replicas": count, "selector": selector, "template": template});
    if let Some(seconds) = deployment.at("/spec/minReadySeconds") {
        spec["minReadySeconds"] = seconds.clone();
    }
    let metadata = json!({
        "name": name,
        "labels": spec["template"]["metadata"]["labels"],
        "annotations": annotations,
        "ownerReferences": [reference(deployment)],
    });
    plan.create(SETS, Some(deployment.meta("namespace")), json!({"metadata": metadata, "spec": spec}));
    if count > 0 {
        plan.normal(deployment, "ScalingReplicaSet", format!("Scaled up replica set {name} from 0 to {count}"));
    }
}

/// A template without what tells the pods of one set from those of another.
fn without_hash(template: Option<&Value>) -> Value {
    let mut template = template.cloned().unwrap_or_default();
    if let Some(labels) = template.pointer_mut("/metadata/labels").and_then(Value::as_object_mut) {
        labels.remove(HASH_LABEL);
    }
    if let Some(metadata) = template.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|name, value| name != "creationTimestamp" && !value.is_null());
    }
    template
}

/// A name for a template: the same for the same one, in letters that make no words.
fn template_hash(deployment: &Object, collisions: i64) -> String {
    let template = without_hash(deployment.at("/spec/template"));
    letters(fnv(&format!("{template}{collisions}")))
}

const HASH_LABEL: &str = "pod-template-hash";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_of_a_template_is_known_by_the_template_and_not_by_its_hash() {
        let object = |value: Value| Object::from_value(value).unwrap();
        let template = |image: &str, labels: Value| json!({"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": image}]}});
        let deployment =
            object(json!({"metadata": {"name": "web"}, "spec": {"template": template("a:2", json!({"app": "web"}))}}));
        let set = |image: &str, hash: &str| {
            let template = template(image, json!({"app": "web", HASH_LABEL: hash}));
            object(json!({"metadata": {"name": hash}, "spec": {"template": template}}))
        };
        let sets = Sets::of(&deployment, vec![set("a:1", "x"), set("a:2", "y"), set("a:3", "z")]);
        assert_eq!(sets.new.unwrap().name(), "y");
        assert_eq!(sets.old.iter().map(Object::name).collect::<Vec<_>>(), ["x", "z"]);
    }
}
