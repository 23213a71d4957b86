//! The world of a story: a client, and the trouble one can make for it.

#[path = "world/network.rs"]
mod network;

use std::future::Future;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use network::Network;
use pintle::api::{Api, PostParams};
use pintle::testing::Server;
use pintle::{Client, Resource};

/// A cluster and the road to it.
pub(crate) struct World {
    pub(crate) client: Client,
    network: Network,
    server: Server,
}

/// How long a story waits for what it expects; with paused time no time at all.
const PATIENCE: Duration = Duration::from_secs(120);
/// How often it looks.
const GLANCE: Duration = Duration::from_millis(20);

impl World {
    pub(crate) fn new() -> Self {
        let server = Server::new();
        let network = Network::default();
        let client = Client::new(network.road_to(server.clone()), "default");
        Self { client, network, server }
    }

    /// The server, to make it fail by rule.
    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    /// Ends every open watch, as a proxy that restarts would.
    pub(crate) fn cut_watches(&self) {
        self.network.cut_watches();
    }

    /// Ends every open watch and lets none be opened until the guard is dropped.
    pub(crate) fn without_watches(&self) -> impl Drop + use<'_> {
        self.network.without_watches()
    }

    /// Forgets everything that happened so far, as compaction does.
    pub(crate) fn expire_history(&self) {
        self.server.expire_history();
    }

    /// The requests that were sent, as `GET /path?query`.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.network.requests()
    }

    /// Waits until `condition` holds, looking again and again.
    pub(crate) async fn until<F: Future<Output = bool>>(&self, what: &str, mut condition: impl FnMut() -> F) {
        let waiting = async {
            while !condition().await {
                tokio::time::sleep(GLANCE).await;
            }
        };
        assert!(tokio::time::timeout(PATIENCE, waiting).await.is_ok(), "never came true: {what}");
    }

    pub(crate) fn config_maps(&self) -> Api<ConfigMap> {
        Api::default_namespaced(self.client.clone())
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
