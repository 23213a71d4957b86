//! Prints every ConfigMap of a namespace whenever it changes, and whether there is a Secret of its name.
#![expect(clippy::print_stdout, reason = "a program may speak")]
use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use pintle::runtime::{Controller, controller::Action, watcher};
use pintle::{Api, Client, ResourceExt};
use std::sync::Arc;

#[tokio::main]
async fn main() -> Result<(), String> {
    // Pintle logs what goes wrong: a server that is not there, a missing role, a reconcile that fails.
    tracing_subscriber::fmt().init();
    let client = Client::try_default().await.map_err(|error| error.to_string())?;
    let (maps, secrets) = (Api::default_namespaced(client.clone()), Api::<Secret>::default_namespaced(client));
    let reconcile = move |map: Arc<ConfigMap>, _| {
        let secrets = secrets.clone();
        async move {
            let secret = secrets.get_opt(&map.name_any()).await?;
            println!("{} is at version {:?}, secret: {}", map.name_any(), map.resource_version(), secret.is_some());
            Ok::<_, pintle::Error>(Action::await_change())
        }
    };
    let controller = Controller::new(maps, watcher::Config::default()).shutdown_on_signal();
    controller.run(reconcile, |_, _, _| Action::backoff(), Arc::new(())).for_each(async |_| ()).await;
    Ok(())
}
