//! 10. Errors and backoff: which failures to try again, which not, and who hears of them.
//!
//! An error goes to the error policy, which asks for a backoff: a delay for this object alone that doubles with each
//! failure in a row. An error that wraps `TerminalError` is not tried again until the object changes.
//!
//! ```console
//! $ cargo run -p course 10_errors_and_backoff
//! failure 1 of lock, refused by the server: true
//! failure 2 of lock, refused by the server: true
//! failure 3 of lock, refused by the server: true
//! unlocked
//! failure 1 of lock, refused by the server: false
//! ```

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use pintle::api::{Api, DeleteParams, ListParams, Patch, PatchParams};
use pintle::runtime::controller::{Action, Config, Controller, Failure, Handlers, TerminalError};
use pintle::runtime::watcher;
use pintle::{Client, ErrorKind, ResourceExt};
use serde_json::json;

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("the Secret cannot be read: {0}")]
    Secret(#[from] pintle::Error),
    #[error("not valid: {0}")]
    Invalid(#[source] TerminalError),
}

#[tokio::main]
pub async fn main() -> anyhow::Result<()> {
    let client = Client::try_default().await?;
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    write(&maps, json!({"secret": "course-key"})).await?;

    let mut results = Controller::new(maps.clone(), watcher::Config::default().labels("course=10"))
        .with_config(Config::default().backoff(Duration::from_millis(20), Duration::from_secs(1)))
        .run_with(Handlers::new(reconcile).on_error(failed), Arc::new(client.clone()))
        .boxed();
    let secrets: Api<Secret> = Api::default_namespaced(client);
    results.by_ref().take(3).for_each(async |_| ()).await;
    let key = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "course-key"}});
    secrets.patch("course-key", &PatchParams::apply("course"), &Patch::Apply(key)).await?;
    results.next().await;
    write(&maps, json!({"secret": ""})).await?;
    results.next().await;

    maps.delete_collection(&DeleteParams::default(), &ListParams::default().labels("course=10")).await?;
    secrets.delete("course-key", &DeleteParams::default()).await?;
    Ok(())
}

async fn write(maps: &Api<ConfigMap>, data: serde_json::Value) -> pintle::Result<()> {
    let metadata = json!({"name": "lock", "labels": {"course": "10"}});
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data});
    maps.patch("lock", &PatchParams::apply("course"), &Patch::Apply(map)).await.map(drop)
}

async fn reconcile(map: Arc<ConfigMap>, client: Arc<Client>) -> Result<Action, Error> {
    let name = map.data.clone().unwrap_or_default().remove("secret").unwrap_or_default();
    if name.is_empty() {
        return Err(Error::Invalid(TerminalError::new("data.secret is empty")));
    }
    Api::<Secret>::namespaced(Client::clone(&client), &map.namespace().unwrap_or_default()).get(&name).await?;
    println!("unlocked");
    Ok(Action::await_change())
}

async fn failed(failure: Failure<'_, ConfigMap, Error>, _: Arc<Client>) -> Action {
    // What can be done about an error is its kind, whatever broke: see `ErrorKind`.
    let refused = matches!(failure.error, Error::Secret(error) if error.kind() == ErrorKind::Refused);
    println!("failure {} of {}, refused by the server: {refused}", failure.attempt, failure.object.name_any());
    Action::backoff()
}
