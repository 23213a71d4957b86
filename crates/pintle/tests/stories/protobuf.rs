//! Built-in kinds, read and written back as protobuf and as JSON.

use std::fmt::Debug;

use futures::{StreamExt, TryStreamExt};
use http::header::{ACCEPT, CONTENT_TYPE};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::batch::v1::CronJob;
use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use pintle::api::{Api, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use pintle::{Client, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::world::World;

/// Creates `object` and reads it in every way: as protobuf it is the same as in JSON.
async fn check<K>(client: &Client, object: Value)
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
        + k8s_openapi::Metadata<Ty = ObjectMeta>
        + Serialize
        + DeserializeOwned
        + Clone
        + Debug
        + PartialEq,
{
    let (api, plain) = (Api::<K>::default_namespaced(client.clone()), client.clone().with_json_only());
    let plain: Api<K> = Api::default_namespaced(plain);
    let created = api.create(&PostParams::default(), &serde_json::from_value(object).unwrap()).await.unwrap();
    let name = created.name_any();
    assert_eq!(created, plain.get(&name).await.unwrap());
    assert_eq!(api.get(&name).await.unwrap(), created);
    let label = |value: &str| Patch::Merge(json!({ "metadata": { "labels": { "written": value } } }));
    let patched = api.patch(&name, &PatchParams::default(), &label("as-protobuf")).await.unwrap();
    assert_eq!(patched, plain.get(&name).await.unwrap());
    // Read as protobuf and sent back as JSON, it loses nothing.
    let replaced = api.replace(&name, &PostParams::default(), &patched).await.unwrap();
    assert_eq!(replaced, patched, "nothing changed, so its version is the same");
    let patched = plain.patch(&name, &PatchParams::default(), &label("as-json")).await.unwrap();
    assert_eq!(patched, api.get(&name).await.unwrap());
    let selected = ListParams::default().fields(&format!("metadata.name={name}"));
    let (list, expected) = (api.list(&selected).await.unwrap(), plain.list(&selected).await.unwrap());
    assert_eq!((&list.items, &list.types), (&expected.items, &expected.types));
    assert_eq!(list.items.len(), 1);
    let selected = WatchParams::default().fields(&format!("metadata.name={name}"));
    let watched = api.watch(&selected, "0").await.unwrap().boxed_local().try_next().await.unwrap();
    assert!(matches!(watched, Some(WatchEvent::Added(watched)) if watched == expected.items[0]), "{name}");
}

#[tokio::test(start_paused = true)]
async fn a_built_in_object_is_the_same_from_protobuf_and_from_json() {
    let world = World::new();
    let client = &world.client;
    let metadata = json!({ "name": "read", "labels": { "empty": "" }, "annotations": { "example.com/e": "é\n" } });
    let map = json!({ "metadata": metadata, "data": { "none": "" }, "binaryData": { "bytes": "AAH/" } });
    check::<ConfigMap>(client, map).await;
    check::<Secret>(client, json!({ "metadata": metadata, "data": { "key": "aHVudGVyMg==" }, "immutable": true }))
        .await;
    let ports = json!([{ "name": "web", "port": 80, "targetPort": "http" }, { "name": "metrics", "port": 9090 }]);
    check::<Service>(client, json!({ "metadata": metadata, "spec": { "clusterIP": "None", "ports": ports } })).await;
    let container = json!({ "name": "c", "image": "i", "resources": { "limits": { "cpu": "1500m" } },
        "livenessProbe": { "httpGet": { "path": "/", "port": 8080 } } });
    let pod =
        json!({ "restartPolicy": "Never", "containers": [container], "volumes": [{ "name": "v", "emptyDir": {} }] });
    let job = json!({ "spec": { "template": { "spec": pod } } });
    let spec = json!({ "schedule": "0 0 * * *", "suspend": true, "jobTemplate": job });
    check::<CronJob>(client, json!({ "metadata": metadata, "spec": spec })).await;
}

#[tokio::test(start_paused = true)]
async fn a_server_with_protobuf_answers_reads_and_writes_in_it() {
    let world = World::new();
    let path = format!("/api/v1/namespaces/{}/configmaps", world.namespace());
    let accept = "application/vnd.kubernetes.protobuf,application/json";
    let object = br#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}"#;
    for (method, body) in [("GET", Vec::new()), ("POST", object.to_vec())] {
        let request = http::Request::builder().method(method).uri(&path).header(ACCEPT, accept);
        let request = request.header(CONTENT_TYPE, "application/json").body(body.into()).unwrap();
        let answer = world.client.send(request).await.unwrap();
        assert_eq!(answer.headers()[CONTENT_TYPE], "application/vnd.kubernetes.protobuf");
    }
}
