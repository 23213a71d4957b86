//! What a story runs on: a server in this process, or a namespace of a real cluster.

use std::future::Future;
use std::path::PathBuf;
use std::time::Duration;

use k8s_openapi::api::core::v1::{Namespace, ServiceAccount};
use pintle::api::{Api, DeleteParams, PostParams};
use pintle::client::ClientBuilder;
use pintle::config::{KubeConfigOptions, Kubeconfig};
use pintle::testing::{Server, ServerExt};
use pintle::{Client, Config, ResourceExt};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::network::Network;

/// The path of the kubeconfig of a real cluster.
const KUBECONFIG: &str = "PINTLE_STORIES_KUBECONFIG";
/// An address that takes the line `compact` and answers with a line after etcd has dropped its history.
const CONTROL: &str = "PINTLE_STORIES_CONTROL";
/// Set if that cluster has no watch cache, so that compaction of etcd expires watches.
const FORGETS: &str = "PINTLE_STORIES_FORGETS";

pub(crate) enum Cluster {
    Embedded(Server),
    Real { kubeconfig: PathBuf, namespace: String },
}

impl Cluster {
    pub(crate) fn embedded() -> Self {
        Self::Embedded(Server::new())
    }

    /// The same, where roles decide who may do what; a real cluster is always so.
    pub(crate) fn with_rbac() -> Self {
        Self::Embedded(Server::builder().rbac().build())
    }

    /// A new namespace of the real cluster that the environment names. Time runs from here on: real answers take real time.
    pub(crate) fn from_environment() -> Option<Self> {
        let kubeconfig = PathBuf::from(std::env::var_os(KUBECONFIG)?);
        let config = config_for(&kubeconfig, "default");
        let namespace = block_on_thread(async move {
            let client = Client::try_from(config.await).unwrap();
            let namespaces: Api<Namespace> = Api::all(client.clone());
            let mut story = Namespace::default();
            story.metadata.generate_name = Some("story-".to_owned());
            let created = namespaces.create(&PostParams::default(), &story).await;
            let namespace = created.expect("a namespace can be made").name_any();
            wait_for_service_account(&Api::namespaced(client, &namespace)).await;
            namespace
        });
        if is_time_paused() {
            tokio::time::resume();
        }
        Some(Self::Real { kubeconfig, namespace })
    }

    /// A client behind `network`.
    pub(crate) fn client(&self, network: &Network) -> Client {
        match self {
            Self::Embedded(server) => ClientBuilder::new(server.clone(), "default").with_layer(network).build(),
            Self::Real { kubeconfig, namespace } => {
                let config = block_on_thread(config_for(kubeconfig, namespace));
                ClientBuilder::try_from(config).expect("the config makes a client").with_layer(network).build()
            }
        }
    }

    /// A client of somebody else.
    pub(crate) fn client_as(&self, user: &str) -> Client {
        match self {
            Self::Embedded(server) => server.client_as(user),
            Self::Real { kubeconfig, namespace } => {
                let mut config = block_on_thread(config_for(kubeconfig, namespace));
                config.auth_info.impersonate = Some(user.to_owned());
                Client::try_from(config).expect("the config makes a client")
            }
        }
    }

    /// The server in this process.
    pub(crate) fn server(&self) -> &Server {
        match self {
            Self::Embedded(server) => server,
            Self::Real { .. } => panic!("only an embedded server has faults: start the story with World::embedded"),
        }
    }

    pub(crate) async fn expire_history(&self) {
        match self {
            Self::Embedded(server) => server.expire_history(),
            Self::Real { .. } => {
                let address =
                    std::env::var(CONTROL).expect("a story expires history, so PINTLE_STORIES_CONTROL is set");
                let mut control = BufReader::new(TcpStream::connect(address).await.unwrap());
                control.write_all(b"compact\n").await.unwrap();
                let mut answer = String::new();
                control.read_line(&mut answer).await.unwrap();
                assert!(answer.starts_with("compacted "), "{answer:?}");
            }
        }
    }

    pub(crate) fn is_real(&self) -> bool {
        matches!(self, Self::Real { .. })
    }

    pub(crate) fn forgets(&self) -> bool {
        matches!(self, Self::Embedded(_)) || std::env::var_os(FORGETS).is_some()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Self::Real { kubeconfig, namespace } = self {
            let (config, namespace) = (config_for(kubeconfig, "default"), namespace.clone());
            block_on_thread(async move {
                let namespaces: Api<Namespace> = Api::all(Client::try_from(config.await).unwrap());
                // A leftover namespace does not disturb the next story.
                drop(namespaces.delete(&namespace, &DeleteParams::default()).await);
            });
        }
    }
}

fn config_for(kubeconfig: &std::path::Path, namespace: &str) -> impl Future<Output = Config> + Send + use<> {
    let (kubeconfig, namespace) = (kubeconfig.to_owned(), namespace.to_owned());
    async move {
        let file = Kubeconfig::read_from(kubeconfig).expect("the kubeconfig can be read");
        let mut config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.unwrap();
        config.default_namespace = namespace;
        config
    }
}

/// Waits until pods can be created in a namespace, which needs its default service account.
async fn wait_for_service_account(accounts: &Api<ServiceAccount>) {
    let waiting = async {
        while accounts.get_opt("default").await.expect("accounts can be read").is_none() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting).await.expect("a namespace gets its account within a minute");
}

/// Whether time is paused. It already runs for the second world of a story.
fn is_time_paused() -> bool {
    let before = tokio::time::Instant::now();
    std::thread::sleep(Duration::from_millis(1));
    before.elapsed().is_zero()
}

/// Runs `work` to its end on another thread, so that a world can be created and dropped outside of async code.
fn block_on_thread<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    let run = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work);
    std::thread::spawn(run).join().expect("the thread does not panic")
}
