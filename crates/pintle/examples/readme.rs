//! Gives each Deployment a Service of the same name, which is deleted with it.
use futures::StreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};
use pintle::api::{Api, ObjectMeta};
use pintle::runtime::{Controller, controller::Action, watcher};
use pintle::{Client, Resource, ResourceExt};
use std::sync::Arc;

/// Called for each Deployment: at the start, and whenever it or its Service changes.
async fn reconcile(deployment: Arc<Deployment>, client: Arc<Client>) -> pintle::Result<Action> {
    let metadata = ObjectMeta {
        name: Some(deployment.name_any()),
        owner_references: deployment.controller_owner_ref(&()).map(|owner| vec![owner]),
        ..ObjectMeta::default()
    };
    let spec = ServiceSpec {
        selector: deployment.spec.selector.match_labels.clone(),
        ports: Some(vec![ServicePort { port: 80, ..ServicePort::default() }]),
        ..ServiceSpec::default()
    };
    let service = Service { metadata, spec: Some(spec), ..Service::default() };
    // Server-side apply creates the Service, or changes what differs.
    let services = Api::<Service>::namespaced(Client::clone(&client), &deployment.namespace().unwrap_or_default());
    services.apply("service-for-deployment", &service).await?;
    Ok(Action::await_change())
}

pub(crate) async fn run(client: Client) {
    let deployments = Api::<Deployment>::default_namespaced(client.clone());
    let services = Api::<Service>::default_namespaced(client.clone());
    Controller::new(deployments, watcher::Config::default())
        .owns(services, watcher::Config::default())
        .shutdown_on_signal()
        .run(reconcile, |_, _, _| Action::backoff(), Arc::new(client))
        .for_each(async |_| ())
        .await;
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Pintle logs what goes wrong: an unreachable server, a missing role, a failing reconcile.
    tracing_subscriber::fmt().init();
    run(Client::try_default().await?).await;
    Ok(())
}
