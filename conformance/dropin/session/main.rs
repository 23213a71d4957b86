//! What users of kube do, printed line by line, without what differs by chance: `cargo xtask kube test clients` runs it on real
//! Kubernetes and on the embedded server.
//!
//! Its cluster is the one that `KUBECONFIG` names. It plays in the namespace `session-kube`, which is removed at the end.

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{
    Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams, PropagationPolicy, WatchEvent,
    WatchParams,
};
use kube::core::GroupVersionKind;
use kube::discovery::{Discovery, Scope};
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Client, CustomResource, CustomResourceExt, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

const NAMESPACE: &str = "session-kube";

type Done = Result<(), Box<dyn Error>>;

/// A kind of this program's own.
#[derive(CustomResource, Deserialize, Serialize, Clone, Debug, JsonSchema)]
#[kube(group = "session-kube.example.com", version = "v1", kind = "Crate", plural = "crates", namespaced)]
#[kube(status = "CrateStatus", scale(spec_replicas_path = ".spec.bottles", status_replicas_path = ".status.bottles"))]
struct CrateSpec {
    #[schemars(range(min = 1))]
    bottles: i32,
    label: Option<String>,
}

#[derive(Deserialize, Serialize, Clone, Debug, Default, JsonSchema)]
struct CrateStatus {
    bottles: i32,
}

#[tokio::main]
async fn main() -> Done {
    let client = Client::try_default().await?;
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let namespace = serde_json::from_value(json!({"metadata": {"name": NAMESPACE}}))?;
    namespaces.create(&PostParams::default(), &namespace).await?;
    config_maps(&client).await?;
    watched(&client).await?;
    reflected(&client).await?;
    applied(&client).await?;
    defined(&client).await?;
    discovered(&client).await?;
    namespaces.delete(NAMESPACE, &DeleteParams::default()).await?;
    let uid = namespaces.get_opt(NAMESPACE).await?.and_then(|it| it.uid()).unwrap_or_default();
    let gone = await_condition(namespaces, NAMESPACE, conditions::is_deleted(&uid));
    tokio::time::timeout(Duration::from_secs(30), gone).await??;
    println!("the namespace is gone");
    Ok(())
}

fn refused<T>(what: &str, answer: kube::Result<T>) {
    match answer {
        Ok(_) => println!("{what}: done"),
        Err(kube::Error::Api(status)) => println!("{what}: {} {}: {}", status.code, status.reason, status.message),
        Err(error) => println!("{what}: {error}"),
    }
}

fn config_map(name: &str, value: &str) -> ConfigMap {
    serde_json::from_value(json!({"metadata": {"name": name, "labels": {"of": "session"}}, "data": {"k": value}})).unwrap_or_default()
}

async fn config_maps(client: &Client) -> Done {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let made = maps.create(&PostParams::default(), &config_map("a", "1")).await?;
    println!("created {:?} {:?}", made.name_any(), made.data);
    refused("created again", maps.create(&PostParams::default(), &config_map("a", "1")).await);
    let patched = maps.patch("a", &PatchParams::default(), &Patch::Merge(json!({"data": {"l": "2"}}))).await?;
    println!("patched {:?}", patched.data);
    let mut stale = made.clone();
    stale.data = Some(BTreeMap::from([("k".to_owned(), "3".to_owned())]));
    refused("replaced by what is old", maps.replace("a", &PostParams::default(), &stale).await);
    let dry = PostParams { dry_run: true, ..PostParams::default() };
    refused("dry run", maps.create(&dry, &config_map("dry", "1")).await);
    println!("there is no trace of it: {}", maps.get_opt("dry").await?.is_none());
    for number in 0..4 {
        maps.create(&PostParams::default(), &config_map(&format!("page-{number}"), "1")).await?;
    }
    let mut page = ListParams::default().labels("of=session").limit(2);
    loop {
        let list = maps.list(&page).await?;
        println!("page {:?}", list.iter().map(ResourceExt::name_any).collect::<Vec<_>>());
        match list.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => page = page.continue_token(&token),
            None => break,
        }
    }
    let metadata = maps.list_metadata(&ListParams::default().fields("metadata.name=a")).await?;
    println!("metadata {:?}", metadata.iter().map(|it| (it.name_any(), it.labels().clone())).collect::<Vec<_>>());
    let gone = maps.delete_collection(&DeleteParams::default(), &ListParams::default().labels("of=session")).await?;
    println!("deleted {}", gone.map_left(|list| list.items.len()).left_or(0));
    Ok(())
}

async fn watched(client: &Client) -> Done {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let version = maps.list(&ListParams::default()).await?.metadata.resource_version.unwrap_or_default();
    maps.create(&PostParams::default(), &config_map("seen", "1")).await?;
    maps.patch("seen", &PatchParams::default(), &Patch::Merge(json!({"data": {"k": "2"}}))).await?;
    maps.delete("seen", &DeleteParams::default()).await?;
    let mut events = maps.watch(&WatchParams::default().timeout(20), &version).await?.boxed();
    while let Some(event) = events.try_next().await? {
        match event {
            WatchEvent::Added(it) => println!("added {} {:?}", it.name_any(), it.data),
            WatchEvent::Modified(it) => println!("modified {} {:?}", it.name_any(), it.data),
            WatchEvent::Deleted(it) => {
                println!("deleted {} {:?}", it.name_any(), it.data);
                return Ok(());
            }
            WatchEvent::Bookmark(_) => {}
            WatchEvent::Error(status) => println!("error {} {}", status.code, status.reason),
        }
    }
    Ok(())
}

async fn reflected(client: &Client) -> Done {
    let secrets: Api<Secret> = Api::namespaced(client.clone(), NAMESPACE);
    let secret = |name: &str| serde_json::from_value::<Secret>(json!({"metadata": {"name": name}, "stringData": {"k": "v"}}));
    secrets.create(&PostParams::default(), &secret("first")?).await?;
    let (reader, writer) = reflector::store();
    let stream = watcher(secrets.clone(), watcher::Config::default()).reflect(writer).applied_objects().boxed();
    let running = tokio::spawn(stream.for_each(|_| std::future::ready(())));
    reader.wait_until_ready().await?;
    println!("the store begins with {}", reader.len());
    secrets.create(&PostParams::default(), &secret("second")?).await?;
    secrets.delete("first", &DeleteParams::default()).await?;
    for _ in 0..400 {
        let names: Vec<_> = reader.state().iter().map(|it| it.name_any()).collect();
        if names == ["second"] {
            println!("the store has {names:?}");
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    running.abort();
    Ok(())
}

async fn applied(client: &Client) -> Done {
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), NAMESPACE);
    let body = |image: &str| {
        Patch::Apply(json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {
                "replicas": 2,
                "selector": {"matchLabels": {"app": "web"}},
                "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": image}]}},
            },
        }))
    };
    let made = deployments.patch("web", &PatchParams::apply("one"), &body("nginx:1")).await?;
    println!("applied {:?}", made.metadata.generation);
    refused("another manager", deployments.patch("web", &PatchParams::apply("two"), &body("nginx:2")).await);
    let forced = deployments.patch("web", &PatchParams::apply("two").force(), &body("nginx:2")).await?;
    let managers: Vec<_> = forced.managed_fields().iter().map(|it| (it.manager.clone(), it.operation.clone())).collect();
    println!("by force {:?} {managers:?}", forced.metadata.generation);
    let scale = deployments.patch_scale("web", &PatchParams::default(), &Patch::Merge(json!({"spec": {"replicas": 5}}))).await?;
    println!("scaled {:?}", scale.spec.and_then(|spec| spec.replicas));
    deployments.restart("web").await?;
    let foreground = DeleteParams { propagation_policy: Some(PropagationPolicy::Background), ..DeleteParams::default() };
    println!("deleted {}", deployments.delete("web", &foreground).await?.is_right());
    Ok(())
}

async fn defined(client: &Client) -> Done {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let name = Crate::crd_name();
    definitions.patch(name, &PatchParams::apply("session"), &Patch::Apply(Crate::crd())).await?;
    let established = await_condition(definitions.clone(), name, conditions::is_crd_established());
    tokio::time::timeout(Duration::from_secs(30), established).await??;
    let crates: Api<Crate> = Api::namespaced(client.clone(), NAMESPACE);
    let mut made = Err(kube::Error::LinesCodecMaxLineLengthExceeded);
    for _ in 0..100 {
        made = crates.create(&PostParams::default(), &Crate::new("six", CrateSpec { bottles: 6, label: None })).await;
        if made.is_ok() {
            break;
        }
        // A kind is served a moment after it is established.
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    println!("crate {:?}", made?.spec);
    refused("an empty crate", crates.create(&PostParams::default(), &Crate::new("none", CrateSpec { bottles: 0, label: None })).await);
    let status = Patch::Merge(json!({"status": {"bottles": 5}, "spec": {"bottles": 1}}));
    let patched = crates.patch_status("six", &PatchParams::default(), &status).await?;
    println!("status {:?} {:?}", patched.status, patched.spec);
    let scale = crates.get_scale("six").await?;
    println!("scale {:?} {:?}", scale.spec.and_then(|it| it.replicas), scale.status.map(|it| it.replicas));
    println!("deleted {}", definitions.delete(name, &DeleteParams::default()).await?.is_left());
    Ok(())
}

async fn discovered(client: &Client) -> Done {
    let discovery = Discovery::new(client.clone()).filter(&["apps", "batch"]).run().await?;
    // kube keeps them in a map without an order.
    for group in discovery.groups_alphabetical() {
        for (resource, capabilities) in group.recommended_resources() {
            let is_namespaced = capabilities.scope == Scope::Namespaced;
            println!("{}/{} {} {is_namespaced}", resource.api_version, resource.kind, resource.plural);
        }
    }
    let kind = GroupVersionKind::gvk("", "v1", "ServiceAccount");
    let (resource, _) = kube::discovery::pinned_kind(client, &kind).await?;
    let accounts: Api<DynamicObject> = Api::namespaced_with(client.clone(), NAMESPACE, &resource);
    println!("accounts {:?}", accounts.list(&ListParams::default()).await?.iter().map(ResourceExt::name_any).collect::<Vec<_>>());
    Ok(())
}
