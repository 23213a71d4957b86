//! Random schedules of faults between a store or a controller and its server. Once the faults stop, the store must match the
//! server and the controller must have converged.
//!
//! A schedule follows from its seed: which faults happen, what is written when, how it is watched, when the controller
//! restarts. A schedule that fails prints its seed; `PINTLE_SCHEDULE=seed` runs it alone, `PINTLE_SCHEDULES=n` runs n of them.
//! Planted bugs prove that schedules find bugs: see `random_faults/planted_bugs.rs`.

#[path = "random_faults/controllers.rs"]
mod controllers;
#[path = "random_faults/planted_bugs.rs"]
mod planted_bugs;
#[path = "random_faults/stores.rs"]
mod stores;

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use pintle::ResourceExt;
use pintle::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use pintle::runtime::reflector::Store;
use pintle::runtime::watcher::{self, InitialListStrategy};
use pintle::testing::{Fault, Requests, Server, ServerExt};

use crate::world::config_map;
use planted_bugs::PlantedBug;

/// As many as take a few seconds; `PINTLE_SCHEDULES` sets more.
const SCHEDULES: u64 = 300;
/// The longest a store may take to match the server: timeout and grace of a stalled watch, and twice the longest backoff.
const SETTLES_WITHIN: Duration = Duration::from_secs(60 + 30 + 120);
/// How often every kind of fault must happen in a thousand schedules.
const FIRED_MIN: u64 = 100;
/// How many versions a stale answer is behind, at most.
const STALE_MAX: u64 = 5;
/// Within how many schedules a planted bug must be found.
const PLANTED_SCHEDULES: u64 = 60;

type Contents = BTreeMap<String, Option<String>>;
/// How often each fault happened, or what is wrong.
type Outcome = Result<BTreeMap<&'static str, u64>, String>;

fn seeds() -> Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|it| it.parse::<u64>().ok());
    number("PINTLE_SCHEDULE").map_or_else(|| 0..number("PINTLE_SCHEDULES").unwrap_or(SCHEDULES), |seed| seed..seed + 1)
}

/// Runs every schedule. Each kind of fault must have happened, or the run proves nothing.
#[expect(clippy::print_stdout, reason = "the counts are what a long run is made for")]
async fn run_all(run: impl AsyncFn(u64) -> Outcome, kinds: &[&str]) {
    let (seeds, mut fired) = (seeds(), BTreeMap::<&str, u64>::new());
    for seed in seeds.clone() {
        match run(seed).await {
            Ok(counts) => counts.into_iter().for_each(|(name, count)| *fired.entry(name).or_default() += count),
            Err(wrong) => panic!("{wrong}: PINTLE_SCHEDULE={seed} runs it again"),
        }
    }
    let ran = seeds.end - seeds.start;
    println!("{ran} schedules: {fired:#?}");
    for kind in kinds {
        let count = fired.get(kind).copied().unwrap_or_default();
        // Fewer schedules are too few for an exact minimum.
        let least = if ran < 1000 { u64::from(ran > 100) } else { FIRED_MIN };
        assert!(count >= least, "{kind} happened only {count} times");
    }
}

/// What the server does between the writes, by the name it is counted under.
const HISTORY_FORGOTTEN: &str = "history forgotten";
const VERSION_EXPIRED: &str = "version expired";
const BOOKMARK_SENT: &str = "bookmark sent";

/// The faults that must have happened to lists and watches.
const READ_FAULTS: [&str; 26] = [
    "answer 403",
    "answer 410",
    "answer 429",
    "answer 500",
    "answer 503",
    "answer 504",
    "lost request",
    "lost response",
    "hang",
    "truncate",
    "delay",
    "stale",
    "cut",
    "break",
    "stall",
    "expire",
    "error event",
    "slow events",
    "no bookmarks",
    "no end bookmark",
    "streaming list refused",
    "streaming list ignored",
    "undecodable",
    HISTORY_FORGOTTEN,
    VERSION_EXPIRED,
    BOOKMARK_SENT,
];

#[tokio::test(start_paused = true)]
async fn after_random_faults_every_store_matches_the_server() {
    run_all(async |seed| stores::run(seed, None).await, &READ_FAULTS).await;
}

#[tokio::test(start_paused = true)]
async fn after_random_faults_and_restarts_every_controller_has_converged() {
    let kinds = [&READ_FAULTS[..], &["answer 409", controllers::RESTART, controllers::CHILD_DELETED]].concat();
    run_all(async |seed| controllers::run(seed, None).await, &kinds).await;
}

/// A harness that never fails proves nothing: it must find each of these bugs.
#[tokio::test(start_paused = true)]
async fn every_planted_bug_is_found() {
    for bug in PlantedBug::ALL {
        let mut found = None;
        for seed in 0..PLANTED_SCHEDULES {
            let outcome = if bug.is_in_controllers() {
                controllers::run(seed, Some(bug)).await
            } else {
                stores::run(seed, Some(bug)).await
            };
            if let Err(wrong) = outcome {
                found = Some((seed, wrong));
                break;
            }
        }
        let Some((seed, wrong)) = found else { panic!("{bug:?} is not found in {PLANTED_SCHEDULES} schedules") };
        println!("{bug:?} is found by schedule {seed}: {wrong}");
    }
}

fn config(random: &mut fastrand::Rng) -> watcher::Config {
    let initial_list_strategy =
        if random.bool() { InitialListStrategy::ListWatch } else { InitialListStrategy::StreamingList };
    let config = watcher::Config { initial_list_strategy, ..watcher::Config::default().timeout(60).page_size(2) };
    if random.u8(0..3) == 0 { config.any_semantic() } else { config }
}

/// Only stores of packed objects keep an object that does not decode; others miss it and report that.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Entries {
    Packed,
    Plain,
}

fn add_faults(server: &Server, random: &mut fastrand::Rng, entries: Entries) {
    let (lists, watches) = (Requests::lists().within("default"), Requests::watches().within("default"));
    let after = random.usize(0..4);
    let at = random.usize(0..400);
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
        Fault::Stale { behind: random.u64(1..=STALE_MAX) },
    ];
    for fault in faults {
        server.fault(lists.clone().with_chance(random.f64() * 0.25), fault.clone());
        server.fault(watches.clone().with_chance(random.f64() * 0.12), fault);
    }
    let of_watches = [
        Fault::Cut { after },
        Fault::Break { after },
        Fault::Stall { after },
        Fault::Expire { after },
        Fault::internal_error().in_watch(after),
        Fault::SlowEvents(Duration::from_secs(2)),
        Fault::NoBookmarks,
    ];
    for fault in of_watches {
        server.fault(watches.clone().with_chance(random.f64() * 0.5), fault);
    }
    if entries == Entries::Packed {
        let undecodable = Fault::Undecodable { nth: random.usize(0..3) };
        server.fault(lists.clone().with_chance(random.f64() * 0.25), undecodable.clone());
        server.fault(watches.clone().with_chance(random.f64() * 0.5), undecodable);
    }
    // These happen to streaming lists only, and a watcher that meets one remembers it.
    for fault in [Fault::StreamingListIgnored, Fault::NoEndBookmark, Fault::StreamingListRefused] {
        server.fault(watches.clone().with_chance(random.f64()), fault);
    }
}

/// One write, or something that the server does by itself, which is counted under the returned name.
async fn write(server: &Server, random: &mut fastrand::Rng) -> Option<&'static str> {
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let name = ["a", "b", "c", "d"][random.usize(0..4)];
    // Whether it succeeds depends on what exists, and any outcome will do.
    match random.u8(0..20) {
        0..6 => drop(maps.create(&PostParams::default(), &config_map(name)).await),
        6..9 => drop(maps.delete(name, &DeleteParams::default()).await),
        9..11 => {
            server.expire_history();
            return Some(HISTORY_FORGOTTEN);
        }
        11 => {
            server.expire_history_before(server.revision().saturating_sub(random.u64(0..5)));
            return Some(VERSION_EXPIRED);
        }
        12 => {
            let sent = server.send_bookmarks(&Requests::watches());
            return (sent > 0).then_some(BOOKMARK_SENT);
        }
        _ => change(server, name, random.u64(..)).await,
    }
    None
}

async fn change(server: &Server, name: &str, value: u64) {
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let patch = Patch::Merge(serde_json::json!({"data": {"k": value.to_string()}}));
    drop(maps.patch(name, &PatchParams::default(), &patch).await);
}

/// Writes the objects again that the store could not decode, as their author would.
async fn repair(store: &Store<ConfigMap>, server: &Server) {
    for undecodable in store.undecodable() {
        // A new value each time: a write that changes nothing sends no event.
        change(server, &undecodable.key.name, server.revision()).await;
    }
}

/// How often each thing happened in a schedule.
#[derive(Default)]
struct Occurrences(BTreeMap<&'static str, u64>);

impl Occurrences {
    fn note(&mut self, name: Option<&'static str>) {
        if let Some(name) = name {
            *self.0.entry(name).or_default() += 1;
        }
    }

    /// These, and the faults that the server counted.
    fn with(self, server: &Server) -> BTreeMap<&'static str, u64> {
        server.faults_fired().into_iter().chain(self.0).collect()
    }
}

/// What the store has, including objects it cannot decode.
fn known(store: &Store<ConfigMap>) -> Contents {
    store.scan().iter().map(|it| (it.key().name.to_string(), it.resource_version())).collect()
}

/// How the store differs from the server, if it does or if an object does not decode.
async fn difference(store: &Store<ConfigMap>, server: &Server) -> Option<String> {
    let (known, there, undecodable) = (known(store), there(server).await, store.undecodable());
    let is_equal = known == there && undecodable.is_empty();
    (!is_equal).then(|| format!("the store says {known:?} ({undecodable:?}), the server {there:?}"))
}

/// What the server has, listed in all namespaces, where no fault applies.
async fn there(server: &Server) -> Contents {
    let all = Api::<ConfigMap>::all(server.client()).list(&ListParams::default()).await.unwrap();
    all.iter().map(|it| (it.name_any(), it.resource_version())).collect()
}
