//! Many writers at once, and watchers who see all of it: every guarantee of a watch holds among them.

use std::sync::Arc;

use super::guarantees::history::History;
use super::guarantees::judge;
use super::guarantees::recording::{Asked, Recorder, Recording, Selector, Start};
use super::world::{MAPS, World};
use pintle_apiserver::Server;
use serde_json::json;

const WRITERS: u64 = 8;
const WRITES: usize = 150;
/// Each makes the object larger.
const CHANGES: usize = 30;
const END: &str = "zz-end";

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

/// Follows a watch to the marker.
async fn follow(world: Arc<World>, asked: Asked) -> Recording {
    let mut recorder = Recorder::open(&world, asked).await;
    recorder.read_until(END).await;
    recorder.finish()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_watch_among_concurrent_writers_keeps_every_guarantee() {
    let world = Arc::new(World { server: Server::builder().seed(7).watch_cache(false).build() });
    let begin = world.server.revision();
    let half = Selector::Label("half", "true");
    let all = |start| Asked { namespace: Some("default"), ..Asked::all("/api/v1/configmaps", start) };
    let asked = || {
        [
            all(Start::After(begin)),
            all(Start::State),
            Asked { selector: half, ..all(Start::After(begin)) },
            Asked { selector: half, ..all(Start::State) },
            Asked { selector: Selector::NameNot("o1"), ..all(Start::State) },
            Asked { metadata_only: true, ..all(Start::State) },
        ]
    };
    let follow_all = || asked().map(|asked| tokio::spawn(follow(Arc::clone(&world), asked)));
    let mut watches: Vec<_> = follow_all().into();
    let writers: Vec<_> = (0..WRITERS).map(|seed| tokio::spawn(write(Arc::clone(&world), seed))).collect();
    for (number, writer) in writers.into_iter().enumerate() {
        writer.await.unwrap();
        if number == 0 {
            watches.extend(follow_all());
        }
    }
    world.post(MAPS, json!({"metadata": {"name": END, "labels": {"half": "true"}}})).await.expect(201);
    let history = History::read(&world, "/api/v1/configmaps", begin, world.server.revision()).await;
    for watch in watches {
        let mut recording = watch.await.unwrap();
        recording.resume_after_every(97, &world).await;
        judge(&recording, &history);
        assert_eq!(recording.complete_up_to(), world.server.revision(), "it received everything");
    }
}

/// Patches and applies are worked out before their turn; what another one wrote meanwhile must be in them all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_change_of_one_object_is_lost_among_many_at_once() {
    let world = Arc::new(World::new());
    let path = format!("{MAPS}/a");
    world.post(MAPS, json!({"metadata": {"name": "a"}, "data": {"first": "v"}})).await.expect(201);
    let begin = world.server.revision();
    let writer = |writer: u64| {
        let (world, path) = (Arc::clone(&world), path.clone());
        tokio::spawn(async move {
            for turn in 0..CHANGES {
                let key = format!("{writer}-{turn}");
                match writer % 3 {
                    0 => world.merge(&path, json!({"data": {key: "merged"}})).await,
                    1 => {
                        let add = json!([{"op": "add", "path": format!("/data/{key}"), "value": "added"}]);
                        world.patch(&path, "application/json-patch+json", &add).await
                    }
                    _ => {
                        let stated = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {&key: "applied"}});
                        let path = format!("{path}?fieldManager={key}");
                        world.patch(&path, "application/apply-patch+yaml", &stated).await
                    }
                }
                .expect(200);
            }
        })
    };
    for writer in (0..WRITERS).map(writer).collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let (all, object) = (WRITERS as usize * CHANGES, world.get(&path).await.expect(200));
    assert_eq!(object["data"].as_object().unwrap().len(), all + 1);
    let applied = object["metadata"]["managedFields"].as_array().unwrap().iter();
    let applied = applied.filter(|entry| entry["operation"] == "Apply").count();
    assert_eq!(applied, CHANGES * (0..WRITERS).filter(|writer| writer % 3 == 2).count());
    assert_eq!(world.server.revision() - begin, all as u64, "each was one change");
}
