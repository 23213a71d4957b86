//! What a manager is made with.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use pintle_client::Client;
use pintle_runtime::lease::Candidate;
use tokio::sync::mpsc;

use super::{Manager, Shared};
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
}

impl Builder {
    pub(super) fn new(client: Client) -> Self {
        Self { client, candidate: None, timeout: TIMEOUT }
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

    /// The manager.
    #[must_use]
    pub fn build(self) -> Manager {
        let (added, receiver) = mpsc::unbounded_channel();
        let stops = StopSender::new();
        Manager {
            shared: Arc::new(Shared {
                client: self.client,
                candidate: self.candidate,
                timeout: self.timeout,
                controllers: Mutex::default(),
                added,
                receiver: Mutex::new(Some(receiver)),
                stop_controllers: stops.subscribe(),
                stops: Mutex::new(Some(stops)),
            }),
        }
    }
}
