//! 6. References by index: objects name a Secret; when it changes, those that name it are reconciled, and no others.
//!
//! The controller's store has an index from a Secret's name to the objects that use it: a change costs one look-up,
//! however many objects there are.
//!
//! ```console
//! $ cargo run -p course 06_references_by_index
//! shop has a pin of 4 digits
//! till has a pin of 4 digits
//! shop has a pin of 6 digits
//! till has a pin of 6 digits
//! ```

use std::sync::Arc;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use pintle::api::{Api, DeleteParams, ListParams, Patch, PatchParams};
use pintle::runtime::controller::{Action, Controller};
use pintle::runtime::reflector::ObjectRef;
use pintle::runtime::{wait::await_condition, watcher};
use pintle::{Client, ResourceExt};
use serde_json::json;

#[tokio::main]
pub async fn main() -> anyhow::Result<()> {
    let client = Client::try_default().await?;
    let (maps, secrets) = (Api::default_namespaced(client.clone()), Api::default_namespaced(client.clone()));
    for (name, secret) in [("shop", "bank"), ("till", "bank"), ("mail", "post")] {
        let metadata = json!({"name": name, "labels": {"course": "06"}, "annotations": {"secret": secret}});
        let app = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
        maps.patch(name, &PatchParams::apply("course"), &Patch::Apply(app)).await?;
    }

    let controller = Controller::new(maps.clone(), watcher::Config::default().labels("course=06"));
    let store = controller.store();
    store.add_index("secret", |map: &ConfigMap| map.annotations().get("secret").cloned())?;
    let users = move |secret: Secret| {
        let users = store.by_index("secret", &secret.name_any()).unwrap_or_default();
        users.iter().map(|map| ObjectRef::from_obj(&**map)).collect::<Vec<_>>()
    };
    let running = controller.watches(secrets.clone(), watcher::Config::default().labels("course=06"), users).run(
        reconcile,
        |_, _, _| Action::backoff(),
        Arc::new(client),
    );
    tokio::spawn(running.for_each(async |_| ()));

    for pin in ["1234", "123456"] {
        let metadata = json!({"name": "bank", "labels": {"course": "06"}});
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"pin": pin}});
        secrets.patch("bank", &PatchParams::apply("course"), &Patch::Apply(secret)).await?;
        for name in ["shop", "till"] {
            let digits = pin.len().to_string();
            let has_it =
                |map: Option<&ConfigMap>| map.is_some_and(|it| it.annotations().get("digits") == Some(&digits));
            await_condition(maps.clone(), name, has_it).await?;
            println!("{name} has a pin of {digits} digits");
        }
    }

    let ours = ListParams::default().labels("course=06");
    maps.delete_collection(&DeleteParams::default(), &ours).await?;
    secrets.delete_collection(&DeleteParams::default(), &ours).await?;
    Ok(())
}

async fn reconcile(map: Arc<ConfigMap>, client: Arc<Client>) -> pintle::Result<Action> {
    let namespace = map.namespace().unwrap_or_default();
    let secrets: Api<Secret> = Api::namespaced(Client::clone(&client), &namespace);
    if let Some(secret) = secrets.get_opt(&map.annotations()["secret"]).await? {
        let digits = secret.data.unwrap_or_default().remove("pin").map_or(0, |pin| pin.0.len());
        let patch = json!({"metadata": {"annotations": {"digits": digits.to_string()}}});
        let maps: Api<ConfigMap> = Api::namespaced(Client::clone(&client), &namespace);
        maps.patch(&map.name_any(), &PatchParams::default(), &Patch::Merge(patch)).await?;
    }
    // A Secret that is not there wakes its users when it comes: there is nothing to try again.
    Ok(Action::await_change())
}
