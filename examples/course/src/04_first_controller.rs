//! 4. A first controller: a function that is called for each object, now and whenever it changes.
//!
//! The reconciler does not learn what happened. It looks at what is and makes it what it should be, so calling it twice
//! does no harm: the second time there is nothing to do. Its own write is a change, too, and wakes it once more.
//!
//! ```console
//! $ cargo run -p course 04_first_controller
//! shouting HELLO
//! nothing to do
//! say: hello, shout: HELLO
//! ```

use std::sync::Arc;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, DeleteParams, Patch, PatchParams};
use pintle::runtime::controller::{Action, Controller};
use pintle::runtime::watcher;
use pintle::{Client, ResourceExt};
use serde_json::json;

#[tokio::main]
pub async fn main() -> anyhow::Result<()> {
    let client = Client::try_default().await?;
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let map = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "echo", "labels": {"course": "04"}}, "data": {"say": "hello"},
    });
    maps.patch("echo", &PatchParams::apply("course"), &Patch::Apply(map)).await?;

    // A real controller runs forever; this one ends after two reconciles.
    Controller::new(maps.clone(), watcher::Config::default().labels("course=04"))
        .run(reconcile, error_policy, Arc::new(client))
        .take(2)
        .for_each(async |result| drop(result.inspect_err(|error| println!("{error}"))))
        .await;

    let data = maps.get("echo").await?.data.unwrap_or_default();
    println!("say: {}, shout: {}", data["say"], data["shout"]);
    maps.delete("echo", &DeleteParams::default()).await?;
    Ok(())
}

async fn reconcile(map: Arc<ConfigMap>, client: Arc<Client>) -> pintle::Result<Action> {
    let text = |key: &str| map.data.as_ref().and_then(|data| data.get(key)).cloned().unwrap_or_default();
    let wanted = text("say").to_uppercase();
    if text("shout") == wanted {
        println!("nothing to do");
    } else {
        println!("shouting {wanted}");
        let maps: Api<ConfigMap> = Api::namespaced(Client::clone(&client), &map.namespace().unwrap_or_default());
        let patch = Patch::Merge(json!({"data": {"shout": wanted}}));
        maps.patch(&map.name_any(), &PatchParams::default(), &patch).await?;
    }
    // Until it changes. `Action::requeue(duration)` looks again after a while, even if it does not.
    Ok(Action::await_change())
}

/// What to do about an object whose reconcile failed: try again, after a delay that grows with each failure.
fn error_policy(_: Arc<ConfigMap>, _: &pintle::Error, _: Arc<Client>) -> Action {
    Action::backoff()
}
