//! How a manager is seen from outside: its metrics, its probes, and the servers that show them.
//!
//! Clusters and controllers come and go while it runs, so what is exported and checked is looked up at each question.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock, Weak};

use pintle_client::Client;
use pintle_runtime::lease::{Candidate, Standing};
use pintle_runtime::metrics::Sample;
use pintle_runtime::sharding::Shards;

use super::{Manager, Shared};
use crate::cluster::Cluster;
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

impl Observed {
    /// Shows the lease and the share of the objects, if there are such.
    pub(super) fn new(candidate: Option<&Candidate>, shards: Option<&Shards>) -> Self {
        let (registry, health) = (Registry::new(), Health::new());
        if let Some(candidate) = candidate {
            registry.add(candidate.metrics());
            health.add_lease(candidate.standing());
        }
        if let Some(shards) = shards.cloned() {
            health.add_shards(shards.clone());
            registry.add(move || shards.samples());
        }
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

impl Manager {
    /// Shows the client, the controllers and the caches of every cluster.
    pub(super) fn observe_clusters(&self) {
        let (registry, health, standing) = (self.metrics(), self.health(), self.standing());
        let clusters = Observer(Arc::downgrade(&self.shared));
        let observer = clusters.clone();
        registry.add(move || observer.of_each(samples));
        let observer = clusters.clone();
        health.add(Probe::Live, move || observer.of_each(alive));
        health.add(Probe::Ready, move || clusters.of_each(|cluster| ready(cluster, standing.as_ref())));
    }
}

/// The clusters of a manager; does not keep it alive.
#[derive(Clone)]
struct Observer(Weak<Shared>);

impl Observer {
    fn of_each<T>(&self, look: impl Fn(&Cluster) -> Vec<T>) -> Vec<T> {
        let Some(shared) = self.0.upgrade() else { return Vec::new() };
        Manager { shared }.clusters().iter().flat_map(look).collect()
    }
}

fn samples(cluster: &Cluster) -> Vec<Sample> {
    let (mut samples, controllers) = (cluster.client().metrics().samples(), cluster.controllers());
    samples.extend(controllers.iter().flat_map(|it| it.metrics.samples(&it.name)));
    samples
}

fn alive(cluster: &Cluster) -> Vec<Check> {
    cluster.controllers().into_iter().flat_map(|it| ControllerAlive::new(&it.name, it.liveness).look()).collect()
}

fn ready(cluster: &Cluster, standing: Option<&Standing>) -> Vec<Check> {
    let controllers = cluster.controllers();
    let watched: Vec<_> = controllers.iter().flat_map(|it| it.readiness.watches()).map(|it| it.kind).collect();
    let of_controllers =
        controllers.into_iter().flat_map(|it| ControllerReady::new(&it.name, it.readiness, standing.cloned()).look());
    // What controllers watch they say themselves.
    let of_caches = cluster.watches().into_iter().filter(|it| !watched.contains(&it.kind)).map(|it| {
        let (watched, place) = (it.watched(), if cluster.name().is_empty() { "" } else { "/" });
        let name = format!("cache-{}{place}{}", cluster.name(), watched.name);
        watched.problem().map_or_else(|| Check::ok(&name), |problem| Check::failed(&name, problem))
    });
    of_controllers.chain(of_caches).collect()
}
