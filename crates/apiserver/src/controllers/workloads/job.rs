//! A Job: its pods, all of which succeed.

use serde_json::{Value, json};

use super::{condition, counts, is_true, number};
use crate::cluster::Cluster;
use crate::response::status::Answer;
use crate::storage::entry::Entry;
use crate::storage::store::StorageKey;

impl Cluster {
    /// Makes the pods that are missing, and completes the Job when enough have succeeded.
    pub(super) fn run_job(&mut self, place: &StorageKey, entry: &Entry) -> Answer<()> {
        let job = entry.object();
        let is_suspended = job.get("spec").and_then(|spec| spec.get("suspend")) == Some(&json!(true));
        if job.is_deleting() || is_suspended || is_true(&job, "Complete") {
            return Ok(());
        }
        let parallelism = number(&job, "parallelism").unwrap_or(1);
        let completions = number(&job, "completions").unwrap_or(parallelism);
        let template = job.get("spec").and_then(|spec| spec.get("template")).cloned().unwrap_or_default();
        let there = self.controlled(entry, "pods").len();
        for _ in there..usize::try_from(completions).unwrap_or_default() {
            self.make_pod(place, &job, &template)?;
        }
        let pods = self.controlled(entry, "pods");
        let has_succeeded = |status: Option<&Value>| status.is_some_and(|status| status["phase"] == "Succeeded");
        let succeeded = pods.iter().filter(|(_, pod)| has_succeeded(pod.get("status"))).count();
        let succeeded = i64::try_from(succeeded).unwrap_or(i64::MAX);
        let now = self.clock.timestamp();
        let began = job.get("status").and_then(|status| status.get("startTime")).cloned();
        let mut status = counts(&[("succeeded", succeeded), ("active", completions - succeeded)]);
        status["startTime"] = began.unwrap_or_else(|| now.as_str().into());
        status["ready"] = 0.into();
        status["uncountedTerminatedPods"] = json!({});
        if succeeded >= completions {
            let (reason, message) = ("CompletionsReached", "Reached expected number of succeeded pods");
            let conditions = ["SuccessCriteriaMet", "Complete"].map(|kind| {
                let mut made = condition(&job, kind, reason, message, &now);
                let changed = made["lastTransitionTime"].clone();
                made.as_object_mut().into_iter().for_each(|fields| drop(fields.remove("lastUpdateTime")));
                made["lastProbeTime"] = changed;
                made
            });
            status["conditions"] = json!(conditions);
            status["completionTime"] = now.into();
        }
        self.report_status(place, "v1", status)
    }
}
