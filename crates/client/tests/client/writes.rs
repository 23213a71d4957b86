//! What a scope notes of the writes within it.

use k8s_openapi::api::core::v1::ConfigMap;
use pintle_client::Client;
use pintle_client::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use pintle_client::client::writes::{Effect, Writes};
use pintle_wire::protobuf;
use serde_json::json;

use crate::scripted::{Answer, client};

const MAP: &str = r#"{"metadata":{"name":"n","namespace":"ns","uid":"u","resourceVersion":"12","labels":{"a":"b"}}}"#;
const GONE: &str = r#"{"kind":"Status","status":"Success","details":{"name":"n","uid":"u"}}"#;

async fn write(client: Client) {
    let maps: Api<ConfigMap> = Api::namespaced(client, "ns");
    let patch = Patch::Merge(json!({"data": {"k": "v"}}));
    let named = PatchParams { field_manager: Some("me".into()), ..PatchParams::default() };
    // What the script answers is not always what the call wants; what is noted is what the server said.
    drop(maps.create(&PostParams::default(), &ConfigMap::default()).await);
    drop(maps.patch("n", &named, &patch).await);
    drop(maps.delete("n", &DeleteParams::default()).await);
    drop(maps.get("n").await);
    drop(maps.patch("n", &PatchParams { dry_run: true, ..named.clone() }, &patch).await);
    drop(maps.delete("n", &DeleteParams::default().dry_run()).await);
    drop(maps.patch("another", &named, &patch).await);
}

async fn noted(answer: &str) -> Vec<String> {
    let writes = Writes::new();
    writes.scope(write(client(Answer::json(answer)).0)).await;
    let line = |write: pintle_client::client::writes::Write| {
        let target = write.target;
        let place =
            [&target.group, &target.plural, target.namespace.as_deref().unwrap(), target.name.as_deref().unwrap()];
        format!("{} {} {:?} {:?}", place.join("/"), write.uid, write.effect, write.manager)
    };
    writes.take().into_iter().map(line).collect()
}

#[tokio::test]
async fn a_write_is_noted_with_its_version_and_reads_and_dry_runs_are_not() {
    let expected = [
        "/configmaps/ns/n u Stored(\"12\") None",
        "/configmaps/ns/n u Stored(\"12\") Some(\"me\")",
        "/configmaps/ns/n u Deleted None",
    ];
    assert_eq!(noted(MAP).await, expected);
    assert_eq!(noted(GONE).await, ["/configmaps/ns/n u Deleted None"]);
}

#[tokio::test]
async fn a_write_is_noted_whatever_format_its_answer_has_and_kept_as_json() {
    let map = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"n","namespace":"ns","uid":"u","resourceVersion":"12","labels":{"a":"b"}}}"#;
    let mut noted = Vec::new();
    for answer in [Answer::json(map), Answer::protobuf(protobuf::from_json(map.as_bytes()).unwrap())] {
        let maps: Api<ConfigMap> = Api::namespaced(client(answer).0, "ns");
        let writes = Writes::keeping_bodies();
        writes.scope(maps.create(&PostParams::default(), &ConfigMap::default())).await.unwrap();
        let write = writes.take().pop().unwrap();
        let body: ConfigMap = serde_json::from_slice(&write.body.unwrap()).unwrap();
        noted.push((write.target, write.uid, write.effect, write.labels, body));
    }
    assert_eq!(noted[0], noted[1]);
    assert_eq!((&noted[0].2, noted[0].3["a"].as_str()), (&Effect::Stored("12".to_owned()), "b"));
}

#[tokio::test]
async fn a_refusal_is_not_noted_and_neither_is_what_is_spawned_or_outside() {
    let writes = Writes::new();
    let (refusing, _) = client(Answer::json(MAP).code(409));
    writes.scope(write(refusing)).await;
    let (accepting, _) = client(Answer::json(MAP));
    let spawned = accepting.clone();
    writes.scope(async { tokio::spawn(write(spawned)).await.unwrap() }).await;
    write(accepting).await;
    assert!(writes.take().is_empty());
}

#[tokio::test]
async fn every_object_of_a_deleted_collection_is_noted() {
    let item = |name: &str| json!({"metadata": {"name": name, "uid": name, "resourceVersion": "3"}});
    let list = json!({"metadata": {"resourceVersion": "9"}, "items": [item("a"), item("b")]}).to_string();
    let (client, _) = client(Answer::json(&list));
    let maps: Api<ConfigMap> = Api::namespaced(client, "ns");
    let writes = Writes::new();
    writes.scope(maps.delete_collection(&DeleteParams::default(), &ListParams::default())).await.unwrap();
    let noted: Vec<_> = writes.take().into_iter().map(|write| (write.uid, write.effect)).collect();
    assert_eq!(noted, [("a".to_owned(), Effect::Deleted), ("b".to_owned(), Effect::Deleted)]);
}

#[tokio::test]
async fn bodies_are_kept_only_on_demand_and_not_printed() {
    let secret = r#"{"metadata":{"name":"n","uid":"u","resourceVersion":"1"},"data":{"password":"aHVudGVyMg=="}}"#;
    let (client, _) = client(Answer::json(secret));
    let maps: Api<ConfigMap> = Api::namespaced(client, "ns");
    let create = || async { maps.create(&PostParams::default(), &ConfigMap::default()).await };
    let (without, with) = (Writes::new(), Writes::keeping_bodies());
    without.scope(create()).await.unwrap();
    with.scope(create()).await.unwrap();
    assert!(without.take()[0].body.is_none());
    let kept = with.take();
    assert_eq!(kept[0].body.as_deref(), Some(secret.as_bytes()));
    assert!(!format!("{kept:?} {with:?}").contains("aHVudGVyMg"));
}
