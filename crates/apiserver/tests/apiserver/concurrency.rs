//! Many writers at once, and watchers who see all of it: once, in order, and in the end the server's own state.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::world::{MAPS, World, state_of};
use serde_json::{Value, json};

const WRITERS: u64 = 8;
const WRITES: usize = 150;
const END: &str = "zz-end";

type State = BTreeMap<String, Value>;

async fn write(world: Arc<World>, seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    for turn in 0..WRITES {
        let name = format!("o{}", random.u8(..6));
        let path = format!("{MAPS}/{name}");
        let (half, finalizers) = (random.bool(), if random.bool() { json!(["x/y"]) } else { json!([]) });
        let metadata = json!({"name": name, "labels": {"half": half.to_string()}, "finalizers": finalizers});
        let code =
            match random.u8(..8) {
                0 | 1 => world.post(MAPS, json!({"metadata": metadata})).await.code,
                2 => world.delete(&path).await.code,
                3 => world.merge(&path, json!({"metadata": {"finalizers": null}})).await.code,
                4 => {
                    let mut object = world.get(&path).await.json();
                    object["data"] = json!({"put": format!("{seed}-{turn}")});
                    world.put(&path, &object).await.code
                }
                5 => {
                    world
                        .patch(
                            &path,
                            "application/json-patch+json",
                            &json!([{"op": "add", "path": "/data", "value": {"n": turn.to_string()}}]),
                        )
                        .await
                        .code
                }
                _ => world
                    .merge(
                        &path,
                        json!({"metadata": {"labels": {"half": half.to_string()}}, "data": {"by": seed.to_string()}}),
                    )
                    .await
                    .code,
            };
        assert!(matches!(code, 200 | 201 | 400 | 404 | 409), "{code}");
        tokio::task::yield_now().await;
    }
}

/// Follows a watch to the marker and returns what it leads to.
async fn follow(world: Arc<World>, query: &'static str) -> State {
    let mut watch = world.watch(&format!("{MAPS}?watch=true&{query}")).await;
    let (mut state, mut last, mut synthetic) = (State::new(), 0, true);
    while let Some(event) = watch.next().await {
        let object = event["object"].clone();
        let version: u64 = object["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap();
        if event["type"] == "BOOKMARK" {
            assert!(version >= last, "a bookmark never goes back");
            (last, synthetic) = (version, false);
            continue;
        }
        assert!(synthetic || version > last, "{version} after {last}: {event}");
        last = last.max(version);
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        let fits = match event["type"].as_str().unwrap() {
            "ADDED" => state.insert(name.clone(), object).is_none(),
            "MODIFIED" => state.insert(name.clone(), object).is_some(),
            "DELETED" => state.remove(&name).is_some(),
            other => panic!("{other}: {event}"),
        };
        assert!(fits, "the event does not fit what was known: {event}");
        if name == END {
            return state;
        }
    }
    panic!("the watch ended before its marker")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_watch_among_concurrent_writers_leads_to_the_servers_state() {
    let world = Arc::new(World::new());
    let queries = [
        "allowWatchBookmarks=true",
        "allowWatchBookmarks=true&labelSelector=half%3Dtrue",
        "allowWatchBookmarks=true&labelSelector=half%3Dtrue&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
        "allowWatchBookmarks=true&fieldSelector=metadata.name!%3Do1",
    ];
    let follow_all = || queries.map(|query| (query, tokio::spawn(follow(Arc::clone(&world), query))));
    let mut watches: Vec<_> = follow_all().into();
    let writers: Vec<_> = (0..WRITERS).map(|seed| tokio::spawn(write(Arc::clone(&world), seed))).collect();
    for (number, writer) in writers.into_iter().enumerate() {
        writer.await.unwrap();
        if number == 0 {
            watches.extend(follow_all());
        }
    }
    world.post(MAPS, json!({"metadata": {"name": END, "labels": {"half": "true"}}})).await.expect(201);
    for (query, watch) in watches {
        let selector: String = query.split('&').filter(|part| part.contains("Selector")).collect();
        let list = world.get(&format!("{MAPS}?{selector}")).await.expect(200);
        assert_eq!(watch.await.unwrap(), state_of(&list), "{query}");
    }
}
