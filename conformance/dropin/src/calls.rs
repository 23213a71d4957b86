//! Every call of `Api`, as it leaves the client.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures::StreamExt;
use http::{Request, Response};
use http_body_util::Full;
use json_patch::{AddOperation, Patch as JsonPatch, PatchOperation, jsonptr::PointerBuf};
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use kube::api::{
    Api, ApiResource, DeleteParams, DynamicObject, GetParams, GroupVersionKind, ListParams, Patch, PatchParams, PostParams,
    Preconditions, VersionMatch, WatchParams,
};
use kube::client::Body;
use kube::{Client, Resource, ResourceExt};
use serde_json::json;

type Log = Arc<Mutex<Vec<String>>>;

/// A client whose requests are written down and answered with one ConfigMap.
fn client(log: &Log) -> Client {
    let log = Arc::clone(log);
    let service = tower::service_fn(move |request: Request<Body>| {
        let log = Arc::clone(&log);
        async move {
            let (head, body) = request.into_parts();
            let body = body.collect_bytes().await?;
            let mut lines = format!("{} {}", head.method, head.uri);
            let header = |name| head.headers.get(name).map_or("", |value| value.to_str().unwrap());
            // Which form an object is wanted in is the program's affair; which format it travels in is the client's.
            for form in header("accept").split(',').filter(|kind| kind.contains(";as=") && kind.contains("json")) {
                lines += &format!("\n    accept: {form}");
            }
            if !header("content-type").is_empty() {
                lines += &format!("\n    content-type: {}", header("content-type"));
            }
            if !body.is_empty() {
                lines += &format!("\n    {}", String::from_utf8_lossy(&body));
            }
            log.lock().unwrap().push(lines);
            let answer = match head.uri.query() {
                Some(query) if query.contains("watch=true") => json!({"type": "ADDED", "object": object()}),
                _ if head.method == "GET" && !head.uri.path().ends_with("/a") && !head.uri.path().ends_with("/status") => {
                    json!({"apiVersion": "v1", "kind": "ConfigMapList", "metadata": {"resourceVersion": "9"}, "items": [object()]})
                }
                _ => object(),
            };
            Ok::<_, tower::BoxError>(Response::new(Full::new(Bytes::from(answer.to_string()))))
        }
    });
    Client::new(service, "here")
}

fn object() -> serde_json::Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "resourceVersion": "7"}, "data": {"k": "v"}})
}

pub async fn print() {
    let log = Log::default();
    let client = client(&log);
    reads(&Api::default_namespaced(client.clone())).await;
    writes(&Api::namespaced(client.clone(), "there")).await;
    places(client).await;
    for call in log.lock().unwrap().iter() {
        println!("{call}");
    }
}

async fn reads(maps: &Api<ConfigMap>) {
    let map = maps.get("a").await.unwrap();
    println!("{} {:?}", map.name_any(), map.resource_version());
    maps.get_with("a", &GetParams::at("5")).await.unwrap();
    maps.get_opt("a").await.unwrap().unwrap();
    maps.get_metadata("a").await.unwrap();
    maps.get_metadata_opt("a").await.unwrap();
    maps.get_status("a").await.unwrap();
    let all = ListParams::default();
    println!("{:?}", maps.list(&all).await.unwrap().metadata.resource_version);
    maps.list_metadata(&all.clone().limit(3)).await.unwrap();
    maps.list(&all.clone().labels("a=b,c in (d,e),!f").fields("metadata.name!=x").limit(500)).await.unwrap();
    maps.list(&all.clone().limit(2).continue_token("a+b/c==")).await.unwrap();
    maps.list(&all.clone().at("5").matching(VersionMatch::Exact)).await.unwrap();
    maps.list(&all.clone().match_any()).await.unwrap();
    maps.list(&all.match_any().limit(4)).await.unwrap();
    for params in [
        WatchParams::default(),
        WatchParams::default().timeout(20).labels("a=b").fields("metadata.name=x").disable_bookmarks(),
        WatchParams::default().initial_events(),
    ] {
        let mut events = maps.watch(&params, "0").await.unwrap().boxed();
        println!("{:?}", events.next().await.unwrap().unwrap());
    }
    drop(maps.watch_metadata(&WatchParams::default(), "12").await.unwrap().boxed());
}

async fn writes(maps: &Api<ConfigMap>) {
    let map: ConfigMap = serde_json::from_value(object()).unwrap();
    let named = PostParams { dry_run: true, field_manager: Some("me & you".into()) };
    maps.create(&PostParams::default(), &map).await.unwrap();
    maps.create(&named, &map).await.unwrap();
    maps.replace("a", &named, &map).await.unwrap();
    maps.replace_status("a", &PostParams::default(), &map).await.unwrap();
    let params = PatchParams::default();
    let change = json!({"data": {"k": null}});
    maps.patch("a", &params, &Patch::Merge(&change)).await.unwrap();
    maps.patch("a", &params.clone().validation_strict(), &Patch::Strategic(&change)).await.unwrap();
    maps.patch("a", &PatchParams::apply("me").force(), &Patch::Apply(&map)).await.unwrap();
    let add = AddOperation { path: PointerBuf::from_tokens(["data", "x"]), value: "y".into() };
    let operations = JsonPatch(vec![PatchOperation::Add(add)]);
    maps.patch("a", &params, &Patch::<()>::Json(operations)).await.unwrap();
    maps.patch_metadata("a", &params, &Patch::Merge(&change)).await.unwrap();
    maps.patch_status("a", &params, &Patch::Merge(&change)).await.unwrap();
    maps.delete("a", &DeleteParams::default()).await.unwrap();
    let preconditions = Preconditions { uid: Some("u".into()), resource_version: Some("5".into()) };
    let careful = DeleteParams::foreground().grace_period(0).preconditions(preconditions).dry_run();
    println!("{}", maps.delete("a", &careful).await.unwrap().is_left());
}

/// Where each kind of `Api` looks.
async fn places(client: Client) {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1", "NetworkPolicy"));
    let dynamic: Api<DynamicObject> = Api::namespaced_with(client.clone(), "there", &resource);
    let everywhere: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
    let nodes: Api<Node> = Api::all(client.clone());
    println!("{} {} {}", dynamic.resource_url(), everywhere.resource_url(), nodes.resource_url());
    println!("{} {}", ConfigMap::url_path(&(), Some("x")), client.default_namespace());
    dynamic.get("a").await.unwrap();
}
