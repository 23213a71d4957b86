//! 7. Finalizer: clean up outside the cluster before an object goes.
//!
//! A delete may be missed while a program is down; an object with a finalizer waits for it. Here each ConfigMap has a
//! bucket in some storage, which nothing in the cluster would remove.
//!
//! ```console
//! $ cargo run -p course 07_finalizer
//! buckets: ["photos"], finalizers: ["course.example.com/bucket"]
//! buckets: []
//! ```

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, DeleteParams, Patch, PatchParams};
use pintle::runtime::controller::{Action, Controller};
use pintle::runtime::finalizer::{Error, Event, finalizer};
use pintle::runtime::{wait::await_condition, wait::conditions, watcher};
use pintle::{Client, ResourceExt};
use serde_json::json;

struct Storage {
    client: Client,
    buckets: Mutex<BTreeSet<String>>,
}

impl Storage {
    fn list(&self) -> Vec<String> {
        self.buckets.lock().expect("nobody panics with it").iter().cloned().collect()
    }
}

#[tokio::main]
pub async fn main() -> anyhow::Result<()> {
    let client = Client::try_default().await?;
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let storage = Arc::new(Storage { client, buckets: Mutex::default() });
    let controller = Controller::new(maps.clone(), watcher::Config::default().labels("course=07"));
    let running = controller.run(reconcile, |_, _, _| Action::backoff(), Arc::clone(&storage));
    tokio::spawn(running.for_each(async |_| ()));

    let metadata = json!({"name": "photos", "labels": {"course": "07"}});
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
    maps.patch("photos", &PatchParams::apply("course"), &Patch::Apply(map)).await?;
    let is_made = |map: Option<&ConfigMap>| map.is_some_and(|map| map.annotations().contains_key("bucket"));
    let made = await_condition(maps.clone(), "photos", is_made).await?.expect("it is there");
    println!("buckets: {:?}, finalizers: {:?}", storage.list(), made.finalizers());

    maps.delete("photos", &DeleteParams::default()).await?;
    await_condition(maps, "photos", conditions::is_deleted(&made.uid().unwrap_or_default())).await?;
    println!("buckets: {:?}", storage.list());
    Ok(())
}

async fn reconcile(map: Arc<ConfigMap>, storage: Arc<Storage>) -> Result<Action, Error<pintle::Error>> {
    let maps: Api<ConfigMap> = Api::namespaced(storage.client.clone(), &map.namespace().unwrap_or_default());
    finalizer(&maps, "course.example.com/bucket", map, |event| async {
        let buckets = || storage.buckets.lock().expect("nobody panics with it");
        match event {
            // The finalizer is on the object before this runs for the first time.
            Event::Apply(map) => {
                buckets().insert(map.name_any());
                let patch = Patch::Merge(json!({"metadata": {"annotations": {"bucket": map.name_any()}}}));
                maps.patch(&map.name_any(), &PatchParams::default(), &patch).await?;
            }
            // It is taken off after this has succeeded. Until then the object stays, and this is tried again.
            Event::Cleanup(map) => drop(buckets().remove(&map.name_any())),
        }
        Ok(Action::await_change())
    })
    .await
}
