//! A small cluster around the API server: the controllers of kube-controller-manager, a scheduler, and kubelets that run nothing.
//!
//! ```text
//!  stored or removed ─► followers: what has to be looked at ─► dirty ─► a controller: View ─► Plan ─► intents, as every write
//!                                                                ▲                             └─ again at a time ─► alarms ─┐
//!                                                                └────────────────────────────────────────────────────────────┘
//! ```
//! In: objects that were stored or removed, and the time. Out: writes as kube-controller-manager, scheduler and kubelet make
//! them, through the same checks and after the answer of the request. Off unless asked for ([`Controllers`]).
//!
//! A controller is a function from a [`View`] of what is stored and the time to a [`Plan`]; it writes nothing itself. It is
//! level-triggered: whatever happened, it looks at what is there. Invariants: what is as it should be is not written again;
//! an object is looked at once however often it was woken; and a settling that does not come to rest is continued later
//! ([`ROUNDS_MAX`]), so that nobody waits for two controllers that fight.

mod alarms;
mod certificate_approving;
pub(crate) mod certificate_signing;
pub(crate) mod commands;
mod conditions;
mod controller_revisions;
mod cron_job;
mod daemon_set;
mod deployment;
mod disruption;
mod endpoints;
mod events;
mod followers;
mod job;
mod kubelet;
mod load_balancer;
pub(crate) mod logs;
mod names;
mod nodes;
mod ownership;
mod plan;
mod pods;
pub(crate) mod ports;
mod replica_set;
mod scheduler;
mod stages;
mod stateful_set;
mod token_secrets;
mod view;
mod volume_binder;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use tokio::time::Instant;

use crate::cluster::Cluster;
use crate::codec::object::Object;
use crate::response::status::Refusal;
use crate::storage::store::StorageKey;
use alarms::Alarms;
use plan::{Identity, Plan, Wish};
use view::View;

pub use names::{Controllers, UnknownController};
pub use stages::{InvalidStages, Stages};

/// What the simulation knows beside what is stored.
#[derive(Debug, Clone)]
pub(crate) struct Simulation {
    pub(crate) controllers: Controllers,
    /// How many nodes there are; where there are none, pods run on one that has no Node object.
    pub(crate) nodes: usize,
    pub(crate) stages: Arc<Stages>,
    /// Objects to be looked at.
    dirty: BTreeSet<StorageKey>,
    /// Objects to be looked at when their time has come.
    alarms: Alarms,
    /// Since when a pod has been where it is, as its kubelet remembers it.
    since: BTreeMap<(String, String), Timestamp>,
    /// How often in a row the writes for an object were refused, and until when it is left alone therefore.
    refusals: BTreeMap<StorageKey, (u32, Timestamp)>,
}

impl Simulation {
    pub(crate) fn new(controllers: Controllers, nodes: usize, stages: Arc<Stages>) -> Simulation {
        Simulation {
            controllers,
            nodes,
            stages,
            dirty: BTreeSet::new(),
            alarms: Alarms::new(),
            since: BTreeMap::new(),
            refusals: BTreeMap::new(),
        }
    }
}

impl Cluster {
    /// Looks at everything that was woken; returns whether there was something.
    pub(crate) fn run_controllers(&mut self) -> bool {
        if self.simulation.is_none() {
            return false;
        }
        let now = self.simulated_now();
        let Some(simulation) = &mut self.simulation else { return false };
        simulation.dirty.extend(simulation.alarms.take_due(now));
        let dirty = std::mem::take(&mut simulation.dirty);
        let any = !dirty.is_empty();
        for place in dirty {
            self.reconcile(&place, now);
        }
        any
    }

    /// Puts what is left off for a moment: it did not come to rest.
    pub(crate) fn postpone_controllers(&mut self) {
        let now = self.simulated_now();
        if let Some(simulation) = &mut self.simulation {
            for place in std::mem::take(&mut simulation.dirty) {
                simulation.alarms.set(place, now + REST);
            }
        }
    }

    /// When the next controller has something to do.
    pub(crate) fn next_alarm(&self) -> Option<Instant> {
        let simulation = self.simulation.as_ref()?;
        if !simulation.dirty.is_empty() {
            return Some(Instant::now());
        }
        simulation.alarms.next(self.simulated_now(), self.clock.is_system())
    }

    /// Looks at everything anew: what is stored was changed as a whole.
    pub(crate) fn wake_all_controllers(&mut self) {
        let Some(simulation) = &mut self.simulation else { return };
        for resource in self.store.resources() {
            if !names::controllers_of(&resource).is_empty() {
                let keys = self.store.snapshot(&resource).keys().cloned().collect::<Vec<_>>();
                simulation.dirty.extend(keys.into_iter().map(|key| StorageKey { resource: resource.clone(), key }));
            }
        }
    }

    /// The time that controllers go by: that of the server's clock. Where that is the system's and tokio's time is moved by a
    /// test, it moves along.
    fn simulated_now(&self) -> Timestamp {
        let wall = self.clock.now();
        match &self.simulation {
            Some(simulation) if self.clock.is_system() => simulation.alarms.time_at(self.clock.instant()).max(wall),
            _ => wall,
        }
    }

    fn reconcile(&mut self, place: &StorageKey, now: Timestamp) {
        if self.pending.is_in_flight(place) {
            // It comes again when its write is over.
            return;
        }
        let Some(simulation) = &mut self.simulation else { return };
        let running = simulation.controllers;
        if let Some((_, until)) = simulation.refusals.get(place).filter(|(_, until)| *until > now) {
            return simulation.alarms.set(place.clone(), *until);
        }
        for (controller, reconcile) in names::controllers_of(&place.resource) {
            let Some(entry) = self.store.get(&place.resource, &place.key).filter(|_| running.has(*controller)) else {
                continue;
            };
            let object = entry.object();
            let plan = reconcile(&View::new(self, now), place, &object);
            self.carry_out(place, &object, plan, now);
        }
    }

    /// Makes the writes of a plan, one after the other, up to the first that is refused.
    fn carry_out(&mut self, place: &StorageKey, object: &Object, plan: Plan, now: Timestamp) {
        let Plan { identity, wishes, again, since } = plan;
        let Some(simulation) = &mut self.simulation else { return };
        for key in since {
            simulation.since.entry(key).or_insert(now);
        }
        if let Some(again) = again {
            simulation.alarms.set(place.clone(), again);
        }
        for wish in wishes {
            let is_creation = matches!(wish, Wish::Create { .. });
            if let Err(refusal) = self.grant(identity, place, wish, now) {
                if is_creation {
                    self.say_refused(identity, place, object, &refusal, now);
                }
                return self.try_later(place, &refusal, now);
            }
        }
        if let Some(simulation) = &mut self.simulation {
            simulation.refusals.remove(place);
        }
    }

    /// Says that what an object should get was refused, in an event and, where its kind has that, in its status.
    fn say_refused(
        &mut self,
        identity: Identity,
        place: &StorageKey,
        object: &Object,
        refusal: &Refusal,
        now: Timestamp,
    ) {
        let mut plan = Plan::new(identity);
        if place.resource.is("apps", "replicasets") {
            plan.status(replica_set::SETS, object, replica_set::refused(object, &refusal.message, &view::printed(now)));
        }
        if place.resource.is("", "replicationcontrollers") {
            let status = replica_set::refused(object, &refusal.message, &view::printed(now));
            plan.status(replica_set::REPLICATION_CONTROLLERS, object, status);
        }
        plan.warning(object, "FailedCreate", format!("Error creating: {}", refusal.message));
        for wish in plan.wishes {
            drop(self.grant(identity, place, wish, now));
        }
    }

    fn try_later(&mut self, place: &StorageKey, refusal: &Refusal, now: Timestamp) {
        let Some(simulation) = &mut self.simulation else { return };
        // With 404 and 409 another writer was faster, which has woken the controller again.
        if matches!(refusal.code, 404 | 409) {
            simulation.alarms.set(place.clone(), now + REST);
            return;
        }
        let count = simulation.refusals.get(place).map_or(0, |(count, _)| *count);
        let until = now + jiff::SignedDuration::from_millis(500 << count.min(RETRIES_DOUBLED));
        simulation.refusals.insert(place.clone(), (count + 1, until));
        simulation.alarms.set(place.clone(), until);
        let (resource, message) = (&place.resource.plural, &refusal.message);
        tracing::debug!(%resource, key = %place.key, "a simulated controller was refused: {message}");
    }
}

/// How often in one settling everything that was woken is looked at: enough for a StatefulSet of three hundred pods, one by
/// one, and over in a second or two where two controllers fight.
pub(crate) const ROUNDS_MAX: usize = 2_000;

/// After a refusal the next try comes half a second later, and each other one after twice the time, up to 64 seconds.
const RETRIES_DOUBLED: u32 = 7;

/// How long controllers wait that did not come to rest, or that lost against another writer.
const REST: jiff::SignedDuration = jiff::SignedDuration::from_secs(1);
