//! The promise behind every cache: a list and the watch from its version lead to the next list.

use std::collections::BTreeMap;

use super::world::{MAPS, World, state_of, version};
use futures::FutureExt;
use serde_json::{Value, json};

type State = BTreeMap<String, Value>;

async fn step(world: &World, random: &mut fastrand::Rng) {
    let name = ["a", "b", "c", "d"][random.usize(..4)];
    let path = format!("{MAPS}/{name}");
    let on = if random.bool() { json!("yes") } else { json!(null) };
    match random.u8(..4) {
        0 => drop(world.delete(&path).await),
        1 => drop(world.post(MAPS, json!({"metadata": {"name": name, "labels": {"on": "yes"}}})).await),
        _ => drop(
            world
                .merge(&path, json!({"metadata": {"labels": {"on": on}}, "data": {"n": random.u8(..3).to_string()}}))
                .await,
        ),
    }
}

async fn replay(world: &World, mut state: State, query: &str, from: &str) -> State {
    let mut watch = world.watch(&format!("{MAPS}?watch=true&resourceVersion={from}&{query}")).await;
    while let Some(event) = watch.next().now_or_never().flatten() {
        let object = event["object"].clone();
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        let known = match event["type"].as_str().unwrap() {
            "DELETED" => state.remove(&name).is_some(),
            "MODIFIED" => state.insert(name, object).is_some(),
            "ADDED" => state.insert(name, object).is_none(),
            other => panic!("{other}: {event}"),
        };
        assert!(known, "the event does not fit what was known: {event}");
    }
    state
}

#[tokio::test]
async fn a_list_and_the_watch_from_its_version_lead_to_the_next_list() {
    for seed in 0..30 {
        let world = World::new();
        let mut random = fastrand::Rng::with_seed(seed);
        for query in ["", "labelSelector=on", "fieldSelector=metadata.name!%3Db"] {
            let mut lists = Vec::new();
            for _ in 0..12 {
                lists.push(world.get(&format!("{MAPS}?{query}")).await.expect(200));
                step(&world, &mut random).await;
            }
            let last = state_of(&world.get(&format!("{MAPS}?{query}")).await.expect(200));
            for list in &lists {
                let from = version(list);
                assert_eq!(
                    replay(&world, state_of(list), query, &from).await,
                    last,
                    "seed {seed}, {query}, from {from}"
                );
                let exact =
                    world.get(&format!("{MAPS}?{query}&resourceVersionMatch=Exact&resourceVersion={from}")).await;
                assert_eq!(state_of(&exact.expect(200)), state_of(list), "seed {seed}, {query}, at {from}");
            }
        }
    }
}
