//! One manager over several clusters.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use pintle::ResourceExt;
use pintle::api::{Api, PostParams};
use pintle::manager::{Cluster, Manager};
use pintle::runtime::controller::Action;
use pintle::testing::{Fault, Requests, Server, ServerExt};
use tokio::time::sleep;

use super::{Arc, Log, Started, again};
use crate::world::{World, config_map};

/// A cluster and where it is noted what is done on it.
type Context = (Cluster, Log);

async fn reconcile(object: Arc<ConfigMap>, context: Arc<Context>) -> Result<Action, pintle::Error> {
    let (cluster, log) = context.as_ref();
    log.note(format!("{}/{}", cluster.name(), object.name_any()));
    Ok(Action::await_change())
}

async fn create(server: &Server, name: &str) {
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    maps.create(&PostParams::default(), &config_map(name)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn requests_are_keyed_by_cluster_and_one_that_is_down_stalls_no_other() {
    let (world, log) = (World::embedded(), Log::default());
    let (east, west) = (Server::new(), Server::new());
    let manager = Manager::builder(world.client.clone()).build();
    let noted = log.clone();
    manager.for_each_cluster(move |cluster| {
        let maps = Api::<ConfigMap>::default_namespaced(cluster.client());
        let controller = cluster.controller(maps, World::watching());
        controller.run(reconcile, again, Arc::new((cluster.clone(), noted.clone())))
    });
    let down = west.fault(Requests::all(), Fault::unavailable(None));
    manager.add_cluster("east", east.client()).unwrap();
    manager.add_cluster("west", west.client()).unwrap();
    for server in [world.server(), &east] {
        create(server, "a").await;
    }
    let started = Started::new(&manager);
    world.until("both have reconciled", async || log.has("/a") && log.has("east/a")).await;
    let names =
        || -> Vec<_> { manager.controllers().iter().map(|it| (it.name.clone(), it.readiness.is_ready())).collect() };
    let expected = [("configmap", true), ("east/configmap", true), ("west/configmap", false)];
    assert_eq!(names(), expected.map(|(name, is_ready)| (name.to_owned(), is_ready)));
    let west_says = manager.controllers()[2].readiness.to_string();
    assert!(west_says.contains("configmaps of v1 has no complete list yet"), "{west_says}");

    // One comes back, one goes, one is added.
    down.lift();
    create(&west, "b").await;
    world.until("west is there", async || log.has("west/b")).await;
    assert!(manager.remove_cluster("east") && !manager.remove_cluster("east"));
    sleep(Duration::from_secs(1)).await;
    create(&east, "late").await;
    let north = Server::new();
    create(&north, "c").await;
    manager.add_cluster("north", north.client()).unwrap();
    assert!(manager.add_cluster("north", north.client()).is_err() && manager.add_cluster("", north.client()).is_err());
    world.until("north is there", async || log.has("north/c")).await;
    sleep(Duration::from_secs(60)).await;
    assert!(!log.has("east/late"), "{:?}", log.lines());
    let clusters: Vec<_> = manager.clusters().iter().map(|it| it.name().to_owned()).collect();
    assert_eq!(clusters, ["", "west", "north"]);
    started.stop().await.unwrap();
}
