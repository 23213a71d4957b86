//! WATCH: where it begins, what it sends, how it ends.

use std::time::Duration;

use super::world::{DEFINITIONS, DOCUMENTS, MAPS, World, definition};
use pintle_apiserver::Server;
use serde_json::{Value, json};
use tokio::time::{Instant, advance};

#[tokio::test(start_paused = true)]
async fn a_watch_begins_where_the_table_says() {
    let world = World::new();
    let first = world.map("a").await;
    let second = world.map("b").await;
    let both = [format!("ADDED a@{first}"), format!("ADDED b@{second}")];
    let matching = "resourceVersionMatch=NotOlderThan";
    let table = [
        (String::new(), both.to_vec()),
        ("&resourceVersion=0".to_owned(), both.to_vec()),
        (format!("&sendInitialEvents=true&{matching}"), both.to_vec()),
        (format!("&sendInitialEvents=true&{matching}&resourceVersion=0"), both.to_vec()),
        (format!("&sendInitialEvents=true&{matching}&resourceVersion={first}"), both.to_vec()),
        (format!("&sendInitialEvents=false&{matching}"), vec![]),
        (format!("&sendInitialEvents=false&{matching}&resourceVersion=0"), vec![]),
        (format!("&sendInitialEvents=false&{matching}&resourceVersion={first}"), both[1..].to_vec()),
        (format!("&resourceVersion={first}"), both[1..].to_vec()),
        (format!("&resourceVersion={second}"), vec![]),
    ];
    for (query, expected) in table {
        for bookmarks in [false, true] {
            let mut watch = world.watch(&format!("{MAPS}?watch=1&allowWatchBookmarks={bookmarks}{query}")).await;
            for line in &expected {
                assert_eq!(watch.line().await, *line, "{query}");
            }
            let says_state = !query.contains("InitialEvents=false")
                && (query.contains("true") || !query.contains(&*first) && !query.contains(&*second));
            if bookmarks && says_state {
                let end = watch.next().await.unwrap();
                assert_eq!(end["type"], "BOOKMARK");
                assert_eq!(end["object"]["kind"], "ConfigMap");
                assert_eq!(end["object"]["metadata"]["resourceVersion"], second);
                assert_eq!(end["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
            }
            assert!(watch.is_quiet(), "{query} bookmarks={bookmarks}");
        }
    }
}

#[tokio::test]
async fn watch_options_that_contradict_each_other_are_refused() {
    let world = World::new();
    let table = [
        ("sendInitialEvents=true", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
        (
            "sendInitialEvents=true&resourceVersionMatch=Exact",
            "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        ),
        (
            "resourceVersionMatch=NotOlderThan",
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        ),
    ];
    for (query, sentence) in table {
        let status = world.get(&format!("{MAPS}?watch=true&{query}")).await.expect(422);
        assert!(status["message"].as_str().unwrap().contains(sentence), "{status}");
    }
    assert_eq!(world.get(&format!("{MAPS}?watch=true&resourceVersion=x")).await.code, 500);
}

#[tokio::test]
async fn every_change_is_sent_once_and_in_order() {
    let world = World::new();
    let mut watch = world.watch(&format!("{MAPS}?watch=true&resourceVersion={}", world.server.revision())).await;
    let added = world.map("a").await;
    world.merge(&format!("{MAPS}/a"), json!({"data": {"k": "v"}})).await.expect(200);
    world.merge(&format!("{MAPS}/a"), json!({"data": {"k": "v"}})).await.expect(200);
    world.post("/api/v1/namespaces/kube-system/configmaps", json!({"metadata": {"name": "x"}})).await.expect(201);
    world.delete(&format!("{MAPS}/a")).await.expect(200);
    let number: u64 = added.parse().unwrap();
    assert_eq!(watch.line().await, format!("ADDED a@{number}"));
    assert_eq!(watch.line().await, format!("MODIFIED a@{}", number + 1));
    let deleted = watch.next().await.unwrap();
    assert_eq!(deleted["type"], "DELETED");
    assert_eq!(deleted["object"]["data"]["k"], "v");
    assert_eq!(deleted["object"]["metadata"]["resourceVersion"], (number + 3).to_string());
    assert!(watch.is_quiet());
}

#[tokio::test]
async fn an_object_that_enters_or_leaves_the_selector_is_added_or_deleted() {
    let world = World::new();
    world.map("a").await;
    let now = world.server.revision();
    let mut watch = world.watch(&format!("{MAPS}?watch=true&labelSelector=on&resourceVersion={now}")).await;
    let label = |value| json!({"metadata": {"labels": {"on": value}}, "data": {"last": value}});
    for value in [json!("1"), json!("2"), json!(null), json!("3")] {
        world.merge(&format!("{MAPS}/a"), label(value)).await.expect(200);
    }
    assert_eq!(watch.line().await, format!("ADDED a@{}", now + 1));
    assert_eq!(watch.line().await, format!("MODIFIED a@{}", now + 2));
    let left = watch.next().await.unwrap();
    assert_eq!(left["type"], "DELETED");
    assert_eq!(left["object"]["data"]["last"], "2", "the content before");
    assert_eq!(left["object"]["metadata"]["resourceVersion"], (now + 3).to_string(), "the version of the change");
    assert_eq!(watch.line().await, format!("ADDED a@{}", now + 4));
}

#[tokio::test]
async fn one_object_can_be_watched_by_name_in_both_spellings() {
    let world = World::new();
    world.map("a").await;
    let at = world.map("b").await;
    for path in [
        format!("{MAPS}?watch=true&fieldSelector=metadata.name%3Db"),
        "/api/v1/watch/namespaces/default/configmaps/b".to_owned(),
    ] {
        let mut watch = world.watch(&path).await;
        assert_eq!(watch.line().await, format!("ADDED b@{at}"), "{path}");
        assert!(watch.is_quiet());
    }
    let named = world.get(&format!("{MAPS}/b?watch=true")).await.expect(200);
    assert_eq!(named["kind"], "ConfigMap", "a watch of a named path is a get");
}

#[tokio::test]
async fn a_watch_by_name_follows_its_object_whatever_happens_to_others() {
    let world = World::new();
    let now = world.server.revision();
    let path = format!("{MAPS}?watch=true&fieldSelector=metadata.name%3Db&resourceVersion={now}");
    let mut watch = world.watch(&path).await;
    for name in ["a", "b", "c"] {
        world.map(name).await;
    }
    for name in ["a", "b"] {
        world.merge(&format!("{MAPS}/{name}"), json!({"data": {"a": "1"}})).await.expect(200);
    }
    for name in ["c", "b"] {
        world.delete(&format!("{MAPS}/{name}")).await.expect(200);
    }
    world.map("b").await;
    for (event, at) in [("ADDED", 2), ("MODIFIED", 5), ("DELETED", 7), ("ADDED", 8)] {
        assert_eq!(watch.line().await, format!("{event} b@{}", now + at));
    }
    assert!(watch.is_quiet());
}

#[tokio::test]
async fn an_object_that_is_watched_by_name_and_by_a_field_leaves_with_the_field() {
    let world = World::new();
    let selector = "fieldSelector=metadata.name%3Dp,status.phase%3DPending";
    let mut watch = world.watch(&format!("{PODS}?watch=true&{selector}")).await;
    let pod = json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    world.post(PODS, pod).await.expect(201);
    world.merge(&format!("{PODS}/p/status"), json!({"status": {"phase": "Running"}})).await.expect(200);
    for event in ["ADDED p", "DELETED p"] {
        assert!(watch.line().await.starts_with(event));
    }
    world.merge(&format!("{PODS}/p"), json!({"metadata": {"labels": {"a": "b"}}})).await.expect(200);
    assert!(watch.is_quiet());
}

const PODS: &str = "/api/v1/namespaces/default/pods";

#[tokio::test]
async fn a_version_beyond_the_ring_is_an_error_event_and_the_end() {
    let world = World { server: Server::builder().history(3).build() };
    let first = world.map("a").await;
    for value in 0..4 {
        world.merge(&format!("{MAPS}/a"), json!({"data": {"k": value.to_string()}})).await.expect(200);
    }
    let mut watch = world.watch(&format!("{MAPS}?watch=true&resourceVersion={first}")).await;
    let error = watch.next().await.unwrap();
    assert_eq!(error["type"], "ERROR");
    assert_eq!((&error["object"]["code"], &error["object"]["reason"]), (&json!(410), &json!("Expired")));
    let forgotten = first.parse::<u64>().unwrap() + 1;
    assert_eq!(error["object"]["message"], format!("too old resource version: {first} ({forgotten})"));
    assert_eq!(watch.line().await, "END");
    assert!(
        world
            .watch(&format!("{MAPS}?watch=true&resourceVersion={forgotten}"))
            .await
            .line()
            .await
            .starts_with("MODIFIED")
    );
}

#[tokio::test]
async fn expired_history_cuts_new_watches_and_not_open_ones() {
    let world = World::new();
    let first = world.map("a").await;
    let path = format!("{MAPS}?watch=true&resourceVersion={first}");
    let mut open = world.watch(&path).await;
    let second = world.map("b").await;
    world.server.expire_history();
    assert_eq!(open.line().await, format!("ADDED b@{second}"));
    assert_eq!(world.watch(&path).await.next().await.unwrap()["object"]["code"], 410);
    assert!(world.watch(&format!("{MAPS}?watch=true&resourceVersion={second}")).await.is_quiet());
}

#[tokio::test]
async fn a_watch_ends_when_its_server_is_gone() {
    let world = World::new();
    world.map("a").await;
    let mut watch = world.watch(&format!("{MAPS}?watch=true")).await;
    assert!(watch.line().await.starts_with("ADDED a@"));
    drop(world);
    assert_eq!(watch.line().await, "END");
}

#[tokio::test]
async fn a_watcher_that_is_too_slow_is_cut() {
    let world = World { server: Server::builder().history(2).build() };
    let mut watch = world.watch(&format!("{MAPS}?watch=true&resourceVersion={}", world.server.revision())).await;
    for name in ["a", "b", "c"] {
        world.map(name).await;
    }
    assert_eq!(watch.line().await, "END");
}

#[tokio::test(start_paused = true)]
async fn a_version_from_the_future_is_an_error_with_initial_events_and_silence_without() {
    let world = World::new();
    let query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=999";
    let mut watch = world.watch(&format!("{MAPS}?watch=true&{query}")).await;
    assert_eq!(watch.next().await.unwrap()["object"]["code"], 504);
    assert_eq!(watch.line().await, "END");
    assert!(world.watch(&format!("{MAPS}?watch=true&resourceVersion=999")).await.is_quiet());
}

#[tokio::test(start_paused = true)]
async fn a_watch_ends_cleanly_at_its_timeout_after_a_last_bookmark() {
    let world = World::new();
    let started = Instant::now();
    let now = world.server.revision();
    let mut watch = world
        .watch(&format!("{MAPS}?watch=true&resourceVersion={now}&timeoutSeconds=130&allowWatchBookmarks=true"))
        .await;
    let mut moments = Vec::new();
    while let Some(event) = watch.next().await {
        assert_eq!(
            (&event["type"], &event["object"]["metadata"]["resourceVersion"]),
            (&json!("BOOKMARK"), &json!(now.to_string()))
        );
        assert!(event["object"]["metadata"].get("annotations").is_none());
        moments.push(started.elapsed().as_secs());
    }
    assert_eq!(moments, [60, 120, 128]);
    assert_eq!(started.elapsed().as_secs(), 130);
    let mut plain = world.watch(&format!("{MAPS}?watch=true&resourceVersion={now}")).await;
    let started = Instant::now();
    assert_eq!(plain.line().await, "END");
    assert!((1800..3600).contains(&started.elapsed().as_secs()), "{:?}", started.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_bookmark_carries_the_version_of_the_whole_server() {
    let world = World { server: Server::builder().bookmark_period(Duration::from_secs(5)).build() };
    let mut watch = world
        .watch(&format!("{MAPS}?watch=true&resourceVersion={}&allowWatchBookmarks=true", world.server.revision()))
        .await;
    assert!(watch.is_quiet());
    world.post("/api/v1/namespaces/default/secrets", json!({"metadata": {"name": "s"}})).await.expect(201);
    advance(Duration::from_secs(5)).await;
    assert_eq!(watch.line().await, format!("BOOKMARK @{}", world.server.revision()));
}

#[tokio::test]
async fn the_metadata_form_of_a_watch_has_metadata_alone() {
    let world = World::new();
    world.map("a").await;
    let accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    let mut watch = world.watch_as(&format!("{MAPS}?watch=true&allowWatchBookmarks=true"), accept).await;
    for kind in ["ADDED", "BOOKMARK"] {
        let event = watch.next().await.unwrap();
        assert_eq!((&event["type"], &event["object"]["kind"]), (&json!(kind), &json!("PartialObjectMetadata")));
    }
    world.merge(&format!("{MAPS}/a"), json!({"data": {"k": "v"}})).await.expect(200);
    let event = watch.next().await.unwrap();
    assert_eq!(event["object"]["apiVersion"], "meta.k8s.io/v1");
    assert!(event["object"].get("data").is_none());
}

#[tokio::test]
async fn watches_of_other_versions_see_every_write() {
    let world = World::new();
    world.define().await;
    let beta = DOCUMENTS.replace("/v1/", "/v1beta1/");
    let mut watch = world.watch(&format!("{beta}?watch=true")).await;
    world.post(DOCUMENTS, json!({"metadata": {"name": "a"}})).await.expect(201);
    assert_eq!(watch.next().await.unwrap()["object"]["apiVersion"], "example.com/v1beta1");
}

#[tokio::test]
async fn a_changed_or_deleted_definition_ends_its_watches() {
    let world = World::new();
    world.define().await;
    let mut changed = world.watch(&format!("{DOCUMENTS}?watch=true")).await;
    let mut definition = definition();
    definition["spec"]["names"]["shortNames"] = json!(["docs"]);
    let path = format!("{DEFINITIONS}/documents.example.com");
    world.merge(&path, definition).await.expect(200);
    assert_eq!(changed.line().await, "END");
    let at = super::world::version(&world.post(DOCUMENTS, json!({"metadata": {"name": "a"}})).await.expect(201));
    let mut deleted = world.watch(&format!("{DOCUMENTS}?watch=true&resourceVersion={at}")).await;
    world.delete(&path).await.expect(200);
    assert!(deleted.line().await.starts_with("DELETED a@"));
    assert_eq!(deleted.line().await, "END");
}

#[tokio::test(start_paused = true)]
async fn who_takes_nothing_but_protobuf_gets_its_frames() {
    use pintle_wire::body::MediaType;
    use pintle_wire::{FrameError, Framer, Limits};

    let world = World::new();
    world.map("a").await;
    let path = format!("{MAPS}?watch=true&resourceVersion=0&timeoutSeconds=5&allowWatchBookmarks=true");
    let accept = [("accept", "application/vnd.kubernetes.protobuf;stream=watch")];
    let (parts, body) = world.bytes("GET", &path, &accept, Vec::new()).await;
    assert_eq!(parts.headers["content-type"], "application/vnd.kubernetes.protobuf;stream=watch");
    let mut framer = Framer::new(MediaType::Protobuf, Limits::default());
    let mut events = Vec::new();
    let mut note = |frame: pintle_wire::Frame<'_>| {
        let object: Value = frame.object.decode().unwrap();
        events.push((format!("{:?}", frame.kind), object["metadata"]["name"].clone()));
        Ok::<_, FrameError>(())
    };
    framer.push(&body, &mut note).unwrap();
    assert_eq!(events[0], ("Added".to_owned(), json!("a")));
    assert!(events[1..].iter().all(|(kind, _)| kind == "Bookmark") && events.len() > 1, "{events:?}");
    let yaml = [("accept", "application/yaml")];
    let refused = world.send("GET", &path, &yaml, Vec::new()).await;
    assert_eq!((refused.code, refused.header("content-type")), (406, "application/yaml"));
}
