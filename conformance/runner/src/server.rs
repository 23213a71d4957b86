//! A server to send scripts to: real Kubernetes, the embedded one, or whatever a kubeconfig names.
//!
//! In: which, and what a script needs of it. Out: a [`Endpoint`], and a way to make it forget its history. A server that
//! was started here ends with its `Running`.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pintle_apiserver::{AdmissionPlugin, Server, Serving};
use pintle_client::config::{Config, Kubeconfig};
use pintle_real::{Options, RealServer};

use crate::endpoint::Endpoint;
use crate::script::Needs;

/// Which server is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    Kube,
    Embedded,
    Kubeconfig(PathBuf),
}

/// A server that answers.
pub(crate) struct Running {
    pub(crate) endpoint: Endpoint,
    kind: Kind,
}

enum Kind {
    Kube(Arc<RealServer>),
    Embedded(Box<(Server, Serving)>),
    /// One that was not started here.
    Given,
}

impl Running {
    /// `purpose` distinguishes real servers that run at the same time.
    pub(crate) async fn start(which: &Which, needs: Needs, purpose: &'static str) -> Result<Running, String> {
        match which {
            Which::Kube => start_kube(needs, purpose).await,
            Which::Embedded => start_embedded(needs).await,
            Which::Kubeconfig(path) => {
                let endpoint = endpoint_of(Kubeconfig::read_from(path)).map_err(|error| named(path, &error))?;
                Ok(Running { endpoint, kind: Kind::Given })
            }
        }
    }

    /// How long to wait for what it does by itself. Real Kubernetes takes seconds to collect garbage, and on a busy machine
    /// half a minute to forget a group; the embedded server takes milliseconds, and what it does not do it never does.
    pub(crate) fn patience(&self) -> Duration {
        match self.kind {
            Kind::Embedded(_) => Duration::from_secs(4),
            Kind::Kube(_) | Kind::Given => Duration::from_secs(60),
        }
    }

    /// Makes the server forget all history.
    pub(crate) async fn compact(&self) -> Result<(), String> {
        match &self.kind {
            Kind::Embedded(embedded) => {
                embedded.0.expire_history();
                Ok(())
            }
            Kind::Kube(server) => {
                let server = Arc::clone(server);
                aside(move || server.compact()).await.map(drop)
            }
            Kind::Given => Err("a server that a kubeconfig names cannot be made to forget its history; \
                                send this script to `--kube` or `--embedded`"
                .to_owned()),
        }
    }

    /// Ends a server that was started here.
    pub(crate) async fn stop(self) {
        match self.kind {
            Kind::Given => {}
            Kind::Embedded(embedded) => embedded.1.shutdown().await,
            Kind::Kube(server) => aside(|| drop(server)).await,
        }
    }
}

async fn start_embedded(needs: Needs) -> Result<Running, String> {
    let builder = Server::builder().rbac().garbage_collection(needs.controllers).namespace_defaults(needs.controllers);
    // Where no controller makes the accounts of namespaces, no pod can ask for one.
    let accounts = needs.controllers.then_some(AdmissionPlugin::ServiceAccount);
    let server = builder.enable_admission_plugins(accounts).build();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let serving = server.serve(address).await.map_err(|error| format!("the embedded server: {error}"))?;
    let endpoint = endpoint_of(Kubeconfig::from_yaml(&serving.kubeconfig()))?;
    Ok(Running { endpoint, kind: Kind::Embedded(Box::new((server, serving))) })
}

async fn start_kube(needs: Needs, purpose: &'static str) -> Result<Running, String> {
    let options = Options {
        controllers: needs.controllers,
        watch_cache: !needs.no_watch_cache,
        every_version: needs.every_version,
        ..Options::default()
    };
    let server = Arc::new(aside(move || RealServer::start(&name_of(purpose, needs), options)).await?);
    Ok(Running { endpoint: endpoint_of(Kubeconfig::read_from(server.kubeconfig()))?, kind: Kind::Kube(server) })
}

/// Waits for a process where that holds up nothing else.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.expect("it does not panic")
}

/// Distinguishes the servers of one run by purpose and settings.
fn name_of(purpose: &str, needs: Needs) -> String {
    let controllers = if needs.controllers { "controllers" } else { "alone" };
    let cache = if needs.no_watch_cache { "uncached" } else { "cached" };
    let versions = if needs.every_version { "-every-version" } else { "" };
    format!("{purpose}-{controllers}-{cache}{versions}")
}

fn endpoint_of<E: std::error::Error>(kubeconfig: Result<Kubeconfig, E>) -> Result<Endpoint, String> {
    let config = Config::try_from(kubeconfig.map_err(|error| error.to_string())?).map_err(|error| error.to_string())?;
    Endpoint::new(&config)
}

fn named(path: &Path, error: &str) -> String {
    format!("{}: {error}", path.display())
}
