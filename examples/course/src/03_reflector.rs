//! 3. Reflector: a store that follows a watch, so that reading costs no request.
//!
//! The stream has to be polled, here by a task: that is what fills the store. Before its first list is complete a
//! store is empty, so wait until it is ready.
//!
//! ```console
//! $ cargo run -p course 03_reflector
//! 2 objects
//! lima: "america"
//! oslo has come
//! europe: ["oslo", "paris"]
//! ```

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, DeleteParams, ListParams, Patch, PatchParams};
use pintle::runtime::reflector::{self, ObjectRef};
use pintle::runtime::{WatchStreamExt, watcher};
use pintle::{Client, ResourceExt};
use serde_json::json;

#[tokio::main]
pub async fn main() -> anyhow::Result<()> {
    let client = Client::try_default().await?;
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    write(&maps, "paris", "europe").await?;
    write(&maps, "lima", "america").await?;

    let (store, writer) = reflector::store::<ConfigMap>();
    // An index answers "which objects have this value?" without looking at each of them.
    store.add_index("continent", |map| map.data.as_ref().and_then(|data| data.get("continent").cloned()))?;
    let stream = watcher(maps.clone(), watcher::Config::default().labels("course=03"));
    let following = tokio::spawn(stream.reflect(writer).for_each(async |_| ()));
    store.wait_until_ready().await?;

    println!("{} objects", store.len());
    let lima = ObjectRef::new("lima").within(client.default_namespace());
    println!("lima: {:?}", store.get(&lima).and_then(|map| map.data.clone()).unwrap_or_default()["continent"]);

    // The changes of a store include what it has already, and end when the stream does.
    let mut changes = store.changes();
    write(&maps, "oslo", "europe").await?;
    while let Some(change) = changes.next().await {
        if change.key.name.as_ref() == "oslo" {
            println!("oslo has come");
            break;
        }
    }
    let mut names: Vec<_> = store.by_index("continent", "europe")?.iter().map(|map| map.name_any()).collect();
    names.sort();
    println!("europe: {names:?}");

    following.abort();
    maps.delete_collection(&DeleteParams::default(), &ListParams::default().labels("course=03")).await?;
    Ok(())
}

async fn write(maps: &Api<ConfigMap>, name: &str, continent: &str) -> pintle::Result<()> {
    let map = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "labels": {"course": "03"}}, "data": {"continent": continent},
    });
    maps.patch(name, &PatchParams::apply("course"), &Patch::Apply(map)).await?;
    Ok(())
}
