//! The shortest complete operator: two controllers, a lease, probes, metrics, and a webhook whose certificate it keeps.
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{Api, Patch, PatchParams};
use kube::core::{NamespaceResourceScope as Namespaced, Resource, ResourceExt, admission::AdmissionRequest};
use kube::manager::webhook::{Decision, Server, Webhooks};
use kube::manager::{Manager, certificates::ManagedCertificate};
use kube::{Client, runtime::controller::Action};
use serde::de::DeserializeOwned;
use std::sync::Arc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let listen = |default: &str| std::env::var("LISTEN").as_deref().unwrap_or(default).parse();
    let client = Client::try_default().await?;
    let builder = Manager::builder(client.clone()).lease("default", "shortest");
    let manager = builder.health(listen("0.0.0.0:8081")?).metrics(listen("0.0.0.0:8080")?).build();
    let cert = ManagedCertificate::new(client.clone(), "default", "shortest").service("default", "shortest");
    manager.add_webhooks(Server::new(listen("0.0.0.0:9443")?, Webhooks::new().validating("/validate", validate), cert));
    let maps = manager.controller(Api::<ConfigMap>::all(client.clone()), Default::default());
    manager.add_controller(maps.run(label, |_, _, _| Action::backoff(), Arc::new(client.clone())));
    let secrets = manager.controller(Api::<Secret>::all(client.clone()), Default::default());
    manager.add_controller(secrets.run(label, |_, _, _| Action::backoff(), Arc::new(client)));
    Ok(manager.run().await?)
}

async fn validate(request: AdmissionRequest<ConfigMap>) -> Decision {
    if request.name.starts_with("no-") { Decision::deny("names must not begin with no-") } else { Decision::allow() }
}

async fn label<K>(object: Arc<K>, client: Arc<Client>) -> Result<Action, kube::Error>
where
    K: Resource<DynamicType = (), Scope = Namespaced> + Clone + DeserializeOwned + std::fmt::Debug,
{
    let api = Api::<K>::namespaced(Client::clone(&client), &object.namespace().unwrap_or_default());
    let labels = Patch::Merge(serde_json::json!({"metadata": {"labels": {"seen": "yes"}}}));
    api.patch_metadata(&object.name_any(), &PatchParams::default(), &labels).await?;
    Ok(Action::await_change())
}
