//! How a manager is seen from outside: its metrics, its probes, and the servers that show them.
//!
//! Controllers come and go while it runs, so what is exported and checked is looked up at each question.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use pintle_client::Client;
use pintle_runtime::lease::Candidate;

use crate::cluster::ControllerStatus;
use crate::health::{self, Check, Checks, ControllerAlive, ControllerReady, Health, Probe};
use crate::http_server::{BindError, HttpServer, Tls};
use crate::metrics::{self, Access, Registry};
use crate::runnable::Runnable;

/// What is shown, and where.
pub(super) struct Observed {
    pub(super) registry: Registry,
    pub(super) health: Health,
    pub(super) metrics_address: Arc<OnceLock<SocketAddr>>,
    pub(super) health_address: Arc<OnceLock<SocketAddr>>,
}

/// Which servers are wanted.
#[derive(Debug, Default)]
pub(super) struct Servers {
    pub(super) health: Option<SocketAddr>,
    /// By TLS, metrics are for those whom the cluster allows it.
    pub(super) metrics: Option<(SocketAddr, Option<Tls>)>,
}

/// The controllers that there are now.
pub(super) type Controllers = Arc<dyn Fn() -> Vec<ControllerStatus> + Send + Sync>;

impl Observed {
    pub(super) fn new(client: &Client, candidate: Option<&Candidate>, controllers: &Controllers) -> Self {
        let (registry, health) = (Registry::new(), Health::new());
        registry.add(client.clone());
        let exported = Arc::clone(controllers);
        registry.add(move || {
            exported().iter().flat_map(|controller| controller.metrics.samples(&controller.name)).collect()
        });
        let standing = candidate.map(Candidate::standing);
        if let Some(candidate) = candidate {
            registry.add(candidate.metrics());
            health.add_lease(candidate.standing());
        }
        health.add(
            Probe::Live,
            each(controllers, |controller| ControllerAlive::new(&controller.name, controller.liveness.clone()).look()),
        );
        health.add(
            Probe::Ready,
            each(controllers, move |controller| {
                ControllerReady::new(&controller.name, controller.readiness.clone(), standing.clone()).look()
            }),
        );
        Self { registry, health, metrics_address: Arc::default(), health_address: Arc::default() }
    }

    /// The servers, to be run.
    pub(super) fn serve(&self, client: &Client, servers: Servers) -> Vec<Runnable> {
        let mut runnables = Vec::new();
        if let Some(address) = servers.health {
            let (endpoint, bound) = (health::Endpoint::new(self.health.clone()), Arc::clone(&self.health_address));
            runnables.push(Runnable::server("the server of probes", move |stop| async move {
                let server = listen(address, &bound, "probes are answered at http").await?;
                server.serve(endpoint, stop.requested()).await;
                Ok::<_, BindError>(())
            }));
        }
        if let Some((address, tls)) = servers.metrics {
            let (endpoint, bound) = (metrics::Endpoint::new(self.registry.clone()), Arc::clone(&self.metrics_address));
            let access = Access::new(client.clone());
            runnables.push(Runnable::server("the server of metrics", move |stop| async move {
                let Some(tls) = tls else {
                    let server = listen(address, &bound, "metrics are at http").await?;
                    server.serve(endpoint, stop.requested()).await;
                    return Ok::<_, BindError>(());
                };
                let server = listen(address, &bound, "metrics are at https").await?.tls(tls);
                server.serve(endpoint.protected_by(access), stop.requested()).await;
                Ok(())
            }));
        }
        runnables
    }
}

async fn listen(address: SocketAddr, bound: &OnceLock<SocketAddr>, what: &str) -> Result<HttpServer, BindError> {
    let server = HttpServer::bind(address).await?;
    let address = *bound.get_or_init(|| server.local_addr());
    tracing::info!("{what}://{address}");
    Ok(server)
}

/// The checks of every controller that there is when it is asked.
fn each(
    controllers: &Controllers,
    look: impl Fn(&ControllerStatus) -> Vec<Check> + Send + Sync + 'static,
) -> impl Checks {
    let controllers = Arc::clone(controllers);
    move || controllers().iter().flat_map(&look).collect::<Vec<_>>()
}
