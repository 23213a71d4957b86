//! A Deployment: a ReplicaSet for the template it has now, and none of the earlier ones' pods.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Value, json};

use super::{condition, counts, intent, number, reference, target};
use crate::cluster::Cluster;
use crate::codec::object::Object;
use crate::controllers::intents::Action;
use crate::response::status::Answer;
use crate::storage::entry::Entry;
use crate::storage::store::StorageKey;

impl Cluster {
    /// Brings a Deployment to its template, at once.
    pub(super) fn roll_out(&mut self, place: &StorageKey, entry: &Entry) -> Answer<()> {
        let deployment = entry.object();
        let is_paused = deployment.get("spec").and_then(|spec| spec.get("paused")) == Some(&json!(true));
        if deployment.is_deleting() || is_paused {
            return Ok(());
        }
        let hash = template_hash(&deployment);
        let sets = self.controlled(entry, "replicasets");
        let replicas = number(&deployment, "replicas").unwrap_or(1);
        let Some((_, current)) = sets.iter().find(|(_, set)| label(set) == hash) else {
            let revision = 1 + sets.iter().map(|(_, set)| revision(set)).max().unwrap_or_default();
            // That it is there is a change, which brings the Deployment here again.
            return self.make_set(place, &deployment, &hash, replicas, revision);
        };
        for (_, set) in &sets {
            let wanted = if label(set) == hash { replicas } else { 0 };
            self.scale_set(place, set, wanted)?;
        }
        self.report_rollout(place, &deployment, current)
    }

    fn make_set(
        &mut self,
        place: &StorageKey,
        deployment: &Object,
        hash: &str,
        replicas: i64,
        revision: i64,
    ) -> Answer<()> {
        let mut spec = json!({"replicas": replicas});
        let said = deployment.get("spec").cloned().unwrap_or_default();
        spec["selector"] = said["selector"].clone();
        spec["selector"]["matchLabels"][HASH_LABEL] = hash.into();
        spec["template"] = said["template"].clone();
        spec["template"]["metadata"]["labels"][HASH_LABEL] = hash.into();
        let metadata = json!({
            "name": format!("{}-{hash}", deployment.name()),
            "labels": spec["template"]["metadata"]["labels"],
            "annotations": {REVISION: revision.to_string()},
            "ownerReferences": [reference(deployment)],
        });
        let sets = target("apps", "v1", "replicasets", deployment.meta("namespace"), None);
        let body = json!({"metadata": metadata, "spec": spec});
        self.submit(intent(place, Action::Create { target: sets, body }))
    }

    fn scale_set(&mut self, place: &StorageKey, set: &Object, replicas: i64) -> Answer<()> {
        if number(set, "replicas") == Some(replicas) {
            return Ok(());
        }
        let mut value = set.clone().into_value();
        value["spec"]["replicas"] = replicas.into();
        let sets = target("apps", "v1", "replicasets", set.meta("namespace"), Some(set.name()));
        self.submit(intent(place, Action::Update { target: sets, body: value }))
    }

    fn report_rollout(&mut self, place: &StorageKey, deployment: &Object, current: &Object) -> Answer<()> {
        let now = self.clock.timestamp();
        let count = |field: &str| {
            current.get("status").and_then(|status| status.get(field)).and_then(Value::as_i64).unwrap_or_default()
        };
        let (there, ready) = (count("replicas"), count("readyReplicas"));
        let wanted = number(deployment, "replicas").unwrap_or(1);
        let mut status = counts(&[
            ("observedGeneration", deployment.generation()),
            ("replicas", there),
            ("updatedReplicas", there),
            ("readyReplicas", ready),
            ("availableReplicas", ready),
            ("unavailableReplicas", wanted - ready),
        ]);
        let name = current.name();
        if ready >= wanted {
            status["conditions"] = json!([
                condition(
                    deployment,
                    "Available",
                    "MinimumReplicasAvailable",
                    "Deployment has minimum availability.",
                    &now
                ),
                condition(
                    deployment,
                    "Progressing",
                    "NewReplicaSetAvailable",
                    &format!("ReplicaSet \"{name}\" has successfully progressed."),
                    &now
                ),
            ]);
        }
        self.report_with(place, "v1", status, Some((REVISION, revision(current).to_string())))
    }
}

/// A name for a template: the same for the same one, in letters that make no words.
fn template_hash(deployment: &Object) -> String {
    let template = deployment.get("spec").and_then(|spec| spec.get("template"));
    let mut hasher = DefaultHasher::new();
    template.map(Value::to_string).unwrap_or_default().hash(&mut hasher);
    let mut rest = hasher.finish();
    let letters = std::iter::from_fn(|| {
        let letter = LETTERS[usize::try_from(rest % 27).unwrap_or_default()];
        rest /= 27;
        Some(char::from(letter))
    });
    letters.take(10).collect()
}

fn label(set: &Object) -> &str {
    let labels = set.metadata().get("labels").and_then(|labels| labels.get(HASH_LABEL));
    labels.and_then(Value::as_str).unwrap_or_default()
}

fn revision(set: &Object) -> i64 {
    let annotations = set.metadata().get("annotations").and_then(|annotations| annotations.get(REVISION));
    annotations.and_then(Value::as_str).and_then(|text| text.parse().ok()).unwrap_or_default()
}

const HASH_LABEL: &str = "pod-template-hash";

const REVISION: &str = "deployment.kubernetes.io/revision";

/// Kubernetes' letters for what it generates.
const LETTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
