//! A controller and a store, as a program written for kube has them, printed line by line.
//!
//! It prints `set NAME VALUE` for each config map of a namespace that is added or changed (VALUE is its data under "k"),
//! `gone NAME` and once `synced`, and its controller writes each VALUE back under "seen". Its cluster is the one that
//! `KUBECONFIG` names; its only argument is the namespace. The end of its input ends it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, Patch, PatchParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::watcher::{self, Event};
use kube::runtime::{WatchStreamExt, watcher as watch};
use kube::{Client, ResourceExt};
use tokio::io::AsyncReadExt;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let namespace = std::env::args().nth(1).ok_or("one argument is needed: the namespace")?;
    let config_maps: Api<ConfigMap> = Api::namespaced(Client::try_default().await?, &namespace);
    let printing = tokio::spawn(print_changes(config_maps.clone()));
    let controlling = tokio::spawn(control(config_maps));
    let mut nothing = Vec::new();
    tokio::io::stdin().read_to_end(&mut nothing).await?;
    printing.abort();
    controlling.abort();
    Ok(())
}

/// Prints what changes. What a new list no longer has is gone.
async fn print_changes(config_maps: Api<ConfigMap>) {
    let mut events = watch(config_maps, watcher::Config::default()).default_backoff().boxed();
    let (mut known, mut listed) = (BTreeMap::new(), BTreeMap::new());
    loop {
        match events.try_next().await {
            Ok(Some(Event::Init)) => listed.clear(),
            Ok(Some(Event::InitApply(object))) => drop(listed.insert(object.name_any(), value(&object))),
            Ok(Some(Event::InitDone)) => {
                for name in known.keys().filter(|name| !listed.contains_key(*name)) {
                    println!("gone {name}");
                }
                for (name, value) in listed.iter().filter(|(name, value)| known.get(*name) != Some(*value)) {
                    println!("set {name} {value}");
                }
                known = std::mem::take(&mut listed);
                println!("synced");
            }
            Ok(Some(Event::Apply(object))) => {
                println!("set {} {}", object.name_any(), value(&object));
                known.insert(object.name_any(), value(&object));
            }
            Ok(Some(Event::Delete(object))) => {
                println!("gone {}", object.name_any());
                known.remove(&object.name_any());
            }
            Ok(None) => return,
            Err(error) => eprintln!("{error}"),
        }
    }
}

async fn control(config_maps: Api<ConfigMap>) {
    Controller::new(config_maps.clone(), watcher::Config::default())
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(200)), Arc::new(config_maps))
        .for_each(|done| async move {
            if let Err(error) = done {
                eprintln!("{error}");
            }
        })
        .await;
}

async fn reconcile(object: Arc<ConfigMap>, config_maps: Arc<Api<ConfigMap>>) -> Result<Action, kube::Error> {
    let data = object.data.clone().unwrap_or_default();
    if data.get("k") != data.get("seen") {
        let patch = serde_json::json!({"data": {"seen": value(&object)}});
        config_maps.patch(&object.name_any(), &PatchParams::default(), &Patch::Merge(patch)).await?;
    }
    Ok(Action::await_change())
}

fn value(object: &ConfigMap) -> String {
    object.data.as_ref().and_then(|data| data.get("k")).cloned().unwrap_or_default()
}
