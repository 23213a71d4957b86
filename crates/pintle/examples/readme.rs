//! Prints every ConfigMap of a namespace whenever it changes.
#![expect(clippy::print_stdout, reason = "a program may speak")]
use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::runtime::{Controller, controller::Action, watcher};
use pintle::{Api, Client, ResourceExt};
use std::{convert::Infallible, sync::Arc};

#[tokio::main]
async fn main() -> pintle::Result<()> {
    let maps: Api<ConfigMap> = Api::default_namespaced(Client::try_default().await?);
    let reconcile = async |map: Arc<ConfigMap>, _| {
        println!("{} is at version {:?}", map.name_any(), map.resource_version());
        Ok::<_, Infallible>(Action::await_change())
    };
    let controller = Controller::new(maps, watcher::Config::default()).shutdown_on_signal();
    controller.run(reconcile, |_, _, _| Action::backoff(), Arc::new(())).for_each(async |_| ()).await;
    Ok(())
}
