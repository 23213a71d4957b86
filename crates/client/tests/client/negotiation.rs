//! Which format is asked for, and that what comes is read by what it says it is.

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle_client::api::{
    Api, DynamicObject, GroupVersionKind, ListParams, ObjectMeta, PartialObjectMeta, PartialObjectMetaExt, Patch,
    PatchParams, PostParams, WatchEvent, WatchParams,
};
use pintle_client::core::ApiResource;
use pintle_client::{Client, Error, ErrorKind};
use pintle_wire::framer::protobuf_frame;
use pintle_wire::{Packed, protobuf};
use serde_json::json;

use crate::scripted::{Answer, Asked, client};

const PROTOBUF_FIRST: &str = "[application/vnd.kubernetes.protobuf,application/json]";
const LIST: &str = r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"42"},
 "items":[{"metadata":{"name":"a","namespace":"ns","resourceVersion":"1"},"data":{"k":"v"}},
          {"metadata":{"name":"b","namespace":"ns","resourceVersion":"2"}}]}"#;

fn encoded(json: &str) -> Vec<u8> {
    protobuf::from_json(json.as_bytes()).unwrap()
}

fn config_map(name: &str, version: u32) -> Vec<u8> {
    encoded(&format!(
        r#"{{"kind":"ConfigMap","apiVersion":"v1","metadata":{{"name":"{name}","resourceVersion":"{version}"}}}}"#
    ))
}

async fn list(maps: &Api<ConfigMap>) -> Vec<Result<Packed<ConfigMap>, Error>> {
    let mut list = maps.list_packed(&ListParams::default()).await.unwrap();
    let mut items = Vec::new();
    while let Some(item) = list.next().await {
        items.push(item);
    }
    assert_eq!(list.metadata().and_then(|metadata| metadata.resource_version.as_deref()), Some("42"));
    items
}

async fn watch(answer: Answer) -> Vec<Result<WatchEvent<Packed<ConfigMap>>, Error>> {
    let maps: Api<ConfigMap> = Api::all(client(answer).0);
    maps.watch_packed(&WatchParams::default(), "1").await.unwrap().collect().await
}

#[tokio::test]
async fn a_list_is_the_same_in_protobuf_and_in_json_wherever_it_is_cut() {
    let body = encoded(LIST);
    let json = Answer::json(LIST);
    let whole = std::iter::once(json).chain((1..body.len()).map(|size| Answer::protobuf(body.clone()).cut(size)));
    for answer in whole {
        let (client, asked) = client(answer);
        let items = list(&Api::namespaced(client, "ns")).await;
        let names: Vec<_> = items.iter().map(|item| item.as_ref().unwrap().head().name()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(items[0].as_ref().unwrap().decode().unwrap().data.unwrap()["k"], "v");
        assert!(asked.take()[0].contains(PROTOBUF_FIRST));
    }
}

#[tokio::test]
async fn a_watch_is_read_as_protobuf_where_it_says_so() {
    let bookmark = encoded(
        r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}"#,
    );
    let status = encoded(r#"{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}"#);
    let frames = [
        protobuf_frame("ADDED", &config_map("a", 2)),
        protobuf_frame("BOOKMARK", &bookmark),
        protobuf_frame("DELETED", &config_map("a", 3)),
        protobuf_frame("ERROR", &status),
    ]
    .concat();
    for size in [1, 5, 4096] {
        let events = watch(Answer::protobuf(frames.clone()).cut(size)).await;
        let [
            Ok(WatchEvent::Added(a)),
            Ok(WatchEvent::Bookmark(b)),
            Ok(WatchEvent::Deleted(d)),
            Ok(WatchEvent::Error(e)),
        ] = &events[..]
        else {
            panic!("{events:?}")
        };
        assert_eq!((a.head().name(), d.head().resource_version()), ("a", Some(&3.into())));
        assert_eq!((b.metadata.resource_version.as_str(), b.ends_initial_events()), ("9", true));
        assert_eq!((e.code, e.reason.as_str()), (410, "Expired"));
    }
}

#[tokio::test]
async fn an_object_that_does_not_decode_is_one_error_and_the_watch_goes_on() {
    // Data that is a number: a head can be read, the object cannot.
    let broken = protobuf::Envelope { api_version: "v1", kind: "ConfigMap", raw: b"\x0a\x06\x0a\x01b2\x013\x10\x07" };
    let nameless = protobuf::Envelope { api_version: "v1", kind: "ConfigMap", raw: b"\x0a\x00" };
    let frames = [
        protobuf_frame("ADDED", &broken.seal()),
        protobuf_frame("ADDED", &nameless.seal()),
        protobuf_frame("ADDED", &config_map("a", 4)),
    ];
    let events = watch(Answer::protobuf(frames.concat())).await;
    let [Ok(WatchEvent::Added(broken)), Err(_), Ok(WatchEvent::Added(whole))] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!((broken.head().name(), broken.head().resource_version()), ("b", Some(&3.into())), "its version counts");
    assert!(broken.decode().unwrap_err().to_string().starts_with("object b is not a "));
    assert_eq!(whole.head().name(), "a");
}

#[tokio::test]
async fn a_watch_ends_quietly_in_three_ways_and_with_an_error_in_one() {
    let frame = protobuf_frame("ADDED", &config_map("a", 2));
    // Ended by the server, cut inside a frame, broken off: quiet, all three.
    for answer in [
        Answer::protobuf(frame.clone()),
        Answer::protobuf([&frame[..], &frame[..9]].concat()),
        Answer::protobuf(frame.clone()).breaking(),
    ] {
        assert!(matches!(&watch(answer).await[..], [Ok(WatchEvent::Added(_))]));
    }
    // Something that is not an event is an error, and nothing follows it.
    let events = watch(Answer::protobuf([&frame[..], &[0, 0, 0, 1, 7], &frame].concat())).await;
    assert!(matches!(&events[..], [Ok(_), Err(error)] if error.kind() == ErrorKind::Malformed), "{events:?}");
}

#[tokio::test]
async fn another_content_type_is_an_error_that_names_it() {
    let (client, _) = client(Answer::json("{}").content_type(Some("application/cbor-seq")));
    let error = Api::<ConfigMap>::all(client).watch_packed(&WatchParams::default(), "1").await.unwrap_err();
    let whole = format!("{error:?} {}", std::error::Error::source(&error).map_or(String::new(), ToString::to_string));
    assert!(whole.contains("application/cbor-seq"), "{whole}");
}

#[tokio::test]
async fn a_refusal_may_be_protobuf_too() {
    let status = encoded(
        r#"{"kind":"Status","apiVersion":"v1","status":"Failure","message":"too old","reason":"Expired","code":410}"#,
    );
    let maps: Api<ConfigMap> = Api::all(client(Answer::protobuf(status).code(410)).0);
    let error = maps.list_packed(&ListParams::default()).await.unwrap_err();
    let Error::Api(status) = error else { panic!("{error}") };
    assert_eq!((status.code, status.reason.as_str(), status.message.as_str()), (410, "Expired", "too old"));
}

#[tokio::test]
async fn a_server_that_refuses_protobuf_is_asked_for_json_from_then_on() {
    for code in [406, 415] {
        let (client, asked) = client(Answer::json(LIST).refusing_protobuf(code));
        let maps: Api<ConfigMap> = Api::all(client);
        for _ in 0..2 {
            maps.list_packed(&ListParams::default()).await.unwrap();
        }
        assert_eq!(asks_for_protobuf(&asked), [true, false, false]);
    }
}

fn asks_for_protobuf(asked: &Asked) -> Vec<bool> {
    asked.take().iter().map(|line| line.contains("protobuf")).collect()
}

#[tokio::test]
async fn a_server_that_refuses_json_too_has_said_nothing_about_protobuf() {
    // A patch of a kind that the server does not know, for example.
    let (client, asked) = client(Answer::json("{}").code(415));
    let maps: Api<ConfigMap> = Api::all(client);
    maps.patch("a", &PatchParams::default(), &Patch::Merge(json!({}))).await.unwrap_err();
    maps.get("a").await.unwrap_err();
    assert_eq!(asks_for_protobuf(&asked), [true, false, true, false]);
}

/// Every write that is answered with what was stored, once.
async fn write(maps: &Api<ConfigMap>) -> Vec<ConfigMap> {
    let (map, post, none) = (ConfigMap::default(), PostParams::default(), PatchParams::default());
    let merge = Patch::Merge(json!({}));
    vec![
        maps.create(&post, &map).await.unwrap(),
        maps.replace("a", &post, &map).await.unwrap(),
        maps.replace_status("a", &post, &map).await.unwrap(),
        maps.replace_subresource("status", "a", &post, &map).await.unwrap(),
        maps.patch("a", &none, &merge).await.unwrap(),
        maps.patch_status("a", &none, &merge).await.unwrap(),
        maps.patch_subresource("status", "a", &none, &merge).await.unwrap(),
        maps.apply("me", &json!({"metadata": {"name": "a"}})).await.unwrap().object,
    ]
}

#[tokio::test]
async fn what_was_written_is_asked_for_as_protobuf_first_and_understood_either_way() {
    let object = r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"v"}}"#;
    for answer in [Answer::protobuf(encoded(object)), Answer::json(object)] {
        let (client, asked) = client(answer);
        let written = write(&Api::namespaced(client, "ns")).await;
        assert!(written.iter().all(|map| map.data.as_ref().unwrap()["k"] == "v"));
        let asked = asked.take();
        assert_eq!(asked.len(), written.len());
        assert!(asked.iter().all(|line| line.contains(PROTOBUF_FIRST)), "{asked:?}");
        // What is sent is JSON nevertheless.
        assert!(asked.iter().all(|line| line.contains("json] {") || line.contains("yaml] {")), "{asked:?}");
    }
    let (client, asked) = client(Answer::json(object).refusing_protobuf(406));
    write(&Api::namespaced(client, "ns")).await;
    assert_eq!(asks_for_protobuf(&asked), [true, false, false, false, false, false, false, false, false]);
}

#[tokio::test]
async fn plain_reads_ask_for_protobuf_first_and_understand_either() {
    let object = r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"v"}}"#;
    for answer in [Answer::protobuf(encoded(object)), Answer::json(object), Answer::json(object).content_type(None)] {
        let (client, asked) = client(answer);
        let maps: Api<ConfigMap> = Api::namespaced(client, "ns");
        assert_eq!(maps.get("a").await.unwrap().data.unwrap()["k"], "v");
        assert!(maps.get_opt("a").await.unwrap().is_some());
        assert!(asked.take().iter().all(|line| line.contains(PROTOBUF_FIRST)));
    }
    for answer in [Answer::protobuf(encoded(LIST)), Answer::json(LIST)] {
        let (client, asked) = client(answer);
        let list = Api::<ConfigMap>::all(client).list(&ListParams::default()).await.unwrap();
        assert_eq!((list.items.len(), list.metadata.resource_version.as_deref()), (2, Some("42")));
        assert!(asked.take()[0].contains(PROTOBUF_FIRST));
    }
}

#[tokio::test]
async fn a_plain_watch_asks_for_protobuf_first_and_names_what_it_cannot_read() {
    let broken = protobuf::Envelope { api_version: "v1", kind: "ConfigMap", raw: b"\x0a\x03\x0a\x01b\x10\x07" };
    let frames = [
        protobuf_frame("ADDED", &config_map("a", 2)),
        protobuf_frame("MODIFIED", &broken.seal()),
        protobuf_frame("DELETED", &config_map("a", 3)),
    ];
    let json = [
        r#"{"type":"ADDED","object":{"metadata":{"name":"a"}}}"#,
        r#"{"type":"MODIFIED","object":{"kind":"ConfigMap","metadata":{"name":"b"},"data":"hunter2"}}"#,
        r#"{"type":"DELETED","object":{"metadata":{"name":"a"}}}"#,
    ];
    for answer in [Answer::protobuf(frames.concat()), Answer::json(&json.concat())] {
        let (client, asked) = client(answer);
        let maps: Api<ConfigMap> = Api::all(client);
        let events: Vec<_> = maps.watch(&WatchParams::default(), "1").await.unwrap().collect().await;
        let [Ok(WatchEvent::Added(_)), Err(unreadable), Ok(WatchEvent::Deleted(_))] = &events[..] else {
            panic!("{events:?}")
        };
        assert_eq!(unreadable.kind(), ErrorKind::Malformed);
        let whole = format!("{unreadable} {unreadable:?}");
        assert!(whole.contains("ConfigMap b") && !whole.contains("hunter2"), "{whole}");
        assert!(asked.take()[0].contains(PROTOBUF_FIRST));
    }
}

#[tokio::test]
async fn a_plain_watch_of_a_forgotten_version_does_not_begin() {
    let status = r#"{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}"#;
    for answer in [Answer::json(status), Answer::protobuf(encoded(status))] {
        let maps: Api<ConfigMap> = Api::all(client(answer.code(410)).0);
        let error = maps.watch(&WatchParams::default(), "1").await.map(|_| ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Expired, "{error}");
    }
}

#[tokio::test]
async fn a_client_can_ask_for_json_alone() {
    let (client, asked) = client(Answer::json(LIST));
    let maps: Api<ConfigMap> = Api::all(client.with_json_only());
    maps.list(&ListParams::default()).await.unwrap();
    maps.list_packed(&ListParams::default()).await.unwrap();
    maps.watch(&WatchParams::default(), "1").await.map(|_| ()).unwrap();
    assert!(!asks_for_protobuf(&asked).contains(&true));
    let (client, asked) = crate::scripted::client(Answer::json(r#"{"metadata":{"name":"a"}}"#));
    write(&Api::all(client.with_json_only())).await;
    assert!(!asks_for_protobuf(&asked).contains(&true));
}

#[tokio::test]
async fn a_plain_read_goes_on_in_json_where_protobuf_is_refused() {
    let (client, asked) = client(Answer::json("{}").refusing_protobuf(406));
    let maps: Api<ConfigMap> = Api::all(client);
    maps.get("a").await.unwrap();
    maps.get("a").await.unwrap();
    assert_eq!(asks_for_protobuf(&asked), [true, false, false]);
}

#[tokio::test]
async fn types_that_keep_what_they_do_not_know_are_never_asked_for_as_protobuf() {
    let (client, asked) = client(Answer::json(LIST));
    let dynamic: Api<DynamicObject> = Api::all_with(client, &ApiResource::erase::<ConfigMap>(&()));
    dynamic.list_packed(&ListParams::default()).await.unwrap();
    let asked = asked.take();
    assert!(asked.len() == 1 && !asked[0].contains("protobuf"), "{asked:?}");
}

const METADATA_FIRST: &str = "[application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,\
     application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1]";
const METADATA_LIST_FIRST: &str = "[application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,\
     application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1]";
const METADATA_LIST: &str = r#"{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1",
 "metadata":{"resourceVersion":"42"},"items":[{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",
 "metadata":{"name":"a","namespace":"ns","resourceVersion":"1","labels":{"k":"v"}}}]}"#;

/// Of a kind that the server knows by a definition.
fn widgets(client: Client) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("example.com", "v1", "Widget");
    Api::all_with(client, &ApiResource::from_gvk(&kind))
}

#[tokio::test]
async fn the_runtime_asks_for_metadata_as_protobuf_first_and_what_comes_is_the_same_either_way() {
    for answer in [Answer::protobuf(encoded(METADATA_LIST)), Answer::json(METADATA_LIST)] {
        let (client, asked) = client(answer);
        let partial = widgets(client.clone()).into_metadata();
        let mut packed = partial.list_packed(&ListParams::default()).await.unwrap();
        let packed = packed.next().await.unwrap().unwrap();
        assert_eq!((packed.head().name(), packed.head().resource_version()), ("a", Some(&1.into())));
        let listed = partial.list(&ListParams::default()).await.unwrap().items.remove(0);
        let of_objects = widgets(client).list_metadata(&ListParams::default()).await.unwrap().items.remove(0);
        for object in [packed.decode().unwrap(), listed, of_objects] {
            assert_eq!(object.metadata.labels.unwrap()["k"], "v");
            assert_eq!(object.types.unwrap().kind, "PartialObjectMetadata");
        }
        let asked = asked.take();
        let [packed, others @ ..] = &asked[..] else { panic!("{asked:?}") };
        assert!(packed.contains(METADATA_LIST_FIRST), "{asked:?}");
        assert!(others.len() == 2 && others.iter().all(|line| !line.contains("protobuf")), "as kube: {others:?}");
    }
}

#[tokio::test]
async fn a_metadata_watch_is_read_as_protobuf_where_it_says_so() {
    let object = r#"{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","resourceVersion":"2"}}"#;
    for answer in [
        Answer::protobuf(protobuf_frame("ADDED", &encoded(object))),
        Answer::json(&format!(r#"{{"type":"ADDED","object":{object}}}"#)),
    ] {
        let (client, asked) = client(answer);
        let params = WatchParams::default();
        let partial = widgets(client.clone()).into_metadata();
        let packed: Vec<_> = partial.watch_packed(&params, "1").await.unwrap().collect().await;
        let [Ok(WatchEvent::Added(packed))] = &packed[..] else { panic!("{packed:?}") };
        let watched: Vec<_> = partial.watch(&params, "1").await.unwrap().collect().await;
        let [Ok(WatchEvent::Added(watched))] = &watched[..] else { panic!("{watched:?}") };
        let of_objects: Vec<_> = widgets(client).watch_metadata(&params, "1").await.unwrap().collect().await;
        let [Ok(WatchEvent::Added(of_objects))] = &of_objects[..] else { panic!("{of_objects:?}") };
        for object in [&packed.decode().unwrap(), watched, of_objects] {
            assert_eq!(object.metadata.name.as_deref(), Some("a"));
            assert_eq!(object.types.as_ref().unwrap().kind, "PartialObjectMetadata");
        }
        let asked = asked.take();
        let [packed, others @ ..] = &asked[..] else { panic!("{asked:?}") };
        assert!(packed.contains(METADATA_FIRST), "{asked:?}");
        assert!(others.len() == 2 && others.iter().all(|line| !line.contains("protobuf")), "as kube: {others:?}");
    }
}

#[tokio::test]
async fn metadata_goes_on_in_json_where_protobuf_is_refused() {
    let (client, asked) = client(Answer::json(METADATA_LIST).refusing_protobuf(406));
    let partial: Api<PartialObjectMeta<ConfigMap>> = Api::all(client);
    for _ in 0..2 {
        partial.list_packed(&ListParams::default()).await.unwrap();
    }
    assert_eq!(asks_for_protobuf(&asked), [true, false, false]);
}

/// What is written through a handle of metadata is answered with a whole object, whose kind may have no such form.
#[tokio::test]
async fn whole_objects_of_a_metadata_handle_are_asked_for_as_json() {
    let (client, asked) = client(Answer::json(r#"{"metadata":{"name":"a"}}"#));
    let partial = widgets(client).into_metadata();
    partial.create(&PostParams::default(), &ObjectMeta::default().into_response_partial()).await.unwrap();
    assert_eq!(asks_for_protobuf(&asked), [false]);
}
