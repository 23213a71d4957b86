//! The `Greeting` operator as it runs in production: one ConfigMap for every `Greeting`, with a lease, probes, metrics, and a
//! validating webhook whose certificate it keeps itself.
//!
//! ```text
//!   Greeting (name) ──webhook: has it a name?──► reconcile ──► ConfigMap `<name>-greeting`, owned by the Greeting
//! ```
//!
//! `greeter --install` installs the definition first; `greeter --crd` prints it. `examples/deploy` has all that a cluster needs.

#![expect(clippy::print_stdout, reason = "the definition is printed")]

use std::net::SocketAddr;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, Patch, PatchParams};
use kube::core::admission::AdmissionRequest;
use kube::manager::Manager;
use kube::manager::certificates::ManagedCertificate;
use kube::manager::definitions::install;
use kube::manager::webhook::{Decision, Server, Webhooks};
use kube::runtime::controller::Action;
use kube::runtime::watcher;
use kube::{Client, CustomResource, CustomResourceExt, Resource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Somebody to greet.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Greeting", namespaced, status = "GreetingStatus")]
pub struct GreetingSpec {
    /// Who.
    pub name: String,
}

/// What has been done about it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GreetingStatus {
    /// The generation that the ConfigMap is of.
    pub observed_generation: Option<i64>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let asked = |flag: &str| std::env::args().any(|argument| argument == flag);
    if asked("--crd") {
        println!("{}", serde_json::to_string_pretty(&Greeting::crd())?);
        return Ok(());
    }
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let client = Client::try_default().await?;
    let namespace = std::env::var("POD_NAMESPACE").unwrap_or_else(|_| client.default_namespace().to_owned());
    if asked("--install") {
        install(client.clone(), [Greeting::crd()]).await?;
    }
    let certificate = ManagedCertificate::new(client.clone(), &namespace, "greeter-webhook")
        .service(&namespace, "greeter-webhook")
        .validating_configuration("greeter");
    let manager = Manager::builder(client.clone())
        .lease(&namespace, "greeter")
        .health(address("GREETER_HEALTH", "0.0.0.0:8081")?)
        .metrics(address("GREETER_METRICS", "0.0.0.0:8080")?)
        .build();
    let webhooks = Webhooks::new().validating("/validate", validate);
    manager.add_webhooks(Server::new(address("GREETER_WEBHOOKS", "0.0.0.0:9443")?, webhooks, certificate));
    let greetings = manager
        .controller(Api::<Greeting>::all(client.clone()), watcher::Config::default())
        .owns(Api::<ConfigMap>::all(client.clone()), watcher::Config::default())
        .run(reconcile, |_, _, _| Action::backoff(), Arc::new(client));
    manager.add_controller(greetings);
    Ok(manager.run().await?)
}

async fn validate(request: AdmissionRequest<Greeting>) -> Decision {
    match request.object {
        Some(greeting) if greeting.spec.name.trim().is_empty() => Decision::deny("spec.name is empty: whom to greet?"),
        _ => Decision::allow(),
    }
}

async fn reconcile(greeting: Arc<Greeting>, client: Arc<Client>) -> Result<Action, kube::Error> {
    let (namespace, client) = (greeting.namespace().unwrap_or_default(), Client::clone(&client));
    let name = format!("{}-greeting", greeting.name_any());
    let map = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "ownerReferences": [greeting.controller_owner_ref(&())]},
        "data": {"greeting": format!("Hello, {}!", greeting.spec.name)},
    });
    let params = PatchParams::apply("greeter").force();
    Api::<ConfigMap>::namespaced(client.clone(), &namespace).patch(&name, &params, &Patch::Apply(map)).await?;
    let status = json!({"status": {"observedGeneration": greeting.metadata.generation}});
    let greetings = Api::<Greeting>::namespaced(client, &namespace);
    greetings.patch_status(&greeting.name_any(), &PatchParams::default(), &Patch::Merge(status)).await?;
    Ok(Action::await_change())
}

/// The address that the environment names, else the default.
fn address(variable: &str, default: &str) -> Result<SocketAddr, std::net::AddrParseError> {
    std::env::var(variable).as_deref().unwrap_or(default).parse()
}
