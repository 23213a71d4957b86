//! What has gone wrong in other clients' watches, reproduced with the fault that causes it. Each story is named after the
//! behaviour that is right.

#[path = "watcher_recovery/lists.rs"]
mod lists;
#[path = "watcher_recovery/logs.rs"]
mod logs;

use std::collections::BTreeSet;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use pintle::runtime::WatchStreamExt;
use pintle::runtime::reflector::{Store, store};
use pintle::runtime::watcher::{self, Error, Health, InitialListStrategy, Phase, watcher};
use pintle::testing::{Fault, Requests, Server, ServerExt};
use pintle::{Client, ResourceExt};
use tokio::time::{Instant, sleep, timeout};

use crate::world::config_map;
use crate::world::log::Log;

/// A server, and a store that follows its config maps.
struct Follower {
    server: Server,
    maps: Api<ConfigMap>,
    store: Store<ConfigMap>,
    health: Health,
    _keeping: tokio::task::JoinHandle<()>,
}

impl Follower {
    fn on(server: Server, config: watcher::Config) -> Self {
        let client: Client = server.client();
        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        let (store, writer) = store();
        let watch = watcher(maps.clone(), config);
        let health = watch.health();
        let keeping = tokio::spawn(watch.reflect(writer).for_each(|_| std::future::ready(())));
        Self { server, maps, store, health, _keeping: keeping }
    }

    async fn create(&self, name: &str) {
        self.maps.create(&PostParams::default(), &config_map(name)).await.unwrap();
    }

    async fn delete(&self, name: &str) {
        self.maps.delete(name, &DeleteParams::default()).await.unwrap();
    }

    async fn touch(&self, name: &str) {
        let now = format!("{:?}", Instant::now());
        let patch = Patch::Merge(serde_json::json!({"data": {"now": now}}));
        self.maps.patch(name, &PatchParams::default(), &patch).await.unwrap();
    }

    /// Whether the store holds what the server has, versions included.
    async fn is_true(&self) -> bool {
        let versions = |it: &ConfigMap| (it.name_any(), it.resource_version());
        // Faults apply to one namespace, so a list of all namespaces is always right.
        let there = Api::<ConfigMap>::all(self.server.client()).list(&ListParams::default()).await.unwrap();
        self.store.is_ready() && self.store.state().iter().map(|it| versions(it)).eq(there.items.iter().map(versions))
    }

    /// Seconds until the store holds what the server has.
    async fn settles(&self) -> u64 {
        let start = Instant::now();
        let truth = async {
            while !self.is_true().await {
                sleep(Duration::from_millis(100)).await;
            }
        };
        let outcome = timeout(Duration::from_secs(1200), truth).await;
        assert!(outcome.is_ok(), "the store never matches the server: {:?}", self.health);
        start.elapsed().as_secs()
    }

    fn asked(&self, what: &str) -> usize {
        asked(&self.server, what)
    }
}

/// How many requests had `what` in their path or query.
fn asked(server: &Server, what: &str) -> usize {
    let trace = server.trace();
    let requests: BTreeSet<_> = trace.iter().filter(|it| it.path.contains(what)).map(|it| it.request).collect();
    requests.len()
}

fn server() -> Server {
    Server::builder().namespace_defaults(false).build()
}

fn by_pages() -> watcher::Config {
    watcher::Config { initial_list_strategy: InitialListStrategy::ListWatch, ..watcher::Config::default() }
}

fn watches() -> Requests {
    Requests::watches().of("configmaps").within("default")
}

fn lists() -> Requests {
    Requests::lists().of("configmaps").within("default")
}

/// kube 5: an attempt every second forever, because `Init` resets the backoff; it has taken clusters down.
#[tokio::test(start_paused = true)]
async fn a_list_that_keeps_failing_is_requested_with_growing_delays() {
    for config in [by_pages(), watcher::Config::default()] {
        let server = server();
        let failing = server.fault(lists(), Fault::unavailable(None));
        let refused = server.fault(watches(), Fault::unavailable(None));
        let _follower = Follower::on(server, config);
        sleep(Duration::from_secs(60 * 60)).await;
        let most = 60 * 60 / 30 + 10;
        assert!((60..most).contains(&failing.fired()), "{} lists in an hour", failing.fired());
        assert!(refused.fired() < most, "{} streaming lists in an hour", refused.fired());
    }
}

/// kube 5: 202,048 watch requests in three seconds.
#[tokio::test(start_paused = true)]
async fn a_watch_that_closes_at_once_is_reopened_only_after_a_delay() {
    for fault in [Fault::Cut { after: 0 }, Fault::Break { after: 0 }, Fault::Truncate { at: 3 }] {
        let server = server();
        let name = fault.name();
        server.fault(watches(), fault);
        let follower = Follower::on(server, by_pages());
        follower.store.wait_until_ready().await.unwrap();
        sleep(Duration::from_secs(600)).await;
        let opened = follower.asked("watch=true");
        assert!((10..60).contains(&opened), "{opened} watches in ten minutes of {name}");
        follower.server.lift_faults();
        follower.create("a").await;
        assert!(follower.settles().await <= 70, "and it recovers");
    }
}

/// A server that repeats the last event for each watch makes no progress.
#[tokio::test(start_paused = true)]
async fn a_watch_that_only_repeats_known_events_is_reopened_only_after_a_delay() {
    let server = server();
    let follower = Follower::on(server, by_pages());
    follower.store.wait_until_ready().await.unwrap();
    follower.create("a").await;
    follower.settles().await;
    // Each new watch yields one bookmark and ends.
    let cut = follower.server.fault(watches(), Fault::Cut { after: 1 });
    follower.server.cut_watches(&watches());
    let busy = async {
        loop {
            follower.server.send_bookmarks(&watches());
            sleep(Duration::from_millis(50)).await;
        }
    };
    let _ = timeout(Duration::from_secs(600), busy).await;
    assert!((5..60).contains(&cut.fired()), "{} watches in ten minutes", cut.fired());
}

/// kube 5: retries the same version forever.
#[tokio::test(start_paused = true)]
async fn a_410_response_to_a_watch_request_relists() {
    for config in [by_pages(), watcher::Config::default()] {
        let follower = Follower::on(server(), config);
        follower.store.wait_until_ready().await.unwrap();
        let gone = follower.server.fault(watches().times(1), Fault::gone());
        follower.server.cut_watches(&watches());
        follower.create("a").await;
        assert!(follower.settles().await <= 5);
        assert_eq!(gone.fired(), 1);
    }
}

/// kube 4: 2,990 relists in an hour.
#[tokio::test(start_paused = true)]
async fn a_watch_that_expires_after_every_list_relists_with_growing_delays() {
    let server = server();
    server.fault(watches(), Fault::Expire { after: 0 });
    let follower = Follower::on(server, by_pages());
    sleep(Duration::from_secs(60 * 60)).await;
    let expired = follower.asked("watch=true");
    assert!((60..130).contains(&expired), "{expired} in an hour");
}

/// kars: a load balancer dropped idle watches and `next()` waited forever.
#[tokio::test(start_paused = true)]
async fn a_black_holed_watch_is_given_up_soon_after_its_timeout() {
    for config in [by_pages().timeout(60), watcher::Config::default().timeout(60)] {
        let follower = Follower::on(server(), config);
        follower.store.wait_until_ready().await.unwrap();
        sleep(Duration::from_secs(10)).await;
        assert_eq!(follower.server.stall_watches(&watches()), 1);
        sleep(Duration::from_secs(1)).await;
        follower.create("a").await;
        let settled = follower.settles().await;
        assert!((50..=90).contains(&settled), "after {settled} s");
    }
}

#[tokio::test(start_paused = true)]
async fn requests_that_are_never_answered_are_sent_again() {
    let server = server();
    let lists = server.fault(lists().times(1), Fault::Hang);
    let watches = server.fault(watches().times(1), Fault::Hang);
    let follower = Follower::on(server, by_pages());
    follower.create("a").await;
    assert!(follower.settles().await <= 80);
    follower.create("b").await;
    assert!(follower.settles().await <= 80);
    assert_eq!((lists.fired(), watches.fired()), (1, 1));
}

/// Without bookmarks the version of a quiet kind expires.
#[tokio::test(start_paused = true)]
async fn a_bookmark_advances_the_version_so_that_a_quiet_kind_does_not_expire() {
    let follower = Follower::on(server(), by_pages());
    follower.store.wait_until_ready().await.unwrap();
    let other: Api<k8s_openapi::api::core::v1::Secret> = Api::default_namespaced(follower.server.client());
    let secret = serde_json::from_value(serde_json::json!({"metadata": {"name": "s"}})).unwrap();
    other.create(&PostParams::default(), &secret).await.unwrap();
    sleep(Duration::from_secs(1)).await;
    assert_eq!(follower.server.send_bookmarks(&watches()), 1);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(follower.health.resource_version_number(), Some(follower.server.revision()));
    follower.server.expire_history_before(follower.server.revision());
    follower.server.cut_watches(&watches());
    follower.create("a").await;
    follower.settles().await;
    assert_eq!(follower.asked("limit=500"), 1, "it was not listed again");
}

/// Missing RBAC looked like a hang. Now `health()` and one log line name the watch, and it recovers by itself.
#[tokio::test(start_paused = true)]
async fn a_forbidden_watch_is_reported_and_recovers_when_the_role_appears() {
    let log = Log::catch();
    let server = server();
    let forbidden = server.fault(Requests::all().of("configmaps").within("default"), Fault::forbidden());
    let follower = Follower::on(server, watcher::Config::default());
    let report =
        timeout(Duration::from_secs(5), follower.health.wait_for(|it| it.phase == Phase::Refused)).await.unwrap();
    assert_eq!((report.code, report.has_synced), (Some(403), false));
    assert!(report.last_error.unwrap().contains("forbidden"));
    let waiting = follower.health.wait_for(|it| it.next_try.is_some()).await;
    assert!(waiting.next_try > Some(Instant::now()), "it says when it asks again");
    sleep(Duration::from_secs(300)).await;
    assert!(follower.health.is_refused() && follower.health.report().failures > 5);
    let lines = log.lines_with("refuses this watch");
    assert!(lines.len() == 1 && lines[0].contains("configmaps"), "{lines:?}");
    forbidden.lift();
    let report =
        timeout(Duration::from_secs(65), follower.health.wait_for(|it| it.phase == Phase::Watching)).await.unwrap();
    assert_eq!((report.failures, report.last_error, report.has_synced, report.next_try), (0, None, true, None));
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_obeyed() {
    let server = server();
    let busy = server.fault(lists(), Fault::too_many_requests(Some(Duration::from_secs(120))));
    let follower = Follower::on(server, by_pages());
    sleep(Duration::from_secs(600)).await;
    assert!(busy.fired() <= 6, "{} lists in ten minutes", busy.fired());
    assert_eq!(follower.health.phase(), Phase::Failing);
}

#[tokio::test(start_paused = true)]
async fn a_watch_or_list_truncated_in_the_middle_loses_nothing() {
    for at in (1..800).step_by(27) {
        let server = server();
        for name in ["a", "b", "c"] {
            let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
            maps.create(&PostParams::default(), &config_map(name)).await.unwrap();
        }
        let cut = server.fault(Requests::all().of("configmaps").within("default").times(2), Fault::Truncate { at });
        let follower = Follower::on(server, watcher::Config::default());
        assert!(follower.settles().await < 30, "cut at byte {at}");
        assert!(cut.fired() > 0, "nothing was cut at byte {at}");
        let cut = follower.server.fault(watches().times(1), Fault::Truncate { at });
        follower.server.cut_watches(&watches());
        follower.create("d").await;
        assert!(follower.settles().await < 30, "cut at byte {at} of a watch");
        assert!(at > 100 || cut.fired() > 0, "nothing was cut at byte {at} of a watch");
    }
}

/// kube 5: an ERROR event that is not a 410 kept the dead stream.
#[tokio::test(start_paused = true)]
async fn an_error_event_opens_another_watch_at_the_same_version() {
    // At the start of the watch, and in the middle of it.
    for (fault, is_start) in [(Fault::internal_error(), true), (Fault::internal_error().in_watch(1), false)] {
        let server = server();
        let maps = Api::<ConfigMap>::default_namespaced(server.client());
        let mut events = Box::pin(watcher(maps.clone(), by_pages()));
        let rule = server.fault(watches().times(1), fault);
        let (mut errors, mut yielded) = (Vec::new(), Vec::new());
        let mut listen = async |seconds| {
            let listening = async {
                while let Some(event) = events.next().await {
                    match event {
                        Ok(event) => yielded.push(event.to_string()),
                        Err(error) => errors.push(error),
                    }
                }
            };
            let _ = timeout(Duration::from_secs(seconds), listening).await;
        };
        listen(1).await;
        for name in ["a", "b"] {
            maps.create(&PostParams::default(), &config_map(name)).await.unwrap();
        }
        listen(30).await;
        let is_expected = |error: &Error| match error {
            Error::WatchStartFailed(_) => is_start,
            Error::WatchError(status) => !is_start && status.code == 500,
            _ => false,
        };
        assert!(matches!(errors.as_slice(), [error] if is_expected(error)), "{errors:?}");
        assert_eq!(yielded, ["Init", "InitDone", "Apply(a)", "Apply(b)"], "nothing is lost, nothing is repeated");
        assert_eq!((asked(&server, "limit=500"), rule.fired()), (1, 1), "it was not listed again");
    }
}

/// Seen on a server without a watch cache: etcd had compacted the object of the next event, so every watch from before it
/// failed at once with 500, forever.
#[tokio::test(start_paused = true)]
async fn an_event_that_the_server_cannot_send_is_bypassed_by_a_relist() {
    for config in [by_pages(), watcher::Config::default()] {
        let follower = Follower::on(server(), config);
        for name in ["a", "b"] {
            follower.create(name).await;
        }
        assert!(follower.settles().await < 30);
        follower.server.fault(watches(), Fault::internal_error().in_watch(0));
        follower.server.cut_watches(&watches());
        follower.delete("a").await;
        let settled = follower.settles().await;
        assert!(settled < 20, "after {settled} s");
        sleep(Duration::from_secs(60 * 60)).await;
        let asked = follower.asked("watch=true");
        assert!((60..200).contains(&asked), "{asked} watches in an hour");
    }
}

#[tokio::test(start_paused = true)]
async fn watch_timeouts_are_spread_out() {
    let mut timeouts = Vec::new();
    for _ in 0..20 {
        let follower = Follower::on(server(), by_pages());
        follower.store.wait_until_ready().await.unwrap();
        sleep(Duration::from_secs(1)).await;
        let trace = follower.server.trace().iter().map(|it| format!("{it:?}")).collect::<String>();
        let seconds = trace.split("timeoutSeconds=").nth(1).unwrap();
        timeouts.push(seconds.split(|it: char| !it.is_ascii_digit()).next().unwrap().parse::<u32>().unwrap());
    }
    assert!(timeouts.iter().all(|it| (300..=600).contains(it)), "{timeouts:?}");
    timeouts.sort_unstable();
    timeouts.dedup();
    assert!(timeouts.len() > 5, "they are random: {timeouts:?}");
}
