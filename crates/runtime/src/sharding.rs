//! Replicas that share the objects of their controllers, instead of one that does everything and others that wait.
//!
//! ```text
//!   object ──hash──► slot ──► the replica that claims it ──► Permits ──► its controllers
//!                               ▲
//!                     one Lease per replica, with its claims
//! ```
//!
//! Each replica watches everything and reconciles its share. When one comes or goes, only what must move moves, and an
//! object moves once nothing of it runs any more where it was. The coordination is in the cluster itself: one Lease per
//! replica, in the program's namespace. A program needs `get`, `list`, `watch`, `create`, `update` and `delete` on `leases`.
//!
//! As with a leader's lease, a replica that cannot renew its claims stops before others may take them: at most one replica
//! works on an object at any time, as far as a lease can guarantee that. What it sent before may still arrive later.
//!
//! Reading order: `slots`, `machine` (both pure), `lease`, `in_use`, `driver`.

mod driver;
mod in_use;
mod lease;
mod machine;
mod slots;

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use pintle_client::{Api, Client};
use tokio::sync::watch;

use crate::controller::{Permit, Permits};
use crate::lease::{Terms, default_identity};
use crate::metrics::{Sample, Samples};
use crate::reflector::Key;
use driver::Driver;
use in_use::InUse;
use slots::slot_of;

/// A replica that takes its share of the objects; clones are the same replica.
///
/// ```no_run
/// # use pintle_client::{Api, Client};
/// # use pintle_runtime::{Controller, watcher};
/// # use pintle_runtime::sharding::Shards;
/// # use futures::StreamExt;
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # use std::sync::Arc;
/// # async fn reconcile(_: Arc<ConfigMap>, _: Arc<()>) -> Result<pintle_runtime::controller::Action, pintle_client::Error> {
/// #     Ok(pintle_runtime::controller::Action::await_change())
/// # }
/// # async fn example(client: Client) {
/// let shards = Shards::new(client.clone(), "my-system", "my-controller");
/// let controller = Controller::new(Api::<ConfigMap>::all(client), watcher::Config::default())
///     .permitted_by(&shards.permits())
///     .shutdown_on_signal()
///     .run(reconcile, |_, _, _| pintle_runtime::controller::Action::backoff(), Arc::new(()));
/// shards.join(controller.for_each(async |_| ())).await;
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Shards {
    api: Api<Lease>,
    group: String,
    identity: String,
    terms: Terms,
    shard_by: ShardBy,
    drain_timeout: Duration,
    in_use: Arc<InUse>,
    permits: Permits,
    share: watch::Sender<Share>,
}

/// What decides which replica an object belongs to.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum ShardBy {
    /// Its namespace and name. Not its uid: an object that is deleted and made again stays where it was, so that no two
    /// replicas work under one name.
    #[default]
    Object,
    /// Its namespace: all objects of a namespace belong to one replica, and what has none to another. Every kind of object is
    /// shared the same way, so that what belongs together is reconciled by one replica.
    Namespace,
}

/// What a replica has to do, for probes and metrics.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Share {
    /// How many replicas share the work, with this one; 0 if this one does not take part.
    pub replicas: usize,
    /// How many of the [`Share::SLOTS`] slots are this replica's now.
    pub slots: usize,
    /// How many it is about to give up, once nothing of them runs any more.
    pub draining: usize,
    /// Why the Leases cannot be read or written, if they cannot.
    pub error: Option<String>,
}

impl Shards {
    /// A replica of the group `name`, whose Leases are in `namespace`. Its identity is this host's name and a random number,
    /// so that no two have the same.
    pub fn new(client: Client, namespace: &str, name: &str) -> Self {
        Self {
            api: Api::namespaced(client, namespace),
            group: name.to_owned(),
            identity: default_identity(),
            terms: Terms::default(),
            shard_by: ShardBy::default(),
            drain_timeout: DRAIN_TIMEOUT,
            in_use: Arc::new(InUse::new()),
            permits: Permits::new(Permit::none()),
            share: watch::Sender::default(),
        }
    }

    /// Sets its identity. Two with the same identity take each other for themselves, and do the same work.
    #[must_use]
    pub fn called(mut self, identity: &str) -> Self {
        identity.clone_into(&mut self.identity);
        self
    }

    /// Sets its times; all replicas of a group should have the same.
    #[must_use]
    pub fn with_terms(mut self, terms: Terms) -> Self {
        self.terms = terms;
        self
    }

    /// Sets what decides which replica an object belongs to; all replicas of a group must have the same. Objects alone unless
    /// set.
    #[must_use]
    pub fn by(mut self, shard_by: ShardBy) -> Self {
        self.shard_by = shard_by;
        self
    }

    /// How long a reconcile may go on whose object moves to another replica, before it is cut off: 30 seconds unless set. The
    /// other replica waits for it.
    #[must_use]
    pub fn drain_timeout(mut self, timeout: Duration) -> Self {
        self.drain_timeout = timeout;
        self
    }

    /// Its identity.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// What [`Controller::permitted_by`](crate::Controller::permitted_by) needs to reconcile this replica's share alone.
    pub fn permits(&self) -> Permits {
        self.permits.clone()
    }

    /// What it has to do now.
    pub fn share(&self) -> Share {
        self.share.borrow().clone()
    }

    /// What it has to do, for an exporter of metrics.
    pub fn samples(&self) -> Vec<Sample> {
        let share = self.share();
        let mut samples = Samples::with_labels(&[("name", &self.group)]);
        let mut gauge = |name, help, value: usize| samples.gauge(name, help, value as u64);
        gauge("pintle_shard_slots", "Slots that this replica works on, of 1024.", share.slots);
        gauge("pintle_shard_slots_draining", "Slots that this replica is about to give up.", share.draining);
        gauge("pintle_shard_replicas", "Replicas that share the work, as far as this one knows.", share.replicas);
        samples.into_vec()
    }

    /// Takes part while `work` runs, then gives its share up. Work that stops gracefully ends when its last reconcile has
    /// ended, and the other replicas take over at once.
    pub async fn join<T>(&self, work: impl Future<Output = T>) -> T {
        let mut driver = Driver::new(self);
        let done = {
            let work = std::pin::pin!(work);
            // What is known of the claims is put to use before anything else is done.
            tokio::select! {
                biased;
                never = driver.run() => match never {},
                done = work => done,
            }
        };
        driver.leave().await;
        done
    }

    /// Which slot an object belongs to: it is reconciled by the replica whose Lease claims that slot. The annotation
    /// `pintle/slots` of a Lease has the claims as 256 hexadecimal digits: sixteen for each 64 slots, the lowest slot in the
    /// lowest bit.
    #[must_use]
    pub fn slot(&self, key: &Key) -> usize {
        match self.shard_by {
            ShardBy::Object => slot_of(&key.to_string()),
            ShardBy::Namespace => slot_of(key.namespace.as_deref().unwrap_or_default()),
        }
    }
}

impl Share {
    /// How many slots there are.
    pub const SLOTS: usize = slots::SLOTS;
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { replicas, slots, draining, error } = self;
        if let Some(error) = error {
            return write!(f, "has {slots} of {} slots, and cannot reach its Lease: {error}", Self::SLOTS);
        }
        if *replicas == 0 {
            return f.write_str("does not take part");
        }
        write!(f, "has {slots} of {} slots as one of {replicas} replicas", Self::SLOTS)?;
        if *draining > 0 { write!(f, ", and gives up {draining}") } else { Ok(()) }
    }
}

/// As long as a controller that stops lets its reconciles run.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(30);
