//! How much an operator asks of a server, and what it does when the server asks for less.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use futures::future::join_all;
use http::Request;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use pintle::api::{Api, ListParams, PostParams};
use pintle::client::{Body, RateLimit};
use pintle::runtime::controller::{Action, Config, Controller};
use pintle::testing::{Fault, Requests, Server};
use pintle::{Client, Error, ResourceExt};
use tokio::time::{Instant, sleep};
use tower::{ServiceExt, service_fn};

use crate::world::{World, config_map};

/// When requests that are not watches came, which those were, and how many of them were there at once.
#[derive(Clone, Default)]
struct Arrivals {
    moments: Arc<Mutex<Vec<(Instant, String)>>>,
    at_once: Arc<(AtomicUsize, AtomicUsize)>,
}

impl Arrivals {
    /// A client of `server` with all layers, and what arrives there.
    fn at(server: &Server) -> (Client, Self) {
        let arrivals = Self::default();
        let (noted, server) = (arrivals.clone(), server.clone());
        let service = service_fn(move |request: Request<Body>| {
            let is_watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
            let (noted, server) = (noted.clone(), server.clone());
            async move {
                if is_watch {
                    return server.oneshot(request).await;
                }
                let what = format!("{} {}", request.method(), request.uri().path());
                noted.moments.lock().unwrap().push((Instant::now(), what));
                let writes = !request.method().is_safe();
                let now = noted.at_once.0.fetch_add(usize::from(writes), Ordering::SeqCst) + 1;
                if writes {
                    noted.at_once.1.fetch_max(now, Ordering::SeqCst);
                }
                let answer = server.oneshot(request).await;
                noted.at_once.0.fetch_sub(usize::from(writes), Ordering::SeqCst);
                answer
            }
        });
        (Client::layered(service, "default"), arrivals)
    }

    fn moments(&self) -> Vec<Instant> {
        self.moments.lock().unwrap().iter().map(|(moment, _)| *moment).collect()
    }

    /// The most that came within `window`.
    fn most_within(&self, window: Duration) -> usize {
        let moments = self.moments();
        let from =
            |first: &Instant| moments.iter().filter(|moment| *first <= **moment && **moment < *first + window).count();
        moments.iter().map(from).max().unwrap_or_default()
    }
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
async fn those_sent_away_together_do_not_come_back_together() {
    let world = World::embedded();
    let (client, arrivals) = Arrivals::at(world.server());
    let storm = world.server().fault(Requests::gets(), Fault::too_many_requests(Some(Duration::from_secs(4))));
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    world.create_config_map("a").await;
    let asking = tokio::spawn(join_all((0..200).map(move |_| {
        let maps = maps.clone();
        async move { maps.get("a").await }
    })));
    sleep(Duration::from_millis(100)).await;
    assert_eq!(arrivals.moments().len(), 200, "all ask at once");
    storm.lift();
    let lifted = Instant::now();
    assert!(asking.await.unwrap().iter().all(Result::is_ok));
    let mut by_moment: BTreeMap<u128, usize> = BTreeMap::new();
    for moment in arrivals.moments().into_iter().filter(|moment| *moment > lifted) {
        let since = moment - lifted;
        assert!((3900..6100).contains(&since.as_millis()), "asked to wait 4 s, came after {since:?}");
        *by_moment.entry(since.as_millis() / 50).or_default() += 1;
    }
    let most = by_moment.values().max().copied().unwrap_or_default();
    assert!(by_moment.len() >= 25 && most <= 20, "200 came back in {} moments, {most} in one", by_moment.len());
}

#[tokio::test(start_paused = true)]
async fn a_controller_has_no_more_writes_under_way_than_it_may() {
    for (limit, at_once, seconds) in [(2, 2, 16), (0, 16, 2)] {
        let world = World::embedded();
        let _slow = world.server().fault(Requests::creates().of("secrets"), Fault::Delay(Duration::from_secs(1)));
        let (client, arrivals) = Arrivals::at(world.server());
        let took = converge(&world, &client, 32, Config::default().concurrency(16).concurrent_writes(limit)).await;
        assert_eq!(arrivals.at_once.1.load(Ordering::SeqCst), at_once, "with {limit} places");
        assert_eq!(took.as_secs(), seconds, "with {limit} places");
    }
}
