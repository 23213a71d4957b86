//! The programs that are measured: one source text, compiled against kube and against Pintle (`with_kube`, `with_pintle`).
//!
//! Each runs through the same history: the first list, one change of every object on the watch, and a list in which every one
//! has changed once more. They look at the name of each object and at nothing else; what is measured is the way there.

mod controller;
mod document;
mod follow;
mod owns;
mod queue;
mod reads;

use std::fmt::Debug;

use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use serde::de::DeserializeOwned;

use super::library::config::{KubeConfigOptions, Kubeconfig};
use super::library::runtime::controller::Controller;
use super::library::runtime::{WatchStreamExt, reflector, watcher};
use super::library::{Api, Client, Config, Resource, ResourceExt};
use super::{library, own_ways};
use crate::BoxError;
use crate::measure::{Figures, Meter};
use crate::objects::Kind;
use crate::road::Road;
use crate::source::{Place, Source};
use document::Document;
use reads::read_store;

/// Runs one road and says what it cost.
#[inline(never)]
pub(crate) fn run(road: Road, source: &Source) -> Result<Figures, BoxError> {
    match (road, source.kind) {
        (Road::Queue, _) => queue::by_scheduler(source.count),
        (Road::WorkQueue, _) => queue::by_controllers_queue(source.count),
        (_, Kind::Pods) => run_of::<Pod>(road, source),
        (_, Kind::ConfigMaps) => run_of::<ConfigMap>(road, source),
        (_, Kind::Documents) => run_of::<Document>(road, source),
    }
}

fn run_of<K>(road: Road, source: &Source) -> Result<Figures, BoxError>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
{
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    // kube's client wants one around it.
    let _entered = runtime.enter();
    let client = runtime.block_on(client_of(&source.place))?;
    let api = Api::<K>::all(client.clone());
    let config = watcher::Config {
        initial_list_strategy: watcher::InitialListStrategy::ListWatch,
        ..watcher::Config::default()
    };
    let meter = Meter::start(source.count)?;
    let (store, writer) = reflector::store();
    let is_filled = |_: &mut Meter| {
        assert_eq!(store.len(), source.count, "every object is held");
        Ok(())
    };
    runtime.block_on(async {
        match road {
            Road::Controller => controller::control(source, Controller::new(api, config), meter).await,
            Road::Owns => {
                let controller = Controller::new(api, config.clone()).owns(Api::<Secret>::all(client), config);
                owns::control_owners(source, controller, meter).await
            }
            Road::Watcher => follow::follow(source, watcher(api, config), meter, |_| Ok(())).await,
            Road::Reflector => {
                let read = |meter: &mut Meter| {
                    is_filled(meter)?;
                    // Only of those that are generated here the names are known.
                    if source.place.is_generated() {
                        read_store(&store, source.kind, source.count, meter)
                    } else {
                        Ok(())
                    }
                };
                follow::follow(source, reflector(writer, watcher(api, config)), meter, read).await
            }
            Road::Reflect => {
                let events = watcher(api, config).default_backoff().reflect(writer);
                follow::follow(source, events, meter, is_filled).await
            }
            Road::Modify => {
                let events = watcher(api, config).default_backoff();
                let events = events.modify(|object| object.managed_fields_mut().clear()).reflect(writer);
                follow::follow(source, events, meter, is_filled).await
            }
            Road::Queue | Road::WorkQueue => unreachable!("they have no cluster"),
        }
    })
}

async fn client_of(place: &Place) -> Result<Client, BoxError> {
    Ok(match place {
        Place::Here(cluster) => Client::new(cluster.clone(), "default"),
        Place::BehindSocket(address) => Client::try_from(Config::new(format!("http://{address}").parse()?))?,
        Place::Server(kubeconfig) => {
            let kubeconfig = Kubeconfig::read_from(kubeconfig)?;
            Client::try_from(Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?)?
        }
    })
}
