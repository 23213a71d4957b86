//! How much an operator asks of a server, and what it does when the server asks for less.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures::StreamExt;
use futures::future::join_all;
use http::Request;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use pintle::api::{Api, ListParams, PostParams};
use pintle::client::Body;
use pintle::client::rate_limit::RateLimit;
use pintle::runtime::WatchStreamExt;
use pintle::runtime::controller::{Action, Config, Controller};
use pintle::runtime::watcher::{self, watcher};
use pintle::testing::{Fault, Requests, Server};
use pintle::{Client, Error, ResourceExt};
use tokio::time::{Instant, sleep};
use tower::{ServiceExt, service_fn};

use crate::world::{World, config_map};

/// What arrives at a server.
#[derive(Clone, Default)]
struct Arrivals(Arc<Mutex<Noted>>);

#[derive(Default)]
struct Noted {
    calls: Vec<Instant>,
    watches: Vec<Instant>,
    /// How many writes are there now, and how many there were at most.
    writes: usize,
    writes_max: usize,
}

impl Arrivals {
    /// A client of `server` with all layers, and what arrives there.
    fn at(server: &Server) -> (Client, Self) {
        let arrivals = Self::default();
        let (noted, server) = (arrivals.clone(), server.clone());
        let service = service_fn(move |request: Request<Body>| {
            let is_watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
            let is_write = !request.method().is_safe();
            let (noted, server) = (noted.clone(), server.clone());
            async move {
                noted.came(is_watch, is_write);
                let answer = server.oneshot(request).await;
                noted.lock().writes -= usize::from(is_write);
                answer
            }
        });
        (Client::layered(service, "default"), arrivals)
    }

    fn came(&self, is_watch: bool, is_write: bool) {
        let mut noted = self.lock();
        let moments = if is_watch { &mut noted.watches } else { &mut noted.calls };
        moments.push(Instant::now());
        noted.writes += usize::from(is_write);
        noted.writes_max = noted.writes_max.max(noted.writes);
    }

    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap()
    }

    /// The most calls that came within `window`.
    fn most_within(&self, window: Duration) -> usize {
        let calls = self.lock().calls.clone();
        let from = |first: &Instant| calls.iter().filter(|call| (*first..*first + window).contains(call)).count();
        calls.iter().map(from).max().unwrap_or_default()
    }
}

/// That what came after `since` came between 4 and 6 s later, spread over that time.
fn assert_spread(moments: &[Instant], since: Instant) {
    let mut by_moment: BTreeMap<u128, usize> = BTreeMap::new();
    let later = moments.iter().filter(|moment| **moment > since).map(|moment| *moment - since);
    for after in later {
        assert!((3900..6100).contains(&after.as_millis()), "asked to wait 4 s, came after {after:?}");
        *by_moment.entry(after.as_millis() / 50).or_default() += 1;
    }
    let (count, most) = (by_moment.values().sum::<usize>(), by_moment.values().max().copied().unwrap_or_default());
    assert!(
        count >= 50 && by_moment.len() >= 20 && most <= count / 8,
        "{count} came back in {} moments, {most} in one",
        by_moment.len()
    );
}

async fn copy(map: Arc<ConfigMap>, client: Arc<Client>) -> Result<Action, Error> {
    let secrets: Api<Secret> = Api::default_namespaced(Client::clone(&client));
    let secret = Secret { metadata: config_map(&map.name_any()).metadata, ..Secret::default() };
    match secrets.create(&PostParams::default(), &secret).await {
        Err(Error::Api(status)) if status.is_already_exists() => {}
        created => drop(created?),
    }
    Ok(Action::await_change())
}

/// Runs the copier for `count` config maps, until every one has its secret.
async fn converge(world: &World, client: &Client, count: usize, config: Config) -> Duration {
    for number in 0..count {
        world.create_config_map(&format!("map-{number:03}")).await;
    }
    let controller = Controller::new(Api::default_namespaced(client.clone()), World::watching()).with_config(config);
    let begun = Instant::now();
    let run = controller.run(copy, |_, _, _| Action::backoff(), Arc::new(client.clone()));
    let running = tokio::spawn(run.for_each(|_| async {}));
    let secrets: Api<Secret> = Api::default_namespaced(world.client.clone());
    world
        .until("every config map has its secret", async || {
            secrets.list(&ListParams::default()).await.unwrap().items.len() == count
        })
        .await;
    running.abort();
    begun.elapsed()
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_holds_for_all_calls_of_a_client_and_watches_pass() {
    let world = World::embedded();
    let (client, arrivals) = Arrivals::at(world.server());
    let client = client.with_rate_limit(RateLimit::new(10.0, 5).unwrap());
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let begun = Instant::now();
    join_all((0..105).map(async |_| maps.list(&ListParams::default()).await))
        .await
        .into_iter()
        .for_each(|list| drop(list.unwrap()));
    assert_eq!(begun.elapsed().as_secs(), 10, "5 at once, and 100 at 10 per second");
    let most = arrivals.most_within(Duration::from_secs(1));
    assert!((14..=15).contains(&most), "5 at once and 10 more within a second are allowed, and {most} came");
    let begun = Instant::now();
    drop(maps.watch(&pintle::api::WatchParams::default(), "0").await.unwrap());
    assert!(begun.elapsed().is_zero(), "a watch does not wait");
    let samples = client.metrics().samples();
    assert!(samples.iter().any(|sample| sample.name == "rest_client_rate_limiter_duration_seconds"));
}

#[tokio::test(start_paused = true)]
async fn in_a_storm_of_429_no_more_is_sent_than_allowed_and_no_key_is_lost() {
    let world = World::embedded();
    let storm = world
        .server()
        .fault(Requests::creates().of("secrets").times(400), Fault::too_many_requests(Some(Duration::from_secs(1))));
    let (client, arrivals) = Arrivals::at(world.server());
    let client = client.with_rate_limit(RateLimit::new(20.0, 10).unwrap());
    converge(&world, &client, 60, Config::default()).await;
    assert_eq!(storm.fired(), 400, "every refusal was met");
    for seconds in [1, 2, 5, 10] {
        let (most, allowed) = (arrivals.most_within(Duration::from_secs(seconds)), 10 + 20 * seconds as usize);
        assert!(most <= allowed + 1, "{most} requests within {seconds} s, {allowed} are allowed");
    }
}

#[tokio::test(start_paused = true)]
async fn calls_sent_away_together_do_not_come_back_together() {
    let world = World::embedded();
    let (client, arrivals) = Arrivals::at(world.server());
    let storm = world.server().fault(Requests::gets(), Fault::too_many_requests(Some(Duration::from_secs(4))));
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    world.create_config_map("a").await;
    let asking = tokio::spawn(join_all((0..200).map(move |_| {
        let maps = maps.clone();
        async move { maps.get("a").await }
    })));
    sleep(Duration::from_millis(10)).await;
    assert_eq!(arrivals.lock().calls.len(), 200, "all ask at once");
    storm.lift();
    let lifted = Instant::now();
    assert!(asking.await.unwrap().iter().all(Result::is_ok));
    assert_spread(&arrivals.lock().calls, lifted);
}

#[tokio::test(start_paused = true)]
async fn watches_sent_away_together_do_not_come_back_together() {
    let world = World::embedded();
    let (client, arrivals) = Arrivals::at(world.server());
    let wish = Fault::too_many_requests(Some(Duration::from_secs(4)));
    let storm = world.server().fault(Requests::all().of("configmaps"), wish);
    for _ in 0..100 {
        let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
        tokio::spawn(watcher(maps, watcher::Config::default()).default_backoff().for_each(|_| async {}));
    }
    sleep(Duration::from_millis(10)).await;
    storm.lift();
    let lifted = Instant::now();
    sleep(Duration::from_secs(10)).await;
    assert_spread(&arrivals.lock().watches, lifted);
}

#[tokio::test(start_paused = true)]
async fn a_controller_has_no_more_writes_under_way_than_it_may() {
    for (limit, at_once, seconds) in [(2, 2, 16), (0, 16, 2)] {
        let world = World::embedded();
        let _slow = world.server().fault(Requests::creates().of("secrets"), Fault::Delay(Duration::from_secs(1)));
        let (client, arrivals) = Arrivals::at(world.server());
        let took = converge(&world, &client, 32, Config::default().concurrency(16).concurrent_writes(limit)).await;
        assert_eq!(arrivals.lock().writes_max, at_once, "with {limit} places");
        assert_eq!(took.as_secs(), seconds, "with {limit} places");
    }
}
