//! 14. The whole operator: a kind, what it owns, its status, a lease, probes and metrics, started and stopped in order.
//!
//! `pintle new` makes a project like this, with tests, manifests and a Dockerfile.
//!
//! ```console
//! $ cargo run -p course 14_the_whole_operator
//! Hello, world!
//! Hello, moon!
//! stopped
//! ```

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, DeleteParams, Patch, PatchParams};
use pintle::manager::{Manager, definitions::install};
use pintle::runtime::{apply_if_changed, apply_status_if_changed, controller::Action, wait::await_condition, watcher};
use pintle::{Client, CustomResource, CustomResourceExt, Resource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "course.example.com", version = "v1", kind = "Greeting", namespaced, status = "GreetingStatus")]
struct GreetingSpec {
    name: String,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
struct GreetingStatus {
    text: String,
}

#[tokio::main]
pub async fn main() -> anyhow::Result<()> {
    let client = Client::try_default().await?;
    install(client.clone(), [Greeting::crd()]).await?;
    let builder = Manager::builder(client.clone()).lease(client.default_namespace(), "course-greeter");
    let manager = builder.health("127.0.0.1:0".parse()?).metrics("127.0.0.1:0".parse()?).build();
    let greetings = manager
        .controller(Api::<Greeting>::all(client.clone()), watcher::Config::default())
        .owns(Api::<ConfigMap>::all(client.clone()), watcher::Config::default())
        .run(reconcile, |_, _, _| Action::backoff(), Arc::new(client.clone()));
    manager.add_controller(greetings);
    // `run()` goes on until SIGTERM; this ends when its user is content.
    manager.run_until(async { user(client).await.expect("the user is content") }).await?;
    println!("stopped");
    Ok(())
}

async fn user(client: Client) -> anyhow::Result<()> {
    let greetings: Api<Greeting> = Api::default_namespaced(client.clone());
    for (name, text) in [("world", "Hello, world!"), ("moon", "Hello, moon!")] {
        let greeting = Greeting::new("course", GreetingSpec { name: name.to_owned() });
        greetings.patch("course", &PatchParams::apply("user"), &Patch::Apply(greeting)).await?;
        let is_done = |it: Option<&Greeting>| it.and_then(|it| it.status.as_ref()).is_some_and(|it| it.text == text);
        await_condition(greetings.clone(), "course", is_done).await?;
        let map = Api::<ConfigMap>::default_namespaced(client.clone()).get("course-greeting").await?;
        println!("{}", map.data.unwrap_or_default()["text"]);
    }
    greetings.delete("course", &DeleteParams::default()).await?;
    Ok(())
}

async fn reconcile(greeting: Arc<Greeting>, client: Arc<Client>) -> pintle::Result<Action> {
    let (namespace, client) = (greeting.namespace().unwrap_or_default(), Client::clone(&client));
    let maps = Api::<ConfigMap>::namespaced(client.clone(), &namespace);
    let (name, text) = (format!("{}-greeting", greeting.name_any()), format!("Hello, {}!", greeting.spec.name));
    let metadata = json!({"name": name, "ownerReferences": [greeting.controller_owner_ref(&())]});
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"text": text}});
    let params = PatchParams::apply("greeter").force();
    apply_if_changed(&maps, &name, &params, maps.get_opt(&name).await?.as_ref(), &map).await?;
    let status = json!({"apiVersion": "course.example.com/v1", "kind": "Greeting", "status": {"text": text}});
    let greetings = Api::<Greeting>::namespaced(client, &namespace);
    apply_status_if_changed(&greetings, &greeting.name_any(), &params, Some(&greeting), &status).await?;
    Ok(Action::await_change())
}
