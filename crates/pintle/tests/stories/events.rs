//! `events::Recorder`: Event objects, repeats counted, floods limited, outages survived.

use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::Event as EventObject;
use pintle::Resource;
use pintle::api::{Api, ListParams};
use pintle::runtime::events::{Event, EventType, Recorder, Reporter};

use crate::world::World;

fn event(note: &str) -> Event {
    Event {
        type_: EventType::Normal,
        reason: "Synced".into(),
        note: Some(note.into()),
        action: "Sync".into(),
        secondary: None,
    }
}

fn recorder(world: &World) -> Recorder {
    let reporter = Reporter { controller: "example.com/documents".into(), instance: Some("pod-1".into()) };
    Recorder::new(world.client.clone(), reporter)
}

async fn about(world: &World, name: &str) -> ObjectReference {
    world.create_config_map(name).await.object_ref(&())
}

async fn events(world: &World) -> Vec<EventObject> {
    let events: Api<EventObject> = Api::default_namespaced(world.client.clone());
    events.list(&ListParams::default()).await.unwrap().items
}

fn counts(events: &[EventObject]) -> Vec<i32> {
    events.iter().map(|event| event.series.as_ref().map_or(1, |series| series.count)).collect()
}

#[tokio::test(start_paused = true)]
async fn an_event_is_stored_in_the_namespace_of_its_object_and_repeats_are_counted() {
    let world = World::embedded();
    let (recorder, map) = (recorder(&world), about(&world, "a").await);
    for note in ["one", "two", "three"] {
        recorder.publish(&event(note), &map).await.unwrap();
    }
    let stored = events(&world).await;
    assert_eq!(counts(&stored), [3]);
    let first = &stored[0];
    assert_eq!(first.regarding.as_ref().unwrap().name.as_deref(), Some("a"));
    assert_eq!(first.reporting_instance.as_deref(), Some("pod-1"));
    assert_eq!((first.type_.as_deref(), first.note.as_deref()), (Some("Normal"), Some("one")));
    assert!(first.metadata.name.as_deref().unwrap().starts_with("a."));

    tokio::time::advance(Duration::from_secs(400)).await;
    recorder.publish(&event("four"), &map).await.unwrap();
    assert_eq!(events(&world).await.len(), 2, "after six minutes it is a new Event");
}

#[tokio::test(start_paused = true)]
async fn an_event_about_a_cluster_scoped_object_goes_to_the_default_namespace() {
    let world = World::embedded();
    let node = ObjectReference { kind: Some("Node".into()), name: Some("n".into()), ..ObjectReference::default() };
    recorder(&world).publish(&event("hot"), &node).await.unwrap();
    assert_eq!(events(&world).await[0].metadata.namespace.as_deref(), Some("default"));
}

/// kube's recorder waits for the server, and the reconcile with it.
#[tokio::test(start_paused = true)]
async fn emitting_an_event_does_not_block_during_an_outage() {
    let world = World::embedded();
    let (recorder, map) = (recorder(&world), about(&world, "a").await);
    let down = world.without_server();
    let start = tokio::time::Instant::now();
    recorder.emit(&event("one"), &map);
    assert_eq!(start.elapsed(), Duration::ZERO);
    tokio::time::sleep(Duration::from_secs(30)).await;
    drop(down);
    recorder.flush().await;
    assert_eq!(counts(&events(&world).await), [1]);
    assert_eq!(recorder.dropped(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_events_about_one_object_is_rate_limited_and_logged() {
    let world = World::new();
    let (recorder, map, other) = (recorder(&world), about(&world, "a").await, about(&world, "b").await);
    let log = crate::world::log::Log::catch();
    for _ in 0..100 {
        recorder.emit(&event("same"), &map);
    }
    recorder.emit(&event("same"), &other);
    recorder.flush().await;
    assert_eq!(counts(&events(&world).await), [25, 1]);
    assert_eq!(recorder.dropped(), 75);
    assert_eq!(log.lines_with("events are lost").len(), 7, "at 1, 2, 4, … 64");
}

#[tokio::test(start_paused = true)]
async fn emitted_events_keep_their_notes_until_there_are_too_many_and_are_then_combined() {
    let world = World::new();
    let (recorder, map) = (recorder(&world), about(&world, "a").await);
    for number in 0..14 {
        recorder.emit(&event(&number.to_string()), &map);
    }
    recorder.flush().await;
    let stored = events(&world).await;
    let combined: Vec<_> =
        stored.iter().filter(|it| it.note.as_deref() == Some("(combined from similar events)")).cloned().collect();
    assert_eq!((stored.len(), counts(&combined)), (11, vec![4]));
}

#[tokio::test(start_paused = true)]
async fn an_event_the_server_refuses_is_dropped_and_not_retried_forever() {
    let world = World::new();
    let recorder = recorder(&world);
    let nowhere = ObjectReference {
        name: Some("x".into()),
        namespace: Some("no-such-namespace".into()),
        ..ObjectReference::default()
    };
    let log = crate::world::log::Log::catch();
    recorder.emit(&event("one"), &nowhere);
    recorder.flush().await;
    assert_eq!(recorder.dropped(), 1);
    let lines = log.lines_with("events are lost: the server refused one: ");
    assert!(matches!(&lines[..], [line] if line.contains("no-such-namespace")), "the log says why: {lines:?}");
}
