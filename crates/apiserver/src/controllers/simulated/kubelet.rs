//! The kubelets of simulated nodes: they run nothing, and report what the pod's stages say.
//!
//! In: a pod on a node, and the time. Out: its next status, and its end once it is deleted. How far a pod has come through
//! stages that somebody wrote stands in its annotation `pintle.dev/stage`; through the usual ones, in its status.

mod status;

use jiff::{SignedDuration, Timestamp};

use super::nodes::NODES;
use super::plan::{Identity, Plan};
use super::pods::{PODS, is_finished};
use super::stages::{self, Deed, InvalidStages, Step, Steps};
use super::view::{View, annotation, integer, seconds, time};
use crate::codec::object::Object;
use crate::registry::delete::Propagation;
use status::PodStatus;

pub(super) fn run(view: &View<'_>, pod: &Object) -> Plan {
    let mut plan = Plan::new(KUBELET);
    if pod.is_deleting() {
        stop(view, pod, &mut plan);
    } else if !is_finished(pod) {
        match view.stages().of(pod) {
            Ok(steps) => Run::of(view, pod, steps).go(plan_start(pod, &mut plan)),
            Err(invalid) => refuse(view, pod, &invalid, &mut plan),
        }
    }
    plan
}

/// Reports the start of a pod's containers, once.
fn plan_start<'p>(pod: &Object, plan: &'p mut Plan) -> &'p mut Plan {
    if pod.at("/status/startTime").is_none() {
        for container in pod.items_at("/spec/containers") {
            let image = container["image"].as_str().unwrap_or_default();
            plan.normal(pod, "Pulled", format!("Container image {image:?} already present on machine"));
            plan.normal(pod, "Created", "Container created");
            plan.normal(pod, "Started", "Container started");
        }
    }
    plan
}

/// A pod on its way through its steps.
struct Run<'v> {
    view: &'v View<'v>,
    pod: &'v Object,
    steps: Steps,
    status: PodStatus,
    /// How often its containers were started again since these steps were written.
    round: u32,
    next: usize,
}

/// When something happens.
enum Due {
    Now,
    At(Timestamp),
}

impl<'v> Run<'v> {
    fn of(view: &'v View<'v>, pod: &'v Object, steps: Steps) -> Run<'v> {
        let status = PodStatus::of(pod, &host(view, pod), &view.timestamp());
        let (round, next) = match &steps.name {
            Some(name) => position(annotation(pod, STAGE), name),
            None => (status.restarts(), usize::from(status.is_ready())),
        };
        Run { view, pod, steps, status, round, next }
    }

    /// Goes on as far as the time allows, and writes where that is.
    fn go(mut self, plan: &mut Plan) {
        while self.step(plan) {}
        self.end_in_time(plan);
        let mut pod = self.pod.clone();
        if let Some(name) = &self.steps.name {
            let stage = format!("{name}.{}.{}", self.round, self.next);
            pod.change(|pod| pod["metadata"]["annotations"][STAGE] = stage.into());
        }
        let now = self.view.timestamp();
        plan.status_of(PODS, self.pod, pod, self.status.finish(self.pod, &now));
    }

    /// Makes the next step if its time has come; returns whether there may be another.
    fn step(&mut self, plan: &mut Plan) -> bool {
        let now = self.view.timestamp();
        if self.status.is_over() {
            return false;
        }
        if self.status.has_ended() {
            let key = format!("restart.{}", self.status.restarts());
            return match self.due(plan, key, restart_delay(self.status.restarts())) {
                Due::Now => {
                    self.status.restart(&now);
                    (self.round, self.next) = (self.round + 1, 0);
                    true
                }
                Due::At(at) => {
                    plan.again_at(at);
                    self.status.back_off(self.pod);
                    plan.warning(self.pod, "BackOff", "Back-off restarting failed container");
                    false
                }
            };
        }
        let Some(step) = self.steps.steps.get(self.next).cloned() else { return false };
        if step.times.is_some_and(|times| self.round >= times) {
            self.next += 1;
            return true;
        }
        let name = self.steps.name.as_deref().unwrap_or("usual");
        let key = format!("{name}.{}.{}", self.round, self.next);
        match self.due(plan, key, step.after()) {
            Due::Now => {
                self.apply(&step, &now);
                self.next += 1;
                true
            }
            Due::At(at) => {
                plan.again_at(at);
                false
            }
        }
    }

    fn apply(&mut self, step: &Step, now: &str) {
        let (reason, message) = (step.reason.as_deref(), step.message.as_deref());
        let only = step.container.as_deref();
        match step.deed() {
            Deed::Ready(ready) => self.status.run(only, ready, now),
            Deed::Exit(code) => self.status.exit(only, code, reason, message, now),
            Deed::Waiting(why) => self.status.wait(only, why, message),
            Deed::Fail(why) => self.status.fail(why, message.unwrap_or_default(), now),
        }
    }

    /// When something happens that began when it was first seen.
    fn due(&self, plan: &mut Plan, key: String, after: SignedDuration) -> Due {
        let uid = self.pod.meta("uid").to_owned();
        let since = self.view.since(&uid, &key).unwrap_or_else(|| {
            plan.since.push((uid.clone(), key));
            self.view.now
        });
        match since.checked_add(after) {
            Ok(at) if at > self.view.now => Due::At(at),
            Ok(_) => Due::Now,
            Err(_) => Due::At(Timestamp::MAX),
        }
    }

    /// A pod that has run for as long as it may fails.
    fn end_in_time(&mut self, plan: &mut Plan) {
        let Some(deadline) = integer(self.pod, "/spec/activeDeadlineSeconds").filter(|_| !self.status.is_over()) else {
            return;
        };
        let began = time(self.pod.at("/status/startTime")).unwrap_or(self.view.now);
        let until = began + seconds(deadline);
        if until > self.view.now {
            return plan.again_at(until);
        }
        let message = "Pod was active on the node longer than the specified deadline";
        self.status.fail("DeadlineExceeded", message, &self.view.timestamp());
    }
}

/// How far a pod has come through the steps of a name: which run, and which step is next.
fn position(stage: &str, name: &str) -> (u32, usize) {
    let known = stage.strip_prefix(name).and_then(|rest| rest.strip_prefix('.')?.split_once('.'));
    known.and_then(|(round, next)| Some((round.parse().ok()?, next.parse().ok()?))).unwrap_or_default()
}

/// As kubelet's: the first restart comes at once, the next after ten seconds, and each later one after twice the time.
fn restart_delay(restarts: u32) -> SignedDuration {
    match restarts {
        0 => SignedDuration::ZERO,
        more => SignedDuration::from_secs((10_i64 << (more - 1).min(5)).min(300)),
    }
}

/// A pod whose stages cannot be read waits and says why.
fn refuse(view: &View<'_>, pod: &Object, invalid: &InvalidStages, plan: &mut Plan) {
    let mut status = PodStatus::of(pod, &host(view, pod), &view.timestamp());
    status.wait(None, "CreateContainerConfigError", Some(&invalid.to_string()));
    plan.status(PODS, pod, status.finish(pod, &view.timestamp()));
    if !plan.changes_nothing() {
        plan.warning(pod, "Failed", format!("Error: {invalid}"));
    }
}

/// Stops a pod that was deleted, and confirms its end.
fn stop(view: &View<'_>, pod: &Object, plan: &mut Plan) {
    let grace =
        pod.metadata().get("deletionGracePeriodSeconds").and_then(serde_json::Value::as_i64).unwrap_or_default();
    let asked =
        stages::duration(pod, TERMINATE_AFTER).ok().flatten().map(std::time::Duration::from).unwrap_or_default();
    let takes = SignedDuration::try_from(asked).unwrap_or(SignedDuration::MAX).min(seconds(grace));
    let deleted = time(pod.metadata().get("deletionTimestamp")).unwrap_or(view.now) - seconds(grace);
    let (uid, key) = (pod.meta("uid").to_owned(), "deleted".to_owned());
    let since = view.since(&uid, &key).unwrap_or(deleted.max(view.now));
    if view.since(&uid, &key).is_none() {
        plan.since.push((uid, key));
    }
    if since + takes > view.now {
        return plan.again_at(since + takes);
    }
    // What holds it may want to know how it ended.
    if !is_finished(pod) && !pod.finalizers().is_empty() {
        let mut status = PodStatus::of(pod, &host(view, pod), &view.timestamp());
        status.exit_for_good(TERMINATED, &view.timestamp());
        plan.status(PODS, pod, status.finish(pod, &view.timestamp()));
    }
    if grace > 0 {
        for container in pod.items_at("/spec/containers") {
            plan.normal(
                pod,
                "Killing",
                format!("Stopping container {}", container["name"].as_str().unwrap_or_default()),
            );
        }
        plan.delete(PODS, pod, Propagation::Background, Some(0));
    }
}

/// The address of a pod's node.
fn host(view: &View<'_>, pod: &Object) -> String {
    let node = view.get(NODES, None, pod.text_at("/spec/nodeName"));
    let address = node.as_ref().and_then(|node| {
        let mut addresses = node.items_at("/status/addresses");
        addresses.find(|address| address["type"] == "InternalIP")?["address"].as_str().map(str::to_owned)
    });
    address.unwrap_or_else(|| "127.0.0.1".to_owned())
}

const KUBELET: Identity = Identity { account: "kubelet", manager: "kubelet", component: "kubelet" };

/// How far a pod has come.
const STAGE: &str = "pintle.dev/stage";

/// How long a pod takes to end, if its grace period is not over before.
const TERMINATE_AFTER: &str = "pintle.dev/terminate-after";

/// The exit code of a program that was ended by SIGTERM.
const TERMINATED: i32 = 143;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_position_is_of_these_steps_only() {
        assert_eq!(position("abc.2.1", "abc"), (2, 1));
        assert_eq!(position("abc.2.1", "other"), (0, 0), "other steps begin anew");
        assert_eq!(position("", "abc"), (0, 0));
    }

    #[test]
    fn restarts_wait_longer_and_five_minutes_at_most() {
        let delays: Vec<i64> = (0..9).map(|restarts| restart_delay(restarts).as_secs()).collect();
        assert_eq!(delays, [0, 10, 20, 40, 80, 160, 300, 300, 300]);
    }
}
