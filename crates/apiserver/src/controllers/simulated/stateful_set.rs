//! A StatefulSet: pods with numbers and claims of their own, made, replaced and deleted in order.
//!
//! In: a StatefulSet, its pods and revisions, the time. Out: writes of pods, claims, revisions and status. One move at a time,
//! unless its pods are managed in parallel; updates go from the highest number to the partition, one pod at a time.

mod pod;

use serde_json::{Value, json};

use super::controller_revisions::{LABEL, Revisions};
use super::ownership::claimed;
use super::plan::{Built, Identity, Plan};
use super::pods::{self, PODS, is_finished, is_ready};
use super::view::{View, counts, integer, label, number};
use crate::codec::object::Object;
use crate::registry::delete::Propagation;
use crate::storage::store::StorageKey;

pub(super) fn reconcile(view: &View<'_>, _: &StorageKey, set: &Object) -> Plan {
    let mut plan = Plan::new(CONTROLLER);
    let pods = claimed(view, set, PODS, &mut plan);
    let revisions = Revisions::of(view, set, &mut plan);
    if !plan.wishes.is_empty() && !set.is_deleting() {
        return plan;
    }
    let current = match set.text_at("/status/currentRevision") {
        "" => revisions.update.clone(),
        known => known.to_owned(),
    };
    let work = Work { view, set, revisions: &revisions, current: &current };
    let status = work.status(&pods, &mut plan);
    if !set.is_deleting() {
        work.go_on(&pods, &mut plan);
    }
    plan.status(STATEFUL_SETS, set, status);
    let in_use: Vec<&str> = pods.iter().map(|pod| label(pod, LABEL)).chain([current.as_str()]).collect();
    revisions.cut(set, &in_use, &mut plan);
    plan
}

struct Work<'w> {
    view: &'w View<'w>,
    set: &'w Object,
    revisions: &'w Revisions,
    current: &'w str,
}

impl Work<'_> {
    fn first(&self) -> i64 {
        integer(self.set, "/spec/ordinals/start").unwrap_or_default()
    }

    fn wanted(&self) -> i64 {
        integer(self.set, "/spec/replicas").unwrap_or(1)
    }

    fn partition(&self) -> i64 {
        integer(self.set, "/spec/updateStrategy/rollingUpdate/partition").unwrap_or_default()
    }

    fn is_ordered(&self) -> bool {
        self.set.text_at("/spec/podManagementPolicy") != "Parallel"
    }

    fn ordinal(&self, pod: &Object) -> Option<i64> {
        pod.name().strip_prefix(self.set.name())?.strip_prefix('-')?.parse().ok()
    }

    fn is_available(&self, pod: &Object, plan: &mut Plan) -> bool {
        pods::available([pod].into_iter(), pods::min_ready_seconds(self.set), self.view.now, plan) == 1
    }

    /// Makes what is missing, then deletes what is too much, then replaces what is old.
    fn go_on(&self, pods: &[Object], plan: &mut Plan) {
        let end = self.first() + self.wanted();
        for ordinal in self.first()..end {
            let is_settled = match pods.iter().find(|pod| self.ordinal(pod) == Some(ordinal)) {
                None => {
                    self.create(ordinal, pods, plan);
                    false
                }
                Some(pod) if is_finished(pod) && !pod.is_deleting() => {
                    self.delete(pod, plan);
                    false
                }
                Some(pod) => !pod.is_deleting() && self.is_available(pod, plan),
            };
            if !is_settled && self.is_ordered() {
                return;
            }
        }
        let mut surplus: Vec<&Object> = pods.iter().filter(|pod| self.is_surplus(pod)).collect();
        surplus.sort_by_key(|pod| std::cmp::Reverse(self.ordinal(pod)));
        for pod in surplus {
            if !pod.is_deleting() {
                self.delete(pod, plan);
            }
            if self.is_ordered() {
                return;
            }
        }
        self.replace_next(pods, plan);
    }

    fn is_surplus(&self, pod: &Object) -> bool {
        let range = self.first()..self.first() + self.wanted();
        self.ordinal(pod).is_some_and(|ordinal| !range.contains(&ordinal))
    }

    /// Deletes the pod with the highest number that is not of the template now, once all above it are ready.
    fn replace_next(&self, pods: &[Object], plan: &mut Plan) {
        if self.set.text_at("/spec/updateStrategy/type") == "OnDelete" {
            return;
        }
        let first = self.first() + self.partition();
        let mut due: Vec<&Object> = pods.iter().filter(|pod| self.ordinal(pod) >= Some(first)).collect();
        due.sort_by_key(|pod| std::cmp::Reverse(self.ordinal(pod)));
        for pod in due {
            if pod.is_deleting() {
                return;
            }
            if label(pod, LABEL) != self.revisions.update {
                return self.delete(pod, plan);
            }
            if !self.is_available(pod, plan) {
                return;
            }
        }
    }

    fn create(&self, ordinal: i64, pods: &[Object], plan: &mut Plan) {
        let name = format!("{}-{ordinal}", self.set.name());
        let namespace = self.set.meta("namespace");
        for claim in pod::claims(self.set, &name) {
            let claim_name = claim["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            if self.view.get(super::volume_binder::CLAIMS, Some(namespace), &claim_name).is_none() {
                plan.create(super::volume_binder::CLAIMS, Some(namespace), claim);
                let message =
                    format!("create Claim {claim_name} Pod {name} in StatefulSet {} success", self.set.name());
                plan.normal(self.set, "SuccessfulCreate", message);
            }
        }
        let revision = self.revision_for(ordinal, pods);
        let template = self.revisions.template(self.set, revision);
        plan.create(PODS, Some(namespace), pod::of(self.set, &template, revision, ordinal));
        plan.normal(
            self.set,
            "SuccessfulCreate",
            format!("create Pod {name} in StatefulSet {} successful", self.set.name()),
        );
    }

    /// The revision that a pod of a number gets: below the partition, and as long as its turn has not come, the one before.
    fn revision_for(&self, ordinal: i64, pods: &[Object]) -> &str {
        let is_rolling = self.set.text_at("/spec/updateStrategy/type") != "OnDelete";
        let kept = match self.partition() {
            0 => number(pods.iter().filter(|pod| !pod.is_deleting() && label(pod, LABEL) == self.current).count()),
            partition => partition,
        };
        let is_before = is_rolling && ordinal < self.first() + kept;
        if is_before { self.current } else { &self.revisions.update }
    }

    fn delete(&self, pod: &Object, plan: &mut Plan) {
        plan.delete(PODS, pod, Propagation::Background, None);
        let message = format!("delete Pod {} in StatefulSet {} successful", pod.name(), self.set.name());
        plan.normal(self.set, "SuccessfulDelete", message);
    }

    fn status(&self, pods: &[Object], plan: &mut Plan) -> Value {
        let update = self.revisions.update.as_str();
        let of = |revision: &str| {
            number(pods.iter().filter(|pod| !pod.is_deleting() && label(pod, LABEL) == revision).count())
        };
        let ready = number(pods.iter().filter(|pod| is_ready(pod)).count());
        let available = pods::available(pods.iter(), pods::min_ready_seconds(self.set), self.view.now, plan);
        let there = number(pods.len());
        let is_over = of(update) == there && there == self.wanted() && ready == there;
        let current = if is_over { update } else { self.current };
        let mut status = counts(&[
            ("observedGeneration", self.set.generation()),
            ("readyReplicas", ready),
            ("currentReplicas", of(current)),
            ("updatedReplicas", of(update)),
            ("availableReplicas", available),
        ]);
        status["replicas"] = there.into();
        status["currentRevision"] = current.into();
        status["updateRevision"] = update.into();
        status["collisionCount"] = self.set.at("/status/collisionCount").cloned().unwrap_or_else(|| json!(0));
        if available == 0 {
            status["availableReplicas"] = 0.into();
        }
        status
    }
}

const STATEFUL_SETS: Built = Built::new("apps", "v1", "statefulsets");

const CONTROLLER: Identity = Identity::controller("statefulset-controller", "statefulset-controller");
