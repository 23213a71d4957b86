//! What a manager is made with.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pintle_client::Client;
use pintle_runtime::lease::Candidate;
use tokio::sync::mpsc;

use super::observed::{Observed, Servers};
use super::{Manager, Shared};
use crate::http_server::Tls;
use crate::stop::StopSender;

/// How long everything has to stop unless set: what Kubernetes gives a pod by default.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A manager that is being configured; from [`Manager::builder`].
#[derive(Debug)]
#[must_use = "a builder does nothing until `build`"]
pub struct Builder {
    client: Client,
    candidate: Option<Candidate>,
    timeout: Duration,
    servers: Servers,
}

impl Builder {
    pub(super) fn new(client: Client) -> Self {
        Self { client, candidate: None, timeout: TIMEOUT, servers: Servers::default() }
    }

    /// Reconciles only while this replica holds the lease `name`.
    pub fn lease(self, namespace: &str, name: &str) -> Self {
        let candidate = Candidate::new(self.client.clone(), namespace, name);
        self.candidate(candidate)
    }

    /// As [`lease`](Self::lease), with an identity and times of one's own.
    pub fn candidate(mut self, candidate: Candidate) -> Self {
        self.candidate = Some(candidate);
        self
    }

    /// How long everything has to stop: 30 seconds unless set.
    pub fn graceful_shutdown_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
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
        let (added, receiver) = mpsc::unbounded_channel();
        let stops = StopSender::new();
        let controllers = Arc::default();
        let observed = Observed::new(&self.client, self.candidate.as_ref(), &controllers);
        for server in observed.serve(&self.client, self.servers) {
            // The other end is below.
            drop(added.send(server));
        }
        Manager {
            shared: Arc::new(Shared {
                client: self.client,
                candidate: self.candidate,
                timeout: self.timeout,
                controllers,
                observed,
                added,
                receiver: Mutex::new(Some(receiver)),
                stop_controllers: stops.subscribe(),
                stops: Mutex::new(Some(stops)),
            }),
        }
    }
}
