//! Many clients write at once through a mutating and a validating webhook: nothing is lost, nothing happens twice, and every
//! watch guarantees what it always does.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;
use pintle_apiserver::Server;
use serde_json::{Value, json};

use super::program::{Program, hook, mutating, patch, validating};
use super::{MUTATING, VALIDATING};
use crate::apiserver::guarantees::history::History;
use crate::apiserver::guarantees::judge;
use crate::apiserver::guarantees::recording::{Asked, Recorder, Start};
use crate::apiserver::world::{MAPS, World};

const CLIENTS: usize = 50;
/// Few, so that clients get into each other's way.
const MAPS_SHARED: usize = 16;
const COLLECTION: &str = "/api/v1/configmaps";

/// Marks what passes, and lets nothing pass that is not marked.
fn program() -> Program {
    Program::new(|path, review| {
        let object = &review["request"]["object"];
        match path {
            "/mark" if object["data"]["marked"].is_null() => {
                patch(&json!([{"op": "add", "path": "/data/marked", "value": review["request"]["uid"]}]))
            }
            "/mark" => patch(&json!([{"op": "replace", "path": "/data/marked", "value": review["request"]["uid"]}])),
            _ => json!({"allowed": object["data"]["marked"].is_string()}),
        }
    })
}

/// One client: adds one to a map, as often as it is to, and tries again where another one was faster. Returns the versions
/// that its writes got, and how often it added to each map.
async fn add(world: &World, client: usize, times: usize) -> (Vec<u64>, BTreeMap<String, u64>) {
    let mut random = fastrand::Rng::with_seed(client as u64);
    let (mut versions, mut added) = (Vec::new(), BTreeMap::new());
    while versions.len() < times {
        let name = format!("m{}", random.usize(..MAPS_SHARED));
        let path = format!("{MAPS}/{name}");
        let mut map = world.get(&path).await.expect(200);
        let total: u64 = map["data"]["total"].as_str().unwrap().parse().unwrap();
        map["data"]["total"] = (total + 1).to_string().into();
        let reply = world.put(&path, &map).await;
        if reply.code == 409 {
            continue;
        }
        let written = reply.expect(200);
        assert_eq!(written["data"]["total"], (total + 1).to_string(), "the answer is what was written");
        versions.push(written["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap());
        *added.entry(name).or_default() += 1;
    }
    (versions, added)
}

async fn write(writes: usize) {
    let program = program().jittered();
    let server = program.on(Server::builder().seed(7).watch_cache(false)).build();
    let world = World { server };
    world.post(MUTATING, mutating("m", &[hook("mark")])).await.expect(201);
    world.post(VALIDATING, validating("v", &[hook("check")])).await.expect(201);
    for number in 0..MAPS_SHARED {
        let map = json!({"metadata": {"name": format!("m{number}")}, "data": {"total": "0"}});
        world.post(MAPS, map).await.expect(201);
    }
    let from = world.server.revision();
    let mut recorder = Recorder::open(&world, Asked::all(COLLECTION, Start::After(from))).await;
    let done = join_all((0..CLIENTS).map(|client| add(&world, client, writes / CLIENTS))).await;
    recorder.read(&world).await;

    let versions: BTreeSet<u64> = done.iter().flat_map(|(versions, _)| versions).copied().collect();
    assert_eq!(versions.len(), writes, "every write has a version of its own");
    assert_eq!(versions, (from + 1..=from + writes as u64).collect(), "and no version is anything else");
    for (versions, _) in &done {
        assert!(versions.is_sorted(), "a client's writes are in its order");
    }
    for number in 0..MAPS_SHARED {
        let name = format!("m{number}");
        let map: Value = world.get(&format!("{MAPS}/{name}")).await.expect(200);
        let added: u64 = done.iter().filter_map(|(_, added)| added.get(&name)).sum();
        assert_eq!(map["data"]["total"], added.to_string(), "{name}: none lost, none doubled");
    }
    let history = History::read(&world, COLLECTION, from, world.server.revision()).await;
    let recording = recorder.finish();
    assert_eq!(recording.events.iter().filter(|event| event.kind == "MODIFIED").count(), writes);
    judge(&recording, &history);
    // Each of them was marked and checked, those that lost at their commit more than once.
    assert!(program.reviews().len() >= 2 * writes);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_lost_or_doubled_with_fifty_clients_and_two_webhooks() {
    write(500).await;
}

#[tokio::test(start_paused = true)]
#[ignore = "the same, twenty times as long"]
async fn nothing_is_lost_or_doubled_in_ten_thousand_writes() {
    write(10_000).await;
}
