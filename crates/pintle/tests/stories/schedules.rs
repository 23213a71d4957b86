//! Random schedules of faults: whatever happens between a store and its server, once it stops the store is true.
//!
//! A schedule follows from its seed: the server's chances, what is written when, how the store watches. One that fails
//! prints its seed; `PINTLE_SCHEDULE=seed` plays it alone, `PINTLE_SCHEDULES=n` plays so many.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::ResourceExt;
use pintle::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use pintle::runtime::reflector::{Store, store};
use pintle::runtime::watcher::{self, InitialListStrategy, watcher};
use pintle::testing::{Fault, Requests, Server, ServerExt};
use tokio::time::{Instant, sleep};

use crate::world::config_map;

/// As many as take a few seconds; the full count is a matter of the environment.
const SCHEDULES: u64 = 300;
/// The longest a store may take to become true: a stalled watch's timeout and grace, and the longest backoff twice.
const SETTLES_WITHIN: Duration = Duration::from_secs(60 + 30 + 120);

type Contents = BTreeMap<String, Option<String>>;

#[tokio::test(start_paused = true)]
async fn after_random_schedules_of_faults_every_store_is_true() {
    let number = |name: &str| std::env::var(name).ok().and_then(|it| it.parse::<u64>().ok());
    let seeds = number("PINTLE_SCHEDULE")
        .map_or_else(|| 0..number("PINTLE_SCHEDULES").unwrap_or(SCHEDULES), |seed| seed..seed + 1);
    let mut fired = BTreeMap::<&str, u64>::new();
    for seed in seeds {
        for (name, count) in play(seed).await {
            *fired.entry(name).or_default() += count;
        }
    }
    println!("{fired:#?}");
}

async fn play(seed: u64) -> BTreeMap<&'static str, u64> {
    let mut random = fastrand::Rng::with_seed(seed);
    let server = Server::builder().seed(seed).namespace_defaults(false).build();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    make_trouble(&server, &mut random);
    let (store, writer) = store();
    let mut changes = store.changes();
    let stream = watcher(maps, config(&mut random)).reflect(writer);
    let keeping = tokio::spawn(stream.for_each(|_| std::future::ready(())));
    for _ in 0..random.usize(5..25) {
        write(&server, &mut random).await;
        sleep(Duration::from_millis(random.u64(0..20_000))).await;
    }
    server.lift_faults();
    let start = Instant::now();
    while known(&store) != there(&server).await {
        assert!(start.elapsed() < SETTLES_WITHIN, "seed {seed}: {:?} is not {:?}", known(&store), there(&server).await);
        sleep(Duration::from_secs(1)).await;
    }
    let mut mirror = Contents::new();
    while let Some(Some(notice)) = futures::FutureExt::now_or_never(changes.next()) {
        match notice.new {
            Some(new) => mirror.insert(notice.key.name.to_string(), new.get().unwrap().resource_version()),
            None => mirror.remove(notice.key.name.as_ref()),
        };
    }
    assert_eq!(mirror, known(&store), "seed {seed}: changes played back are the store");
    keeping.abort();
    server.faults_fired()
}

fn config(random: &mut fastrand::Rng) -> watcher::Config {
    let initial_list_strategy =
        if random.bool() { InitialListStrategy::ListWatch } else { InitialListStrategy::StreamingList };
    let config = watcher::Config { initial_list_strategy, ..watcher::Config::default().timeout(60).page_size(2) };
    if random.u8(0..3) == 0 { config.any_semantic() } else { config }
}

fn make_trouble(server: &Server, random: &mut fastrand::Rng) {
    let (lists, watches) = (Requests::lists().within("default"), Requests::watches().within("default"));
    let after = random.usize(0..4);
    let at = random.usize(0..900);
    let faults = [
        Fault::unavailable(None),
        Fault::internal_error(),
        Fault::too_many_requests(Some(Duration::from_secs(3))),
        Fault::forbidden(),
        Fault::gone(),
        Fault::timeout(),
        Fault::LostRequest,
        Fault::LostResponse,
        Fault::Hang,
        Fault::Truncate { at },
        Fault::Delay(Duration::from_secs(5)),
        Fault::Stale { behind: random.u64(1..6) },
    ];
    for fault in faults {
        server.fault(lists.clone().with_chance(random.f64() * 0.2), fault.clone());
        server.fault(watches.clone().with_chance(random.f64() * 0.12), fault);
    }
    let of_watches = [
        Fault::Cut { after },
        Fault::Break { after },
        Fault::Stall { after },
        Fault::Expire { after },
        Fault::SlowEvents(Duration::from_secs(2)),
        Fault::NoBookmarks,
        Fault::NoEndBookmark,
        Fault::StreamingListRefused,
        Fault::StreamingListIgnored,
    ];
    for fault in of_watches {
        server.fault(watches.clone().with_chance(random.f64() * 0.5), fault);
    }
}

/// One write, or the loss of all history: faults are about reads.
async fn write(server: &Server, random: &mut fastrand::Rng) {
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let name = ["a", "b", "c", "d"][random.usize(0..4)];
    // Whether it works depends on what is there, and any outcome will do.
    match random.u8(0..6) {
        0 | 1 => drop(maps.create(&PostParams::default(), &config_map(name)).await),
        2 => drop(maps.delete(name, &DeleteParams::default()).await),
        3 => server.expire_history(),
        _ => {
            let patch = Patch::Merge(serde_json::json!({"data": {"k": random.u64(..).to_string()}}));
            drop(maps.patch(name, &PatchParams::default(), &patch).await);
        }
    }
}

fn known(store: &Store<ConfigMap>) -> Contents {
    store.state().iter().map(|it| (it.name_any(), it.resource_version())).collect()
}

/// What the server has, asked for in all namespaces, where no fault is.
async fn there(server: &Server) -> Contents {
    let all = Api::<ConfigMap>::all(server.client()).list(&ListParams::default()).await.unwrap();
    all.iter().map(|it| (it.name_any(), it.resource_version())).collect()
}
