//! 9. Kinds that others define: without types, with the fields you need, and with types made from their definition.
//!
//! `crds/backup.json` is somebody else's definition, and `src/backup.rs` its types: `pintle types -f crds/backup.json
//! -o src/backup.rs`.
//!
//! ```console
//! $ cargo run -p course 09_third_party_kinds
//! dynamic: "photos" kept 7 days
//! some fields: JustTheVolume { volume: "photos" }
//! generated: BackupSpec { keep_days: 7, volume: "music" }
//! ```

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle::Client;
use pintle::api::{Api, DeleteParams, DynamicObject, PostParams};
use pintle::core::{GroupVersionKind, Object};
use pintle::discovery::pinned_kind;
use pintle::manager::definitions::install;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[rustfmt::skip]
mod backup;
use backup::v1::{Backup, BackupSpec};

/// The part of the spec that this program needs. An object that is read and replaced through it loses the other fields.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct JustTheVolume {
    volume: String,
}

#[tokio::main]
pub async fn main() -> anyhow::Result<()> {
    let client = Client::try_default().await?;
    let definition: CustomResourceDefinition = serde_json::from_str(include_str!("../crds/backup.json"))?;
    install(client.clone(), [definition]).await?;

    // Without types: discovery says what the kind is called in paths, and each field is looked up when it is read.
    let kind = GroupVersionKind::gvk("vendor.example.com", "v1", "Backup");
    let (resource, _) = pinned_kind(&client, &kind).await?;
    let dynamic: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &resource);
    let nightly = DynamicObject::new("nightly", &resource).data(json!({"spec": {"volume": "photos"}}));
    let made = dynamic.create(&PostParams::default(), &nightly).await?;
    println!("dynamic: {} kept {} days", made.data["spec"]["volume"], made.data["spec"]["keepDays"]);

    // With the fields you need: the kind is still known only at run time, spec and status have types.
    let some: Api<Object<JustTheVolume, serde_json::Value>> = Api::default_namespaced_with(client.clone(), &resource);
    println!("some fields: {:?}", some.get("nightly").await?.spec);

    // With types made from the definition: everything is known to the compiler, defaults included.
    let backups: Api<Backup> = Api::default_namespaced(client);
    let weekly = Backup::new("weekly", BackupSpec { volume: "music".to_owned(), ..BackupSpec::default() });
    println!("generated: {:?}", backups.create(&PostParams::default(), &weekly).await?.spec);

    for name in ["nightly", "weekly"] {
        backups.delete(name, &DeleteParams::default()).await?;
    }
    Ok(())
}
