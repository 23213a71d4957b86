//! What a manager is made with.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pintle_client::Client;
use pintle_runtime::lease::Candidate;
use pintle_runtime::sharding::Shards;
use tokio::sync::mpsc;

use super::observed::{Observed, Servers};
use super::running::reserve;
use super::{Manager, Shared, Unstarted};
use crate::cluster::{Cluster, Terms};
use crate::error::BoxError;
use crate::http_server::Tls;
use crate::leadership::Leadership;
use crate::runnable::Runnable;
use crate::stage::Stage;
use crate::stop::StopSender;

/// How long everything has to stop unless set: what Kubernetes gives a pod by default.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How long the next stage waits for the first lists: what is not there by then is waited for by those who need it.
const SETTLING: Duration = Duration::from_secs(30);

/// A manager that is being configured; from [`Manager::builder`].
#[derive(Debug)]
#[must_use = "a builder does nothing until `build`"]
pub struct Builder {
    client: Client,
    candidate: Option<Candidate>,
    shards: Option<Shards>,
    timeout: Duration,
    runnables: Vec<Runnable>,
    servers: Servers,
}

impl Builder {
    pub(super) fn new(client: Client) -> Self {
        let (servers, runnables) = (Servers::default(), Vec::new());
        Self { client, candidate: None, shards: None, timeout: TIMEOUT, servers, runnables }
    }

    /// Reconciles only while this replica holds the lease `name`. The others stand by: their watches run and their stores
    /// are full, so that one of them takes over as soon as the lease is free.
    pub fn lease(self, namespace: &str, name: &str) -> Self {
        let candidate = Candidate::new(self.client.clone(), namespace, name);
        self.candidate(candidate)
    }

    /// As [`lease`](Self::lease), with an identity and times of one's own.
    pub fn candidate(mut self, candidate: Candidate) -> Self {
        self.candidate = Some(candidate);
        self
    }

    /// Lets all replicas work, each on its share of the objects: those of the group `name` divide them by their Leases in
    /// `namespace`. With a [lease](Self::lease) beside it, only what is added for the leader waits for that.
    pub fn shards(self, namespace: &str, name: &str) -> Self {
        let shards = Shards::new(self.client.clone(), namespace, name);
        self.sharded_by(shards)
    }

    /// As [`shards`](Self::shards), with an identity, times or a division of one's own.
    pub fn sharded_by(mut self, shards: Shards) -> Self {
        self.shards = Some(shards);
        self
    }

    /// How long everything has to stop: 30 seconds unless set. Reconciles that run are cut off four seconds before that, so
    /// that the lease is still released and the servers close their connections.
    pub fn graceful_shutdown_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Adds anything, as [`Manager::add_runnable`].
    pub fn runnable(mut self, runnable: Runnable) -> Self {
        self.runnables.push(runnable);
        self
    }

    /// Answers probes at this address: `/livez`, `/readyz` and `/healthz`. Port 0 takes a free one.
    pub fn health(mut self, address: SocketAddr) -> Self {
        self.servers.health = Some(address);
        self
    }

    /// Shows metrics at this address under `/metrics`, to whoever asks; [`secure_metrics`](Self::secure_metrics) asks the
    /// cluster who may see them.
    pub fn metrics(mut self, address: SocketAddr) -> Self {
        self.servers.metrics = Some((address, None));
        self
    }

    /// Shows metrics at this address by TLS, to whom the cluster allows `get` on the nonResourceURL `/metrics`: as
    /// controller-runtime's secure metrics. The program needs to be allowed to create TokenReviews and
    /// SubjectAccessReviews.
    pub fn secure_metrics(mut self, address: SocketAddr, tls: Tls) -> Self {
        self.servers.metrics = Some((address, Some(tls)));
        self
    }

    /// The manager.
    #[must_use]
    pub fn build(self) -> Manager {
        let (sender, added) = mpsc::unbounded_channel();
        let observed = Observed::new(self.candidate.as_ref(), self.shards.as_ref());
        let servers = observed.serve(&self.client, self.servers);
        let (stop_controllers, leadership) = (StopSender::new(), Leadership::new(self.candidate));
        let stop = stop_controllers.subscribe();
        // Twice: once for the lease, which is released after that, and once for the servers.
        let grace = self.timeout.saturating_sub(reserve(self.timeout) * 2);
        let permits = self.shards.as_ref().map_or_else(|| leadership.permits().clone(), Shards::permits);
        let terms = Terms { permits, stop, grace };
        let cluster = Cluster::new("", self.client, terms);
        let settled = cluster.settled();
        let settled = async move { drop(tokio::time::timeout(SETTLING, settled).await) };
        let watches = cluster.runnable().ready_when(settled);
        let (lease, share) = (leadership.runnable(), self.shards.map(take_share));
        let shared = Shared {
            cluster,
            clusters: Mutex::default(),
            leadership,
            observed,
            timeout: self.timeout,
            added: sender,
            unstarted: Mutex::new(Some(Unstarted { added, stop_controllers })),
        };
        let manager = Manager { shared: Arc::new(shared) };
        manager.observe_clusters();
        let own = servers.into_iter().chain([Some(watches), lease, share].into_iter().flatten());
        own.chain(self.runnables).for_each(|runnable| manager.add_runnable(runnable));
        manager
    }
}

/// Takes a share of the objects until the controllers have drained.
fn take_share(shards: Shards) -> Runnable {
    Runnable::new("the shards", Stage::Lease, |stop| async move {
        shards.join(stop.requested()).await;
        Ok::<_, BoxError>(())
    })
}

impl Manager {
    /// What all its controllers have in common.
    pub(super) fn terms(&self) -> Terms {
        self.shared.cluster.terms()
    }
}
