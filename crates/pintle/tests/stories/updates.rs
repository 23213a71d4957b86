//! Read, modify, write: concurrent writers lose no change.

use futures::future::join_all;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::apply::Change;
use pintle::api::{Api, PostParams};
use pintle::core::difference::Difference;
use pintle::{ErrorKind, ResourceExt};

use crate::world::{World, config_map};

fn count(map: &mut ConfigMap) {
    let counter = map.data.get_or_insert_default().entry("count".into()).or_default();
    *counter = (counter.parse::<usize>().unwrap_or_default() + 1).to_string();
}

fn counted(map: &ConfigMap) -> &str {
    map.data.as_ref().and_then(|data| data.get("count")).map_or("", String::as_str)
}

#[tokio::test(start_paused = true)]
async fn concurrent_modifications_are_all_applied() {
    let world = World::new();
    world.create_config_map("shared").await;
    let changing = (0..3).map(|_| {
        let maps = world.config_maps();
        // Each on its own task, as reconcilers are.
        tokio::spawn(async move { maps.modify("shared", &PostParams::default(), count).await.unwrap().change })
    });
    for change in join_all(changing).await {
        assert_eq!(change.unwrap(), Change::Changed);
    }
    assert_eq!(counted(&world.config_maps().get("shared").await.unwrap()), "3");
}

#[tokio::test(start_paused = true)]
async fn concurrent_create_or_update_creates_once_and_then_updates() {
    let world = World::new();
    let (maps, fresh, pp) = (world.config_maps(), config_map("shared"), PostParams::default());
    let written = join_all((0..3).map(|_| maps.create_or_update(&pp, &fresh, count))).await;
    let mut changes: Vec<_> = written.into_iter().map(|written| written.unwrap().change).collect();
    changes.sort_by_key(|change| *change == Change::Changed);
    assert_eq!(changes, [Change::Created, Change::Changed, Change::Changed]);
    assert_eq!(counted(&maps.get("shared").await.unwrap()), "3");
}

#[tokio::test(start_paused = true)]
async fn a_modification_that_changes_nothing_is_not_sent() {
    let world = World::new();
    world.create_config_map("a").await;
    let (maps, pp) = (world.config_maps(), PostParams::default());
    let sent = world.requests().len();
    assert_eq!(maps.modify("a", &pp, |_| {}).await.unwrap().change, Change::Unchanged);
    assert_eq!(maps.create_or_update(&pp, &config_map("a"), |_| {}).await.unwrap().change, Change::Unchanged);
    assert!(world.requests()[sent..].iter().all(|request| request.starts_with("GET")), "{:?}", world.requests());
    let nameless = maps.create_or_update(&pp, &ConfigMap::default(), |_| {}).await.unwrap_err();
    assert_eq!(nameless.kind(), ErrorKind::Misuse);
    assert!(maps.modify("absent", &pp, |_| {}).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_difference_keeps_the_changes_of_others_unless_it_is_locked() {
    let world = World::new();
    let read = world.create_config_map("a").await;
    let maps: Api<ConfigMap> = world.config_maps();
    let mut wanted = read.clone();
    count(&mut wanted);
    let difference = Difference::between(&read, &wanted).unwrap();

    maps.modify("a", &PostParams::default(), |map| drop(map.labels_mut().insert("by".into(), "others".into())))
        .await
        .unwrap();
    let locked = difference.clone().locked().unwrap();
    for refused in [
        maps.patch("a", &Default::default(), &locked.merge_patch()).await,
        maps.patch("a", &Default::default(), &locked.json_patch()).await,
    ] {
        assert!(matches!(&refused, Err(pintle::Error::Api(status)) if status.is_conflict()), "{refused:?}");
    }
    for patch in [difference.merge_patch(), difference.json_patch()] {
        let patched = maps.patch("a", &Default::default(), &patch).await.unwrap();
        assert_eq!((counted(&patched), patched.labels()["by"].as_str()), ("1", "others"));
    }
}
