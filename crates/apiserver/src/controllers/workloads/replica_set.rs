//! A ReplicaSet: as many pods as it says.

use serde_json::{Value, json};

use super::{counts, is_true, number};
use crate::cluster::Cluster;
use crate::response::status::Answer;
use crate::storage::entry::Entry;
use crate::storage::store::StorageKey;

impl Cluster {
    /// Makes the pods that are missing, deletes those that are too many, and counts those that are ready.
    pub(super) fn replicate(&mut self, place: &StorageKey, entry: &Entry) -> Answer<()> {
        let set = entry.object();
        if set.is_deleting() {
            return Ok(());
        }
        let wanted = usize::try_from(number(&set, "replicas").unwrap_or(1)).unwrap_or_default();
        let template = set.get("spec").and_then(|spec| spec.get("template")).cloned().unwrap_or_default();
        let pods = self.controlled(entry, "pods");
        for _ in pods.len()..wanted {
            self.make_pod(place, &set, &template)?;
        }
        // The newest go first: they have done the least.
        for (surplus, _) in pods.iter().skip(wanted) {
            self.delete_now(surplus)?;
        }
        let pods = self.controlled(entry, "pods");
        let there = i64::try_from(pods.len()).unwrap_or(i64::MAX);
        let ready = i64::try_from(pods.iter().filter(|(_, pod)| is_true(pod, "Ready")).count()).unwrap_or(i64::MAX);
        let mut status = counts(&[
            ("fullyLabeledReplicas", there),
            ("readyReplicas", ready),
            ("availableReplicas", ready),
            ("observedGeneration", set.generation()),
        ]);
        status["replicas"] = json!(there);
        self.report_status(place, "v1", Value::clone(&status))
    }
}
