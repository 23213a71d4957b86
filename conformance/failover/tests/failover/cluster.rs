//! The server that the replicas work on, and the objects there.

use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use pintle::api::{Api, ListParams, Patch, PatchParams, PostParams};
use pintle::config::{KubeConfigOptions, Kubeconfig};
use pintle::testing::Server;
use pintle::{Client, Config, ResourceExt};

/// The server, and a kubeconfig of it.
pub(crate) struct Cluster {
    pub(crate) client: Client,
    pub(crate) kubeconfig: std::path::PathBuf,
    pub(crate) namespace: String,
    /// Of an embedded one.
    _serving: Option<Box<dyn std::any::Any>>,
}

impl Cluster {
    pub(crate) async fn new() -> Self {
        let (kubeconfig, serving): (_, Option<Box<dyn std::any::Any>>) =
            match std::env::var_os("PINTLE_FAILOVER_KUBECONFIG") {
                Some(path) => (path.into(), None),
                None => {
                    let serving = Server::new().serve(([127, 0, 0, 1], 0).into()).await.unwrap();
                    let name = format!("pintle-failover-{}-{}", std::process::id(), serving.local_addr().port());
                    let path = std::env::temp_dir().join(name);
                    serving.write_kubeconfig(&path).unwrap();
                    (path, Some(Box::new(serving)))
                }
            };
        let config = Kubeconfig::read_from(&kubeconfig).unwrap();
        let config = Config::from_custom_kubeconfig(config, &KubeConfigOptions::default()).await.unwrap();
        let client = Client::try_from(config).unwrap();
        let mut namespace = Namespace::default();
        namespace.metadata.generate_name = Some("failover-".to_owned());
        let namespace = Api::all(client.clone()).create(&PostParams::default(), &namespace).await.unwrap().name_any();
        Self { client, kubeconfig, namespace, _serving: serving }
    }

    pub(crate) fn maps(&self) -> Api<ConfigMap> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    pub(crate) async fn create_objects(&self, count: usize) {
        for number in 0..count {
            let mut map = ConfigMap::default();
            map.metadata.name = Some(format!("object-{number}"));
            map.metadata.labels = Some([("failover".to_owned(), "object".to_owned())].into());
            map.data = Some([("want".to_owned(), "the beginning".to_owned())].into());
            self.maps().create(&PostParams::default(), &map).await.unwrap();
        }
    }

    /// Wants something else of every object, and waits until it is so.
    pub(crate) async fn converges(&self) {
        let (maps, of_ours) = (self.maps(), ListParams::default().labels("failover=object"));
        for map in maps.list(&of_ours).await.unwrap() {
            let want = Patch::Merge(serde_json::json!({"data": {"want": "the end"}}));
            maps.patch(&map.name_any(), &PatchParams::default(), &want).await.unwrap();
        }
        let begun = Instant::now();
        while maps.list(&of_ours).await.unwrap().iter().any(|map| value(map, "have") != Some("the end")) {
            assert!(begun.elapsed() < Duration::from_secs(20), "an object did not converge");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// What an object says.
pub(crate) fn value<'a>(map: &'a ConfigMap, key: &str) -> Option<&'a str> {
    map.data.as_ref()?.get(key).map(String::as_str)
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if self._serving.is_some() {
            let _ = std::fs::remove_file(&self.kubeconfig);
        }
    }
}
