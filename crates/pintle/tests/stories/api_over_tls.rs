//! Every request path of `Api`, over TLS and a real socket: to the embedded server, served on loopback, and, with the
//! same code, to the cluster that the stories run on.

use futures::StreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::certificates::v1::CertificateSigningRequest;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod, ServiceAccount};
use pintle::api::{
    Api, DeleteParams, EvictParams, GetParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams,
};
use pintle::config::Kubeconfig;
use pintle::core::Status;
use pintle::testing::Server;
use pintle::{Client, ResourceExt};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::world::{World, config_map};

/// Runs `story` over a socket to the embedded server.
async fn served<F: Future<Output = ()>>(story: impl FnOnce(Client) -> F) {
    let serving = Server::new().serve(([127, 0, 0, 1], 0).into()).await.unwrap();
    let config = pintle::Config::try_from(Kubeconfig::from_yaml(&serving.kubeconfig()).unwrap()).unwrap();
    story(Client::try_from(config).unwrap()).await;
    serving.shutdown().await;
}

fn typed<K: DeserializeOwned>(object: Value) -> K {
    serde_json::from_value(object).unwrap()
}

async fn reads_and_writes(client: Client) {
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let (pp, merge) = (PostParams::default(), PatchParams::default());
    let made = maps.create(&pp, &config_map("a")).await.unwrap();
    assert_eq!(maps.get("a").await.unwrap().uid(), made.uid());
    // A list waits until the cache of the server has what was written before it, from which reads of any version come.
    let named = ListParams::default().fields("metadata.name=a");
    assert_eq!(maps.list(&named).await.unwrap().items.len(), 1);
    assert_eq!(maps.list_metadata(&named).await.unwrap().items.len(), 1);
    assert_eq!(maps.get_with("a", &GetParams::any()).await.unwrap().uid(), made.uid());
    assert!(maps.get_opt("absent").await.unwrap().is_none());
    assert_eq!(maps.get_metadata("a").await.unwrap().uid(), made.uid());
    assert_eq!(maps.get_metadata_with("a", &GetParams::any()).await.unwrap().uid(), made.uid());
    assert!(maps.get_metadata_opt_with("absent", &GetParams::any()).await.unwrap().is_none());
    assert!(maps.get_metadata_opt("absent").await.unwrap().is_none());

    let data = |value: &str| Patch::Merge(json!({ "data": { "key": value } }));
    let patched = maps.patch("a", &merge, &data("1")).await.unwrap();
    assert_eq!(maps.patch_metadata("a", &merge, &data("2")).await.unwrap().uid(), made.uid());
    let conflict = maps.replace("a", &pp, &patched).await.unwrap_err();
    assert!(matches!(&conflict, pintle::Error::Api(status) if status.is_conflict()), "{conflict:?}");
    let mut newest = maps.get("a").await.unwrap();
    newest.labels_mut().insert("tier".into(), "front".into());
    maps.replace("a", &pp, &newest).await.unwrap();
    let entry = maps.entry("b").await.unwrap().or_insert(|| config_map("b"));
    assert_eq!(entry.get().name_any(), "b");

    assert!(maps.delete("a", &DeleteParams::background().dry_run()).await.is_ok());
    assert!(maps.delete("a", &DeleteParams::default()).await.unwrap().is_right());
    maps.create(&pp, &newest_of(&newest)).await.unwrap();
    maps.delete_collection(&DeleteParams::default(), &ListParams::default().labels("tier=front")).await.unwrap();
    assert!(maps.get_opt("a").await.unwrap().is_none());
}

/// The same object without what the server set.
fn newest_of(map: &ConfigMap) -> ConfigMap {
    let mut fresh = config_map(&map.name_any());
    fresh.metadata.labels = map.metadata.labels.clone();
    fresh
}

async fn watches(client: Client) {
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    let version = maps.list(&ListParams::default()).await.unwrap().metadata.resource_version.unwrap();
    // A real cluster publishes its CA into every new namespace, whenever it gets to it.
    let params = WatchParams::default().timeout(60).fields("metadata.name=watched");
    let mut watch = Box::pin(maps.watch(&params, &version).await.unwrap());
    let mut metadata = Box::pin(maps.watch_metadata(&params, &version).await.unwrap());
    maps.create(&PostParams::default(), &config_map("watched")).await.unwrap();
    let event = watch.next().await.unwrap().unwrap();
    assert!(matches!(&event, WatchEvent::Added(map) if map.name_any() == "watched"), "{event:?}");
    let event = metadata.next().await.unwrap().unwrap();
    assert!(matches!(&event, WatchEvent::Added(map) if map.name_any() == "watched"), "{event:?}");
}

async fn parts(client: Client) {
    let (pp, none) = (PostParams::default(), PatchParams::default());
    let deployments: Api<Deployment> = Api::default_namespaced(client.clone());
    let template = json!({
        "metadata": { "labels": { "a": "b" } }, "spec": { "containers": [{ "name": "c", "image": "i" }] }
    });
    let spec = json!({ "replicas": 1, "selector": { "matchLabels": { "a": "b" } }, "template": template });
    deployments.create(&pp, &typed(json!({ "metadata": { "name": "web" }, "spec": spec }))).await.unwrap();
    let mut scale = deployments.get_scale("web").await.unwrap();
    scale.spec.as_mut().unwrap().replicas = Some(2);
    assert_eq!(deployments.replace_scale("web", &pp, &scale).await.unwrap().spec.unwrap().replicas, Some(2));
    let three = Patch::Merge(json!({ "spec": { "replicas": 3 } }));
    assert_eq!(deployments.patch_scale("web", &none, &three).await.unwrap().spec.unwrap().replicas, Some(3));
    let seen = Patch::Merge(json!({ "status": { "observedGeneration": 5 } }));
    deployments.patch_status("web", &none, &seen).await.unwrap();
    let status = deployments.get_status("web").await.unwrap();
    assert_eq!(status.status.as_ref().unwrap().observed_generation, Some(5));
    deployments.replace_status("web", &pp, &status).await.unwrap();
    let restarted = deployments.restart("web").await.unwrap();
    assert!(restarted.spec.template.metadata.unwrap().annotations.is_some());
    assert_eq!(deployments.get_subresource("status", "web").await.unwrap().name_any(), "web");
    let seen = Patch::Merge(json!({ "status": { "observedGeneration": 6 } }));
    let patched = deployments.patch_subresource("status", "web", &none, &seen).await.unwrap();
    assert_eq!(patched.status.as_ref().unwrap().observed_generation, Some(6));
    let replaced = deployments.replace_subresource("status", "web", &pp, &patched).await.unwrap();
    assert_eq!(replaced.resource_version(), patched.resource_version(), "nothing changed");
}

async fn pods(client: Client) {
    let pods: Api<Pod> = Api::default_namespaced(client.clone());
    let (pp, none) = (PostParams::default(), PatchParams::default());
    let needing = |cpu: &str| json!([{ "name": "c", "image": "i", "resources": { "requests": { "cpu": cpu } } }]);
    let pod = |name: &str| json!({ "metadata": { "name": name }, "spec": { "containers": needing("100m") } });
    pods.create(&pp, &typed(pod("p"))).await.unwrap();
    let debugger = json!([{ "name": "debug", "image": "i", "targetContainerName": "c" }]);
    let added = Patch::Strategic(json!({ "spec": { "ephemeralContainers": debugger } }));
    let debugged = pods.patch_ephemeral_containers("p", &none, &added).await.unwrap();
    assert_eq!(debugged.spec.unwrap().ephemeral_containers.map(|it| it.len()), Some(1));
    let debugged = pods.get_ephemeral_containers("p").await.unwrap();
    let replaced = pods.replace_ephemeral_containers("p", &pp, &debugged).await.unwrap();
    assert_eq!(replaced.spec.unwrap().ephemeral_containers.map(|it| it.len()), Some(1));
    let asks = |pod: Pod| pod.spec.unwrap().containers.remove(0).resources.unwrap().requests.unwrap()["cpu"].0.clone();
    let more = Patch::Strategic(json!({ "spec": { "containers": needing("200m") } }));
    assert_eq!(asks(pods.patch_resize("p", &none, &more).await.unwrap()), "200m");
    let resized = pods.get_resize("p").await.unwrap();
    assert_eq!(asks(pods.replace_resize("p", &pp, &resized).await.unwrap()), "200m");
    assert!(pods.evict("p", &EvictParams::default()).await.unwrap().is_success());
    pods.create(&pp, &typed(pod("bound"))).await.unwrap();
    let target = json!({ "metadata": { "name": "bound" }, "target": { "kind": "Node", "name": "n" } });
    let bound: Status = pods.create_subresource("binding", "bound", &pp, &target).await.unwrap();
    assert!(bound.is_success());
    assert_eq!(pods.get("bound").await.unwrap().spec.unwrap().node_name.as_deref(), Some("n"));
    pods.delete("bound", &DeleteParams::default().grace_period(0)).await.unwrap();
}

async fn accounts_and_nodes(client: Client) {
    let pp = PostParams::default();
    let accounts: Api<ServiceAccount> = Api::default_namespaced(client.clone());
    accounts.create(&pp, &typed(json!({ "metadata": { "name": "robot" } }))).await.unwrap();
    let asked: TokenRequest = typed(json!({ "spec": { "audiences": ["a"], "expirationSeconds": 3600 } }));
    let token = accounts.create_token_request("robot", &pp, &asked).await.unwrap();
    assert!(token.status.unwrap().token.is_some_and(|token| !token.is_empty()));

    let nodes: Api<Node> = Api::all(client);
    let name = nodes.create(&pp, &typed(json!({ "metadata": { "generateName": "n-" } }))).await.unwrap().name_any();
    assert_eq!(nodes.cordon(&name).await.unwrap().spec.unwrap().unschedulable, Some(true));
    assert_ne!(nodes.uncordon(&name).await.unwrap().spec.unwrap_or_default().unschedulable, Some(true));
    nodes.delete(&name, &DeleteParams::default()).await.unwrap();
}

/// A certificate signing request for user `robot`; its private key was thrown away.
const SIGNING_REQUEST: &str = include_str!("signing_request.b64");

async fn approvals(client: Client) {
    let requests: Api<CertificateSigningRequest> = Api::all(client);
    let spec = json!({
        "request": SIGNING_REQUEST.trim(), "signerName": "kubernetes.io/kube-apiserver-client", "usages": ["client auth"]
    });
    let asked = typed(json!({ "metadata": { "generateName": "csr-" }, "spec": spec }));
    let name = requests.create(&PostParams::default(), &asked).await.unwrap().name_any();
    let approved = json!([{ "type": "Approved", "status": "True", "reason": "Story" }]);
    let patch = Patch::Merge(json!({ "status": { "conditions": approved } }));
    requests.patch_approval(&name, &PatchParams::default(), &patch).await.unwrap();
    let conditions = requests.get_approval(&name).await.unwrap().status.unwrap().conditions.unwrap();
    assert_eq!(conditions[0].type_, "Approved");
    requests.delete(&name, &DeleteParams::default()).await.unwrap();
}

macro_rules! on_both {
    ($($story:ident: $here:ident, $there:ident;)*) => {$(
        #[tokio::test]
        async fn $here() {
            served($story).await;
        }

        #[tokio::test]
        async fn $there() {
            $story(World::new().client.clone()).await;
        }
    )*};
}

on_both! {
    reads_and_writes: objects_are_read_and_written_over_a_socket, objects_are_read_and_written;
    watches: watches_yield_events_over_a_socket, watches_yield_events;
    parts: scale_status_and_restart_over_a_socket, scale_status_and_restart;
    pods: ephemeral_containers_and_eviction_over_a_socket, ephemeral_containers_and_eviction;
    accounts_and_nodes: tokens_and_cordons_over_a_socket, tokens_and_cordons;
    approvals: approvals_over_a_socket, approvals_are_given;
}
