//! One schedule of a store that follows config maps.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::StreamExt;
use futures::future::FutureExt;
use futures::stream::BoxStream;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, DeleteParams, PostParams};
use pintle::runtime::reflector::{Changes, Store, Writer, reflector, store};
use pintle::runtime::watcher::{self, watcher};
use pintle::testing::{Server, ServerExt};
use tokio::time::{Instant, sleep};

use super::planted_bugs::{Plant, Toll};
use super::{
    Contents, Entries, Happened, Outcome, SETTLES_WITHIN, STALE_MAX, config, is_untrue, known, make_trouble, mend,
    write,
};
use crate::world::config_map;

/// Is there from the beginning to the end.
pub(super) const ROCK: &str = "rock";

pub(super) async fn play(seed: u64, plant: Option<Plant>) -> Outcome {
    let mut random = fastrand::Rng::with_seed(seed);
    // The jitter of backoffs is drawn from this thread's chances, and the runtime of a story has no other thread.
    fastrand::seed(seed);
    let server = Server::builder().seed(seed).namespace_defaults(false).build();
    place_rock(&server).await;
    // The bugs are planted into stores of plain objects.
    make_trouble(&server, &mut random, if plant.is_some() { Entries::Plain } else { Entries::Packed });
    let (store, writer) = store();
    let mut changes = store.changes();
    let toll = Toll::new(store.clone(), plant);
    let maps: Api<ConfigMap> = Api::default_namespaced(toll.client(&server));
    let keeping = tokio::spawn(reflected(maps, config(&mut random), writer, plant).for_each(|()| async {}));
    let mut happened = Happened::default();
    for _ in 0..random.usize(5..25) {
        happened.note(write(&server, &mut random).await);
        sleep(Duration::from_millis(random.u64(0..20_000))).await;
    }
    server.lift_faults();
    let settled = settles(&store, &server).await;
    keeping.abort();
    settled?;
    toll.verdict()?;
    let mirror = played_back(&mut changes)?;
    if mirror != known(&store) {
        return Err(format!("changes played back are {mirror:?}, the store is {:?}", known(&store)));
    }
    Ok(happened.with(&server))
}

/// Somebody who was there before and stays, long enough ago that no answer is so stale that it is not in it; lists by pages
/// come to it last.
async fn place_rock(server: &Server) {
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    maps.create(&PostParams::default(), &config_map(ROCK)).await.unwrap();
    for _ in 0..STALE_MAX {
        maps.create(&PostParams::default(), &config_map("foam")).await.unwrap();
        maps.delete("foam", &DeleteParams::default()).await.unwrap();
    }
}

/// Fills the store, with the bug of `plant` on the way.
fn reflected(
    maps: Api<ConfigMap>,
    config: watcher::Config,
    writer: Writer<ConfigMap>,
    plant: Option<Plant>,
) -> BoxStream<'static, ()> {
    match plant {
        None => watcher(maps, config).reflect(writer).map(drop).boxed(),
        Some(plant) => {
            let events = watcher(maps, config).map(plant.spoiling()).flat_map(futures::stream::iter);
            reflector(writer, events).map(drop).boxed()
        }
    }
}

async fn settles(store: &Store<ConfigMap>, server: &Server) -> Result<(), String> {
    let start = Instant::now();
    while let Some(wrong) = is_untrue(store, server).await {
        if start.elapsed() > SETTLES_WITHIN {
            return Err(wrong);
        }
        mend(store, server).await;
        sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}

/// What the changes come to; who stays may never go, not even for a moment.
fn played_back(changes: &mut Changes<ConfigMap>) -> Result<Contents, String> {
    let mut mirror = BTreeMap::new();
    while let Some(Some(notice)) = changes.next().now_or_never() {
        match notice.new {
            Some(new) => mirror.insert(notice.key.name.to_string(), new.resource_version()),
            None if notice.key.name.as_ref() == ROCK => return Err(format!("{ROCK} was there and the store lost it")),
            None => mirror.remove(notice.key.name.as_ref()),
        };
    }
    Ok(mirror)
}
