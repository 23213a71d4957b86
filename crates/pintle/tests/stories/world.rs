//! The world of a story: a client, and the ways to disturb its network and its server.
//!
//! It is a new embedded server for each story. If `PINTLE_STORIES_KUBECONFIG` names a kubeconfig, it is a new namespace on
//! that cluster, in real time: `cargo xtask kube test` runs the stories on a real kube-apiserver that way.

#[path = "world/cluster.rs"]
mod cluster;
#[path = "world/log.rs"]
pub(crate) mod log;
#[path = "world/network.rs"]
mod network;

use std::future::Future;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use network::Network;
use pintle::api::{Api, PostParams};
use pintle::runtime::watcher;
use pintle::testing::Server;
use pintle::{Client, Resource};

use cluster::Cluster;

/// A cluster and the network between it and the client.
pub(crate) struct World {
    pub(crate) client: Client,
    network: Network,
    cluster: Cluster,
}

/// How long a story waits for what it expects: real clusters are slow, and with paused time it costs nothing.
const WAIT_LIMIT: Duration = Duration::from_secs(120);
/// The longest a story waits in real time for what must not happen.
const REAL_MOMENT: Duration = Duration::from_secs(10);
/// How often a condition is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

impl World {
    /// Embedded, or on the real cluster that the environment names.
    pub(crate) fn new() -> Self {
        Cluster::from_environment().map_or_else(Self::embedded, Self::on)
    }

    /// An embedded server in any case: for stories that take hours, and for faults that a real server cannot have.
    pub(crate) fn embedded() -> Self {
        Self::on(Cluster::embedded())
    }

    /// Where roles decide who may do what: embedded, or on the real cluster that the environment names.
    pub(crate) fn with_rbac() -> Self {
        Self::on(Cluster::from_environment().unwrap_or_else(Cluster::with_rbac))
    }

    fn on(cluster: Cluster) -> Self {
        let network = Network::default();
        Self { client: cluster.client(&network), network, cluster }
    }

    /// The namespace of the story, which is also the client's default.
    pub(crate) fn namespace(&self) -> &str {
        self.client.default_namespace()
    }

    /// A client of a service account of the story's namespace, which may do what its roles allow.
    pub(crate) fn client_of_account(&self, name: &str) -> Client {
        self.cluster.client_as(&format!("system:serviceaccount:{}:{name}", self.namespace()))
    }

    /// The embedded server, to add faults to it.
    pub(crate) fn server(&self) -> &Server {
        self.cluster.server()
    }

    /// Ends every open watch, as a proxy that restarts would.
    pub(crate) fn cut_watches(&self) {
        self.network.cut_watches();
    }

    /// Ends every open watch and lets none be opened until the guard is dropped.
    pub(crate) fn without_watches(&self) -> impl Drop + use<'_> {
        self.network.without_watches()
    }

    /// Ends every open watch and lets no request through until the guard is dropped.
    pub(crate) fn without_server(&self) -> impl Drop + use<'_> {
        self.network.without_server()
    }

    /// Drops the history of all changes so far, as compaction does.
    pub(crate) async fn expire_history(&self) {
        self.cluster.expire_history().await;
    }

    /// Whether a watch from before [`expire_history`](Self::expire_history) is refused afterwards. A real server that has a
    /// watch cache still answers it.
    pub(crate) fn forgets(&self) -> bool {
        self.cluster.forgets()
    }

    /// The requests sent so far, as `GET /path?query`.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.network.requests()
    }

    /// Waits until `condition` holds.
    pub(crate) async fn until<F: Future<Output = bool>>(&self, what: &str, mut condition: impl FnMut() -> F) {
        let waiting = async {
            while !condition().await {
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        };
        let came_true = tokio::time::timeout(WAIT_LIMIT, waiting).await.is_ok();
        assert!(came_true, "never came true: {what}; requested until then: {:#?}", self.requests());
    }

    /// Lets time pass: `time`, or at most ten seconds on a real cluster, where time is real.
    pub(crate) async fn pass(&self, time: Duration) {
        let time = if self.is_real() { time.min(REAL_MOMENT) } else { time };
        tokio::time::sleep(time).await;
    }

    /// `number`, or a quarter of it on a real cluster, where each object takes real time.
    pub(crate) fn many(&self, number: usize) -> usize {
        if self.is_real() { number / 4 } else { number }
    }

    /// Whether the story runs on a real cluster.
    pub(crate) fn is_real(&self) -> bool {
        self.cluster.is_real()
    }

    pub(crate) fn config_maps(&self) -> Api<ConfigMap> {
        Api::default_namespaced(self.client.clone())
    }

    /// A watcher config for the story's config maps: without the one that a cluster puts into every namespace.
    pub(crate) fn watching() -> watcher::Config {
        watcher::Config::default().fields("metadata.name!=kube-root-ca.crt")
    }

    pub(crate) async fn create_config_map(&self, name: &str) -> ConfigMap {
        self.config_maps().create(&PostParams::default(), &config_map(name)).await.expect("the config map is new")
    }

    /// Creates a config map that `owner` owns.
    pub(crate) async fn create_owned_config_map<K: Resource<DynamicType = ()>>(
        &self,
        name: &str,
        owner: &K,
    ) -> ConfigMap {
        let mut child = config_map(name);
        child.metadata.owner_references = Some(vec![owner.controller_owner_ref(&()).expect("the owner is stored")]);
        self.config_maps().create(&PostParams::default(), &child).await.expect("the config map is new")
    }
}

pub(crate) fn config_map(name: &str) -> ConfigMap {
    ConfigMap { metadata: ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() }, ..ConfigMap::default() }
}
