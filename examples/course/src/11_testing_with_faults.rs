//! 11. Testing with faults: a controller on a server in this process, while everything that can break does.
//!
//! `Server::new()` is a Kubernetes API without a port, a file or a cluster. In a test this is a `#[tokio::test]`; with
//! `start_paused = true` all the waiting takes no time.
//!
//! ```console
//! $ cargo run -p course 11_testing_with_faults
//! 5 maps, 5 secrets
//! creates whose answer was lost: 2
//! first lists that were refused: 1
//! watches that broke: 1
//! reads that were stale: 1
//! ```

use std::sync::Arc;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use pintle::api::{Api, ListParams, PostParams};
use pintle::runtime::controller::{Action, Controller};
use pintle::runtime::wait::{await_condition, conditions};
use pintle::runtime::watcher;
use pintle::testing::{Fault, Requests, Server, ServerExt};
use pintle::{Client, Resource, ResourceExt};
use serde_json::json;

#[tokio::main(flavor = "current_thread", start_paused = true)]
pub async fn main() -> anyhow::Result<()> {
    let server = Server::new();
    let faults = [
        (
            "creates whose answer was lost",
            server.fault(Requests::creates().of("secrets").times(2), Fault::LostResponse),
        ),
        (
            "first lists that were refused",
            server.fault(Requests::lists().of("configmaps").times(1), Fault::forbidden()),
        ),
        ("watches that broke", server.fault(Requests::watches().of("configmaps").times(1), Fault::Break { after: 1 })),
        ("reads that were stale", server.fault(Requests::gets().of("secrets").times(1), Fault::Stale { behind: 1 })),
    ];
    let running = tokio::spawn(controller(server.client()));

    let names = ["a", "b", "c", "d", "e"];
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    for name in names {
        let map = serde_json::from_value(json!({"metadata": {"name": name}}))?;
        maps.create(&PostParams::default(), &map).await?;
    }
    let secrets: Api<Secret> = Api::default_namespaced(server.client());
    for name in names {
        await_condition(secrets.clone(), name, conditions::is_created()).await?;
    }
    running.abort();

    println!("{} maps, {} secrets", names.len(), secrets.list(&ListParams::default()).await?.items.len());
    for (what, rule) in faults {
        assert!(rule.fired() > 0, "{what}: none");
        println!("{what}: {}", rule.fired());
    }
    Ok(())
}

/// Gives each ConfigMap a Secret of its name.
async fn controller(client: Client) {
    let controller = Controller::new(Api::<ConfigMap>::default_namespaced(client.clone()), watcher::Config::default());
    controller.run(reconcile, |_, _, _| Action::backoff(), Arc::new(client)).for_each(async |_| ()).await;
}

async fn reconcile(map: Arc<ConfigMap>, client: Arc<Client>) -> pintle::Result<Action> {
    let secrets: Api<Secret> = Api::namespaced(Client::clone(&client), &map.namespace().unwrap_or_default());
    if secrets.get_opt(&map.name_any()).await?.is_none() {
        let metadata = json!({"name": map.name_any(), "ownerReferences": [map.controller_owner_ref(&())]});
        let secret = serde_json::from_value(json!({"metadata": metadata})).expect("it is a Secret");
        secrets.create_if_absent(&PostParams::default(), &secret).await?;
    }
    Ok(Action::await_change())
}
