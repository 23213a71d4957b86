//! What is served, found out from the legacy documents and from the aggregated ones.

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use kube::api::{ApiResource, DynamicObject, TypeMeta};
use kube::client::Body;
use kube::core::{GroupVersion, GroupVersionKind};
use kube::discovery::{self, ApiCapabilities, ApiGroup, Discovery, verbs};
use kube::Client;
use serde_json::{Value, json};

/// A server with one core kind and one group at three versions.
fn client() -> Client {
    Client::new(tower::service_fn(|request: Request<Body>| async move {
        let accept = request.headers().get("accept").map_or("", |accept| accept.to_str().unwrap());
        let (code, document) = match (request.uri().path(), accept.contains("APIGroupDiscoveryList")) {
            ("/api", true) => (200, core_aggregated()),
            ("/apis", true) => (200, aggregated()),
            ("/api", false) => (200, json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []})),
            ("/apis", false) => (200, json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": [
                {"name": "example.com", "preferredVersion": {"groupVersion": "example.com/v1beta1", "version": "v1beta1"},
                 "versions": versions(&["v1alpha1", "v1", "v1beta1"])},
                {"name": "other.org", "preferredVersion": {"groupVersion": "other.org/v2", "version": "v2"},
                 "versions": [{"groupVersion": "other.org/v2", "version": "v2"}]}]})),
            ("/api/v1", _) => (200, json!({"kind": "APIResourceList", "groupVersion": "v1", "resources": [
                {"name": "pods", "singularName": "pod", "namespaced": true, "kind": "Pod", "verbs": ["get", "list"], "shortNames": ["po"]},
                {"name": "pods/log", "singularName": "", "namespaced": true, "kind": "Pod", "verbs": ["get"]},
                {"name": "nodes", "singularName": "node", "namespaced": false, "kind": "Node", "verbs": ["list"]}]})),
            ("/apis/other.org/v2", _) => (200, json!({"kind": "APIResourceList", "groupVersion": "other.org/v2", "resources": []})),
            (path, _) if path.starts_with("/apis/example.com/v1") => {
                let mut resources = vec![json!({"name": "documents", "singularName": "document", "namespaced": true, "kind": "Document", "verbs": ["get"]})];
                if path.ends_with("alpha1") {
                    resources.push(json!({"name": "drafts", "singularName": "draft", "namespaced": true, "kind": "Draft", "verbs": ["get"]}));
                }
                (200, json!({"kind": "APIResourceList", "groupVersion": &path[6..], "resources": resources}))
            }
            _ => (404, json!({"kind": "Status", "status": "Failure", "message": "none", "reason": "NotFound", "code": 404})),
        };
        Ok::<_, tower::BoxError>(Response::builder().status(code).body(Full::new(Bytes::from(document.to_string())))?)
    }), "here")
}

fn versions(versions: &[&str]) -> Vec<Value> {
    versions.iter().map(|version| json!({"groupVersion": format!("example.com/{version}"), "version": version})).collect()
}

fn core_aggregated() -> Value {
    json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": [{"metadata": {},
        "versions": [{"version": "v1", "freshness": "Current", "resources": [
            {"resource": "pods", "responseKind": {"group": "", "version": "", "kind": "Pod"}, "scope": "Namespaced", "singularResource": "pod",
             "verbs": ["get", "list"], "shortNames": ["po"], "subresources": [
                {"subresource": "log", "responseKind": {"group": "", "version": "", "kind": "Pod"}, "verbs": ["get"]}]},
            {"resource": "nodes", "responseKind": {"group": "", "version": "", "kind": "Node"}, "scope": "Cluster", "singularResource": "node", "verbs": ["list"]}]}]}]})
}

fn aggregated() -> Value {
    let document = |version: &str| json!({"resource": "documents", "responseKind": {"group": "example.com", "version": version, "kind": "Document"},
        "scope": "Namespaced", "singularResource": "document", "verbs": ["get"]});
    json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": [
        {"metadata": {"name": "example.com"}, "versions": [
            {"version": "v1beta1", "freshness": "Current", "resources": [document("v1beta1")]},
            {"version": "v1alpha1", "freshness": "Current", "resources": [document("v1alpha1"),
                {"resource": "drafts", "responseKind": {"group": "example.com", "version": "v1alpha1", "kind": "Draft"},
                 "scope": "Namespaced", "singularResource": "draft", "verbs": ["get"]}]},
            {"version": "v1", "freshness": "Current", "resources": [document("v1")]}]},
        {"metadata": {"name": "other.org"}, "versions": [{"version": "v2", "freshness": "Current", "resources": []}]}]})
}

fn sorted(mut served: Vec<(ApiResource, ApiCapabilities)>) -> Vec<(ApiResource, ApiCapabilities)> {
    served.sort_by(|a, b| (&a.0.kind, &a.0.version).cmp(&(&b.0.kind, &b.0.version)));
    served
}

fn show(group: &ApiGroup) {
    println!("{:?} {:?}", group.name(), group.versions().collect::<Vec<_>>());
    println!("  preferred {:?} {:?}", group.preferred_version(), group.preferred_version_or_latest());
    println!("  recommended {:?}", sorted(group.recommended_resources()));
    println!("  stable {:?}", sorted(group.resources_by_stability()));
    println!("  at v1 {:?}", sorted(group.versioned_resources("v1")));
    println!("  none at {:?}", group.versioned_resources("v9").len());
    println!("  {:?} {:?}", group.recommended_kind("Document"), group.recommended_kind("Draft").is_some());
}

pub async fn print() {
    for found in [
        Discovery::new(client()).run().await,
        Discovery::new(client()).run_aggregated().await,
        Discovery::new(client()).filter(&["example.com"]).run().await,
        Discovery::new(client()).exclude(&["example.com"]).run_aggregated().await,
    ] {
        let found = found.unwrap();
        for group in found.groups_alphabetical() {
            show(group);
        }
        println!("{} {} {}", found.groups().count(), found.has_group(ApiGroup::CORE_GROUP), found.get("example.com").is_some());
        let pod = found.resolve_gvk(&GroupVersionKind::gvk("", "v1", "Pod"));
        println!("{:?}", pod.map(|(resource, capabilities)| (resource.plural, capabilities.supports_operation(verbs::LIST), capabilities.scope)));
        let types = TypeMeta { api_version: "example.com/v1".into(), kind: "Document".into() };
        println!("{:?}", found.resolve_typemeta(&types).map(|(resource, _)| resource));
        let mut object = DynamicObject::new("a", &ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1alpha1", "Draft")));
        println!("{:?}", found.resolve_object(&object).map(|(resource, _)| resource));
        object.types = None;
        println!("{:?}", found.resolve_object(&object).is_none());
    }
    oneshots(&client()).await;
}

async fn oneshots(client: &Client) {
    show(&discovery::group(client, "example.com").await.unwrap());
    show(&discovery::group(client, "").await.unwrap());
    show(&discovery::pinned_group(client, &GroupVersion::gv("example.com", "v1")).await.unwrap());
    show(&discovery::oneshot::pinned_group(client, &GroupVersion::gv("", "v1")).await.unwrap());
    let (resource, capabilities) = discovery::pinned_kind(client, &GroupVersionKind::gvk("", "v1", "Pod")).await.unwrap();
    println!("{resource:?} {capabilities:?}");
    for refused in [
        discovery::group(client, "nowhere.io").await.map(|_| ()),
        discovery::pinned_group(client, &GroupVersion::gv("example.com", "v7")).await.map(|_| ()),
        discovery::pinned_kind(client, &GroupVersionKind::gvk("example.com", "v1", "Nothing")).await.map(|_| ()),
        discovery::pinned_kind(client, &GroupVersionKind::gvk("nowhere.io", "v1", "Nothing")).await.map(|_| ()),
    ] {
        println!("{}", match refused.unwrap_err() {
            kube::Error::Discovery(error) => format!("{error:?}"),
            kube::Error::Api(status) => format!("{} {}", status.code, status.reason),
            _ => "another error".into(),
        });
    }
}
