//! One schedule of a store that follows config maps.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::StreamExt;
use futures::future::FutureExt;
use futures::stream::BoxStream;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, DeleteParams, PostParams};
use pintle::runtime::WatchStreamExt;
use pintle::runtime::reflector::{Changes, Store, Writer, reflector, store};
use pintle::runtime::watcher::{self, watcher};
use pintle::testing::{Server, ServerExt};
use tokio::time::{Instant, sleep};

use super::planted_bugs::{PlantedBug, RequestCheck};
use super::{
    Contents, Entries, Occurrences, Outcome, SETTLES_WITHIN, STALE_MAX, add_faults, config, difference, known, repair,
    write,
};
use crate::world::config_map;

/// The name of an object that exists from the beginning to the end.
pub(super) const PERMANENT: &str = "permanent";

pub(super) async fn run(seed: u64, bug: Option<PlantedBug>) -> Outcome {
    let mut random = fastrand::Rng::with_seed(seed);
    // The jitter of backoffs comes from this thread's random numbers, and a story's runtime has no other thread.
    fastrand::seed(seed);
    let server = Server::builder().seed(seed).namespace_defaults(false).build();
    create_permanent(&server).await;
    // The bugs are planted into stores of plain objects.
    add_faults(&server, &mut random, if bug.is_some() { Entries::Plain } else { Entries::Packed });
    let (store, writer) = store();
    let mut changes = store.changes();
    let check = RequestCheck::new(store.clone(), bug);
    let maps: Api<ConfigMap> = Api::default_namespaced(check.client(&server));
    let keeping = tokio::spawn(reflected(maps, config(&mut random), writer, bug).for_each(|()| async {}));
    let mut occurrences = Occurrences::default();
    for _ in 0..random.usize(5..25) {
        occurrences.note(write(&server, &mut random).await);
        sleep(Duration::from_millis(random.u64(0..20_000))).await;
    }
    server.lift_faults();
    let settled = settles(&store, &server).await;
    keeping.abort();
    settled?;
    check.verdict()?;
    let replica = replayed(&mut changes)?;
    if replica != known(&store) {
        return Err(format!("changes ran back are {replica:?}, the store is {:?}", known(&store)));
    }
    Ok(occurrences.with(&server))
}

/// Creates the permanent object so early that every stale answer contains it. Its name makes it the last of a paged list.
async fn create_permanent(server: &Server) {
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    maps.create(&PostParams::default(), &config_map(PERMANENT)).await.unwrap();
    for _ in 0..STALE_MAX {
        maps.create(&PostParams::default(), &config_map("ephemeral")).await.unwrap();
        maps.delete("ephemeral", &DeleteParams::default()).await.unwrap();
    }
}

/// Fills the store, with the planted bug in between.
fn reflected(
    maps: Api<ConfigMap>,
    config: watcher::Config,
    writer: Writer<ConfigMap>,
    bug: Option<PlantedBug>,
) -> BoxStream<'static, ()> {
    match bug {
        None => watcher(maps, config).reflect(writer).map(drop).boxed(),
        Some(bug) => {
            let events = watcher(maps, config).map(bug.changing_events()).flat_map(futures::stream::iter);
            reflector(writer, events).map(drop).boxed()
        }
    }
}

async fn settles(store: &Store<ConfigMap>, server: &Server) -> Result<(), String> {
    let start = Instant::now();
    while let Some(wrong) = difference(store, server).await {
        if start.elapsed() > SETTLES_WITHIN {
            return Err(wrong);
        }
        repair(store, server).await;
        sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}

/// The state that the changes add up to. The permanent object may never be missing.
fn replayed(changes: &mut Changes<ConfigMap>) -> Result<Contents, String> {
    let mut replica = BTreeMap::new();
    while let Some(Some(notice)) = changes.next().now_or_never() {
        match notice.new {
            Some(new) => replica.insert(notice.key.name.to_string(), new.resource_version()),
            None if notice.key.name.as_ref() == PERMANENT => {
                return Err(format!("{PERMANENT} exists and the store lost it"));
            }
            None => replica.remove(notice.key.name.as_ref()),
        };
    }
    Ok(replica)
}
