//! One watch with many subscribers: `store_shared`, `subscribe`, `changes`.

use std::time::Duration;

use futures::{FutureExt, StreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::ResourceExt;
use pintle::api::{DeleteParams, Patch, PatchParams};
use pintle::runtime::reflector::{Notice, ReflectHandle, Store, store, store_shared};
use pintle::runtime::{WatchStreamExt, watcher};

use crate::world::World;

/// A shared store filled in the background, and a subscriber.
fn share(world: &World) -> (Store<ConfigMap>, ReflectHandle<ConfigMap>, tokio::task::JoinHandle<()>) {
    let (reader, writer) = store_shared(16);
    let subscriber = writer.subscribe().expect("the writer is shared");
    let stream = watcher(world.config_maps(), World::watching()).reflect_shared(writer);
    (reader, subscriber, tokio::spawn(stream.for_each(|_| std::future::ready(()))))
}

async fn touch(world: &World, name: &str, value: &str) {
    let patch = Patch::Merge(serde_json::json!({"data": {"k": value}}));
    world.config_maps().patch(name, &PatchParams::default(), &patch).await.unwrap();
}

async fn delete(world: &World, name: &str) {
    world.config_maps().delete(name, &DeleteParams::default()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn subscribers_share_one_watch_and_late_ones_first_receive_the_current_objects() {
    let world = World::new();
    for name in ["a", "b"] {
        world.create_config_map(name).await;
    }
    let (reader, mut early, _keeping) = share(&world);
    assert_eq!([early.next().await.unwrap().name_any(), early.next().await.unwrap().name_any()], ["a", "b"]);
    assert!(reader.is_ready());

    let mut late = early.clone();
    assert_eq!([late.next().await.unwrap().name_any(), late.next().await.unwrap().name_any()], ["a", "b"]);
    world.create_config_map("c").await;
    for handle in [&mut early, &mut late] {
        assert_eq!(handle.next().await.unwrap().name_any(), "c");
    }
    assert_eq!(late.reader().len(), 3);
    let watches = world.requests().iter().filter(|call| call.contains("watch=true")).count();
    assert_eq!(watches, 1, "all of them share one watch");
}

#[tokio::test(start_paused = true)]
async fn a_subscriber_that_is_never_polled_does_not_stall_the_others() {
    let world = World::new();
    let (reader, mut idle, _keeping) = share(&world);
    for number in 0..50 {
        world.create_config_map(&format!("m{number}")).await;
    }
    world.until("everything arrives", async || reader.len() == 50).await;
    let touched = reader.find(|map| map.name_any() == "m7").unwrap().as_ref().into();
    let value = || reader.get(&touched).and_then(|map| map.data.as_ref()?.get("k").cloned());
    for round in 0..5 {
        touch(&world, "m7", &round.to_string()).await;
        // Each update arrives before the next is sent, so a backlog could hold all of them.
        world.until("the touch arrives", async || value() == Some(round.to_string())).await;
    }
    let received: Vec<_> = idle.by_ref().take(50).map(|map| map.name_any()).collect().await;
    assert_eq!(received.iter().filter(|name| *name == "m7").count(), 1, "its backlog holds each object once");
    assert!(idle.next().now_or_never().is_none(), "and nothing after them");
}

/// kube 5 loses the wake-up: its handle looks for a deleted object, finds none, and sleeps although more is queued.
#[tokio::test(start_paused = true)]
async fn a_queued_object_that_was_deleted_does_not_leave_its_subscriber_asleep() {
    let world = World::new();
    let (reader, mut subscriber, _keeping) = share(&world);
    reader.wait_until_ready().await.unwrap();
    world.create_config_map("deleted").await;
    world.create_config_map("kept").await;
    delete(&world, "deleted").await;
    world.until("it is gone", async || reader.len() == 1).await;
    let next = subscriber.next().now_or_never().flatten();
    assert_eq!(next.map(|map| map.name_any()).as_deref(), Some("kept"), "without waiting for another event");
}

#[tokio::test(start_paused = true)]
async fn changes_include_deletes_and_old_objects_even_if_only_a_relist_shows_them() {
    let world = World::new();
    world.create_config_map("a").await;
    let (reader, writer) = store::<ConfigMap>();
    let mut changes = reader.changes();
    let stream = watcher(world.config_maps(), World::watching()).reflect(writer);
    let _keeping = tokio::spawn(stream.for_each(|_| std::future::ready(())));

    let notice = changes.next().await.unwrap();
    assert!(matches!(&notice, Notice { old: None, new: Some(_), is_initial: true, .. }), "{notice:?}");
    touch(&world, "a", "1").await;
    let notice = changes.next().await.unwrap();
    assert!(notice.old.as_ref().unwrap().get().unwrap().data.is_none());
    assert_eq!(notice.new.as_ref().unwrap().get().unwrap().data.as_ref().unwrap()["k"], "1");
    assert!(!notice.is_initial);
    world.create_config_map("b").await;
    assert_eq!(format!("{:?}", changes.next().await.unwrap()), format!("Added({}/b)", world.namespace()));

    let down = world.without_watches();
    delete(&world, "a").await;
    world.expire_history().await;
    drop(down);
    let notice = tokio::time::timeout(Duration::from_secs(60), changes.next()).await.unwrap().unwrap();
    assert_eq!(format!("{notice:?}"), format!("Deleted({}/a)", world.namespace()));
    assert_eq!(notice.old.unwrap().get().unwrap().data.as_ref().unwrap()["k"], "1", "with the last known object");
}

#[tokio::test(start_paused = true)]
async fn streams_of_a_store_end_after_their_backlog_when_the_writer_is_dropped() {
    let world = World::new();
    world.create_config_map("a").await;
    let (reader, subscriber, keeping) = share(&world);
    reader.wait_until_ready().await.unwrap();
    keeping.abort();
    let received: Vec<_> = subscriber.map(|map| map.name_any()).collect().await;
    assert_eq!(received, ["a"]);
    let late: Vec<_> = reader.changes().map(|notice| notice.key.to_string()).collect().await;
    assert_eq!(late, [format!("{}/a", world.namespace())], "a stream opened later ends, too");
}

#[tokio::test]
async fn only_a_shared_writer_has_subscribers_as_in_kube() {
    let (_, writer) = store::<ConfigMap>();
    assert!(writer.subscribe().is_none());
}

#[tokio::test(start_paused = true)]
async fn any_event_stream_can_fill_a_shared_store() {
    let world = World::new();
    world.create_config_map("a").await;
    let (_, writer) = store_shared::<ConfigMap>(1);
    let mut subscriber = writer.subscribe().unwrap();
    let stream = watcher(world.config_maps(), World::watching()).boxed().reflect_shared(writer);
    let _keeping = tokio::spawn(stream.for_each(|_| std::future::ready(())));
    assert_eq!(subscriber.next().await.unwrap().name_any(), "a");
}
