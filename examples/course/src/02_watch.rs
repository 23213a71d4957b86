//! 2. Watch: what is there, then each change, for as long as you listen.
//!
//! A round begins with `Init`, has an `InitApply` for each object and ends with `InitDone`; after it come `Apply` and
//! `Delete`. A watch that breaks is opened again where it stopped. If the server has forgotten that version, another
//! round begins, so that nothing is missed.
//!
//! ```console
//! $ cargo run -p course 02_watch
//! Init
//! InitApply(first)
//! InitDone
//! Apply(second)
//! Delete(first)
//! Delete(second)
//! ```

use std::pin::pin;

use futures::TryStreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::Client;
use pintle::api::{Api, DeleteParams, Patch, PatchParams};
use pintle::runtime::watcher::{self, Event, watcher};
use serde_json::json;

#[tokio::main]
pub async fn main() -> anyhow::Result<()> {
    let maps: Api<ConfigMap> = Api::default_namespaced(Client::try_default().await?);
    write(&maps, "first", "one").await?;

    let config = watcher::Config::default().labels("course=02");
    let mut events = pin!(watcher(maps.clone(), config));
    while let Some(event) = events.try_next().await? {
        println!("{event}");
        match event {
            Event::Init | Event::InitApply(_) => {}
            Event::InitDone => write(&maps, "second", "two").await?,
            Event::Apply(map) if map.metadata.name.as_deref() == Some("second") => {
                maps.delete("first", &DeleteParams::default()).await?;
            }
            Event::Apply(_) => {}
            Event::Delete(map) if map.metadata.name.as_deref() == Some("first") => {
                maps.delete("second", &DeleteParams::default()).await?;
            }
            Event::Delete(_) => break,
        }
    }
    Ok(())
}

async fn write(maps: &Api<ConfigMap>, name: &str, text: &str) -> pintle::Result<()> {
    let map = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "labels": {"course": "02"}}, "data": {"text": text},
    });
    maps.patch(name, &PatchParams::apply("course"), &Patch::Apply(map)).await?;
    Ok(())
}
