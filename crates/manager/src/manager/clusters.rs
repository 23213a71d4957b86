//! Several clusters under one manager, which come and go by name.
//!
//! What is done for every cluster is a function from a [`Cluster`] to the stream of a controller: each cluster gets a
//! controller of its own, so that a request is keyed by its cluster and its name, and one that is down stalls no other.

use std::sync::Arc;

use futures::stream::{BoxStream, Stream, StreamExt};
use pintle_client::Client;

use super::{Manager, locked};
use crate::cluster::Cluster;

/// The clusters beside the first one, and what is done for each.
#[derive(Default)]
pub(super) struct Clusters {
    named: Vec<Cluster>,
    controllers: Vec<Controllers>,
}

/// The controller of a cluster, as its stream.
type Controllers = Arc<dyn Fn(&Cluster) -> BoxStream<'static, ()> + Send + Sync>;

/// There is a cluster of this name already.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the manager has a cluster {name:?} already: names of clusters are not empty, and each is there once")]
pub struct ClusterExists {
    /// The name.
    pub name: String,
}

impl Manager {
    /// Works on one more cluster, also while the manager runs: whatever was added [for every cluster](Self::for_each_cluster)
    /// is done for it, too. Leadership is that of the manager.
    ///
    /// # Errors
    /// If there is one of that name, or the name is empty.
    pub fn add_cluster(&self, name: &str, client: Client) -> Result<Cluster, ClusterExists> {
        let (cluster, controllers) = {
            let mut clusters = locked(&self.shared.clusters);
            if name.is_empty() || clusters.named.iter().any(|other| other.name() == name) {
                return Err(ClusterExists { name: name.to_owned() });
            }
            let cluster = Cluster::new(name, client, self.terms());
            clusters.named.push(cluster.clone());
            (cluster, clusters.controllers.clone())
        };
        self.add_runnable(cluster.runnable());
        for controller in controllers {
            self.add_controller_of(&cluster, controller(&cluster));
        }
        Ok(cluster)
    }

    /// Stops working on a cluster: its controllers begin no reconcile and end when those that run have, and its watches end.
    /// Returns whether there was one of that name.
    pub fn remove_cluster(&self, name: &str) -> bool {
        let mut clusters = locked(&self.shared.clusters);
        let Some(place) = clusters.named.iter().position(|cluster| cluster.name() == name) else { return false };
        clusters.named.remove(place).remove();
        true
    }

    /// Adds the controller whose stream `controller` returns for every cluster: the one that the manager was built with, those
    /// that were added and those that will be.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use pintle_client::{Api, Client};
    /// # use pintle_manager::{Cluster, Manager};
    /// # use pintle_runtime::{controller::Action, watcher};
    /// # async fn reconcile(_: Arc<ConfigMap>, _: Arc<Cluster>) -> Result<Action, pintle_client::Error> { Ok(Action::await_change()) }
    /// # fn error_policy(_: Arc<ConfigMap>, _: &pintle_client::Error, _: Arc<Cluster>) -> Action { Action::backoff() }
    /// # fn example(manager: Manager, other: Client) -> Result<(), Box<dyn std::error::Error>> {
    /// manager.for_each_cluster(|cluster| {
    ///     let maps = cluster.controller(Api::<ConfigMap>::all(cluster.client()), watcher::Config::default());
    ///     maps.run(reconcile, error_policy, Arc::new(cluster.clone()))
    /// });
    /// manager.add_cluster("other", other)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn for_each_cluster<S>(&self, controller: impl Fn(&Cluster) -> S + Send + Sync + 'static)
    where
        S: Stream + Send + 'static,
    {
        let controller: Controllers = Arc::new(move |cluster| controller(cluster).map(drop).boxed());
        locked(&self.shared.clusters).controllers.push(Arc::clone(&controller));
        for cluster in self.clusters() {
            self.add_controller_of(&cluster, controller(&cluster));
        }
    }

    /// Its clusters, the one that it was built with first, the others in the order they were added.
    #[must_use]
    pub fn clusters(&self) -> Vec<Cluster> {
        let clusters = locked(&self.shared.clusters);
        std::iter::once(&self.shared.cluster).chain(&clusters.named).cloned().collect()
    }
}
