//! `lease::Candidate`: of several copies of a program, one leads.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::runtime::controller::{Action, Controller};
use pintle::runtime::lease::{Candidate, Leading, Lost, Role, Standing, Terms};
use pintle::testing::{Fault, Requests, Server, ServerExt};
use pintle::{Api, Client};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::world::World;
use crate::world::log::Log as Caught;

fn candidate(client: Client, namespace: &str, name: &str) -> Candidate {
    Candidate::new(client, namespace, "boss").called(name)
}

/// Leads until the test ends its work.
struct Leader {
    standing: Standing,
    done: oneshot::Sender<()>,
    running: JoinHandle<Result<i32, Lost>>,
}

impl Leader {
    fn run(candidate: Candidate) -> Self {
        let (done, is_done) = oneshot::channel();
        let standing = candidate.standing();
        let running = tokio::spawn(async move {
            let work = async move |leading: Leading| {
                let _ = is_done.await;
                leading.term
            };
            candidate.lead(work).await
        });
        Self { standing, done, running }
    }

    async fn leads(&self, world: &World) {
        world.until("it leads", async || self.standing.is_leading()).await;
    }
}

#[tokio::test(start_paused = true)]
async fn one_candidate_leads_and_the_next_takes_over_when_it_is_done() {
    let world = World::new();
    let named = |name| candidate(world.client.clone(), world.namespace(), name);
    let first = Leader::run(named("first"));
    first.leads(&world).await;
    let second = Leader::run(named("second"));
    world.pass(Duration::from_secs(3600)).await;
    assert!(first.standing.is_leading() && !second.standing.is_leading(), "it renews its lease");
    let leases: Api<Lease> = Api::default_namespaced(world.client.clone());
    let spec = leases.get("boss").await.unwrap().spec.unwrap();
    assert_eq!((spec.holder_identity.as_deref(), spec.lease_duration_seconds), (Some("first"), Some(15)));

    let start = Instant::now();
    first.done.send(()).unwrap();
    assert_eq!(first.running.await.unwrap(), Ok(0));
    second.leads(&world).await;
    let (after, limit) = (start.elapsed(), Duration::from_millis(if world.is_real() { 6000 } else { 500 }));
    assert!(after < limit, "it waited {after:?}, as if it did not watch its lease");
    assert!(!first.standing.is_leading());
    second.done.send(()).unwrap();
    assert_eq!(second.running.await.unwrap(), Ok(1), "each term has its number");
    assert_eq!(leases.get("boss").await.unwrap().spec.unwrap().holder_identity, None);
}

/// The bound: the lease's duration after the last renewal, which the standby has seen at once, and the time of a read and a
/// write. The leader dies at any moment between two renewals.
#[tokio::test(start_paused = true)]
async fn a_leader_that_dies_is_replaced_at_the_moment_when_its_lease_expires() {
    for died in [0, 1, 700, 1999] {
        let world = World::embedded();
        let named = |name| candidate(world.client.clone(), world.namespace(), name);
        let first = Leader::run(named("first"));
        first.leads(&world).await;
        let second = Leader::run(named("second"));
        sleep(Duration::from_secs(60)).await;
        let renewed = next_renewal(&world).await;
        sleep(Duration::from_millis(died)).await;
        first.running.abort();
        second.leads(&world).await;
        let after = renewed.elapsed();
        let bound = Duration::from_secs(15)..Duration::from_millis(15_100);
        assert!(bound.contains(&after), "{after:?} after the last renewal, {died} ms after which it died");
    }
}

/// Reads are what is left then: the last renewal is seen up to 4.4 s later, and the lease is read at the moment when it
/// has rested for its duration since.
#[tokio::test(start_paused = true)]
async fn a_standby_that_may_not_watch_its_lease_takes_over_one_pause_later_at_most() {
    let world = World::embedded();
    world.server().fault(Requests::watches().of("leases"), Fault::forbidden());
    let named = |name| candidate(world.client.clone(), world.namespace(), name);
    let first = Leader::run(named("first"));
    first.leads(&world).await;
    let second = Leader::run(named("second"));
    for _ in 0..10 {
        world.until("it stands by", async || second.standing.is_standby()).await;
        sleep(Duration::from_secs(20)).await;
    }
    let renewed = next_renewal(&world).await;
    first.running.abort();
    second.leads(&world).await;
    let after = renewed.elapsed();
    let bound = Duration::from_secs(15)..Duration::from_millis(15_000 + 4_400 + 100);
    assert!(bound.contains(&after), "{after:?} after the last renewal");
}

/// Waits until the lease is renewed, and returns when that was.
async fn next_renewal(world: &World) -> Instant {
    let leases: Api<Lease> = Api::default_namespaced(world.client.clone());
    let version = async || leases.get("boss").await.unwrap().metadata.resource_version;
    let before = version().await;
    while version().await == before {
        sleep(Duration::from_millis(1)).await;
    }
    Instant::now()
}

/// As when the work ends while a renewal is on its way.
#[tokio::test(start_paused = true)]
async fn a_leader_that_stops_releases_its_lease_though_a_renewal_was_not_answered() {
    let world = World::embedded();
    let first = Leader::run(candidate(world.client.clone(), world.namespace(), "first"));
    first.leads(&world).await;
    let second = Leader::run(candidate(world.server().client(), world.namespace(), "second"));
    world.until("it stands by", async || second.standing.is_standby()).await;
    world.server().fault(Requests::updates().of("leases").times(1), Fault::LostResponse);
    next_renewal(&world).await;
    first.done.send(()).unwrap();
    assert_eq!(first.running.await.unwrap(), Ok(0));
    let start = Instant::now();
    second.leads(&world).await;
    assert!(start.elapsed() < Duration::from_millis(500), "it waited {:?}", start.elapsed());
}

/// The holder counts from when it sent a renewal, the others from when they saw it. Clocks are never compared.
#[tokio::test(start_paused = true)]
async fn a_leader_that_is_cut_off_stops_before_another_one_starts() {
    let world = World::embedded();
    let first = Leader::run(candidate(world.client.clone(), world.namespace(), "first"));
    first.leads(&world).await;
    let second = Leader::run(candidate(world.server().client(), world.namespace(), "second"));
    sleep(Duration::from_secs(60)).await;
    let (_down, start) = (world.without_server(), Instant::now());
    let lost = first.running.await.unwrap().unwrap_err();
    assert!(matches!(&lost, Lost::Unrenewed { period, .. } if period.as_secs() == 10), "{lost}");
    assert!(lost.to_string().starts_with("the lease boss could not be renewed within 10 s: "), "{lost}");
    let stopped = start.elapsed();
    assert!(stopped <= Duration::from_secs(10), "after {stopped:?}");
    second.leads(&world).await;
    let begun = start.elapsed();
    assert!(
        begun >= stopped + Duration::from_secs(3),
        "one stopped after {stopped:?}, the other began after {begun:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_leader_whose_lease_was_taken_stops_and_names_the_holder() {
    let world = World::new();
    let first = Leader::run(candidate(world.client.clone(), world.namespace(), "first"));
    first.leads(&world).await;
    let leases: Api<Lease> = Api::default_namespaced(world.client.clone());
    let steal = serde_json::json!({"spec": {"holderIdentity": "thief"}});
    leases.patch("boss", &Default::default(), &pintle::api::Patch::Merge(steal)).await.unwrap();
    let lost = first.running.await.unwrap().unwrap_err();
    assert_eq!(lost.to_string(), "the lease boss is held by thief");
}

type Log = Mutex<Vec<String>>;

async fn reconcile(_: Arc<ConfigMap>, log: Arc<Log>) -> Result<Action, pintle::Error> {
    log.lock().unwrap().push("begun".into());
    sleep(Duration::from_secs(3)).await;
    log.lock().unwrap().push("ended".into());
    Ok(Action::await_change())
}

fn again(_: Arc<ConfigMap>, _: &pintle::Error, _: Arc<Log>) -> Action {
    Action::backoff()
}

/// A controller finishes its last reconcile during shutdown, and only then the next candidate leads.
#[tokio::test(start_paused = true)]
async fn a_controller_finishes_its_last_reconcile_before_it_releases_its_lease() {
    let world = World::new();
    world.create_config_map("a").await;
    let log = Arc::new(Log::default());
    let (stop, stopped) = oneshot::channel::<()>();
    let running = Controller::new(world.config_maps(), World::watching())
        .graceful_shutdown_on(async move { drop(stopped.await) })
        .run(reconcile, again, Arc::clone(&log))
        .for_each(|_| std::future::ready(()));
    let first = candidate(world.client.clone(), world.namespace(), "first");
    let leading = tokio::spawn(async move { first.lead(|_: Leading| running).await });
    world.until("it works", async || !log.lock().unwrap().is_empty()).await;
    let second = candidate(world.client.clone(), world.namespace(), "second");
    let noted = Arc::clone(&log);
    let next = tokio::spawn(async move {
        second
            .lead(|_: Leading| {
                noted.lock().unwrap().push("next".into());
                std::future::ready(())
            })
            .await
    });
    stop.send(()).unwrap();
    assert_eq!((leading.await.unwrap(), next.await.unwrap()), (Ok(()), Ok(())));
    assert_eq!(*log.lock().unwrap(), ["begun", "ended", "next"]);
}

/// The leader of each term, recorded by the work itself.
#[derive(Default)]
struct Chronicle {
    now: Mutex<Option<String>>,
    terms: Mutex<Vec<(i32, String)>>,
}

/// Ends the recorded leadership, however the work ends.
struct Leadership<'a>(&'a Chronicle);

impl Drop for Leadership<'_> {
    fn drop(&mut self) {
        self.0.now.lock().unwrap().take();
    }
}

impl Chronicle {
    fn record_leader(&self, term: i32, name: &str, seed: u64) -> Leadership<'_> {
        let before = self.now.lock().unwrap().replace(name.to_owned());
        assert_eq!(before, None, "{name} leads, too, in schedule {seed}");
        self.terms.lock().unwrap().push((term, name.to_owned()));
        Leadership(self)
    }
}

#[tokio::test(start_paused = true)]
async fn under_random_faults_no_two_candidates_lead_at_once_and_one_leads_in_the_end() {
    for seed in 0..15 {
        let mut random = fastrand::Rng::with_seed(seed);
        fastrand::seed(seed);
        let server = Server::builder().seed(seed).build();
        for fault in [
            Fault::LostRequest,
            Fault::LostResponse,
            Fault::Hang,
            Fault::conflict(),
            Fault::internal_error(),
            Fault::Delay(Duration::from_secs(6)),
            Fault::Stale { behind: 2 },
        ] {
            server.fault(Requests::all().of("leases").with_chance(random.f64() * 0.2), fault);
        }
        let chronicle = Arc::new(Chronicle::default());
        let mut running = Vec::new();
        for name in ["a", "b", "c"] {
            let (candidate, chronicle) = (candidate(server.client(), "default", name), Arc::clone(&chronicle));
            let mut random = random.fork();
            running.push(tokio::spawn(async move {
                loop {
                    let work = Duration::from_millis(random.u64(0..60_000));
                    let led = candidate.lead(async |leading| {
                        let _crown = chronicle.record_leader(leading.term, name, seed);
                        sleep(work).await;
                    });
                    // A lost lease is an error here. Anything else would be a panic.
                    drop(led.await);
                }
            }));
        }
        sleep(Duration::from_secs(600)).await;
        server.lift_faults();
        let before = chronicle.terms.lock().unwrap().len();
        sleep(Duration::from_secs(400)).await;
        assert!(running.iter().all(|it| !it.is_finished()), "schedule {seed}");
        let terms = chronicle.terms.lock().unwrap().clone();
        assert!(terms.len() > before + 5, "no candidate leads any more in schedule {seed}: {before} of {terms:?}");
        let is_ordered = |pair: &[(i32, String)]| pair[0].0 < pair[1].0 || (pair[0] == pair[1]);
        assert!(terms.windows(2).all(is_ordered), "schedule {seed}: {terms:?}");
        running.iter().for_each(JoinHandle::abort);
    }
}

#[test]
fn lease_durations_that_would_allow_two_leaders_are_refused() {
    let seconds = Duration::from_secs;
    assert_eq!(Terms::new(seconds(15), seconds(10), seconds(2)), Ok(Terms::default()));
    for (lease, renew, retry) in [(10, 10, 2), (15, 4, 2), (15, 10, 0)] {
        let refused = Terms::new(seconds(lease), seconds(renew), seconds(retry)).unwrap_err();
        assert!(refused.to_string().contains(&format!("({lease}s)")), "{refused}");
    }
    assert!(Terms::new(Duration::from_millis(999), Duration::from_millis(500), Duration::from_millis(100)).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_forbidden_lease_is_logged_with_the_role_it_needs_at_once_and_then_once_a_minute() {
    let (world, log) = (World::embedded(), Caught::catch());
    let forbidden = world.server().fault(Requests::all().of("leases"), Fault::forbidden());
    let first = Leader::run(candidate(world.client.clone(), world.namespace(), "first"));
    sleep(Duration::from_secs(1)).await;
    let advice = "a Role in namespace default must grant get, watch, create and update on leases of API group \"coordination.k8s.io\"";
    let lines = log.lines_with(advice);
    assert!(matches!(&lines[..], [line] if line.contains("WARN") && line.contains("the lease boss")), "{lines:?}");
    sleep(Duration::from_secs(600)).await;
    let lines = log.lines_with(advice).len();
    assert!((9..=11).contains(&lines), "{lines} lines in ten minutes");
    assert!(
        matches!(first.standing.role(), Role::Unknown { error: Some(_), since, .. } if since.elapsed().as_secs() > 590)
    );
    forbidden.lift();
    first.leads(&world).await;
    let leads = log.lines_with("this one leads now");
    assert!(matches!(&leads[..], [line] if line.contains("INFO") && line.contains("term=0")), "{leads:?}");
}

/// A client made from a config retries for 25 s before it returns an error; a lease must not wait for that.
#[tokio::test(start_paused = true)]
async fn a_lease_on_an_unreachable_server_is_logged_at_once() {
    let log = Caught::catch();
    let refuse = |_: http::Request<pintle::client::Body>| async {
        let refused: tower::BoxError = Box::new(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
        Err::<http::Response<pintle::client::Body>, _>(refused)
    };
    let retries = tower::retry::RetryLayer::new(pintle::client::retry::RetryPolicy::careful());
    let client = pintle::client::ClientBuilder::new(tower::service_fn(refuse), "default").with_layer(&retries).build();
    let first = Leader::run(candidate(client, "default", "first"));
    sleep(Duration::from_secs(1)).await;
    assert_eq!(
        log.lines_with("the lease boss of leases.coordination.k8s.io in namespace default could not be claimed").len(),
        1
    );
    assert!(first.standing.to_string().starts_with("has not known for "), "{}", first.standing);
}

#[tokio::test(start_paused = true)]
async fn a_standby_and_a_candidate_that_cannot_reach_its_lease_have_different_roles() {
    let (world, log) = (World::embedded(), Caught::catch());
    let named = |name| candidate(world.client.clone(), world.namespace(), name);
    let idle = named("idle");
    assert_eq!(idle.standing().to_string(), "does not take part");
    let first = Leader::run(named("first"));
    first.leads(&world).await;
    let second = Leader::run(named("second"));
    sleep(Duration::from_secs(60)).await;
    assert!(matches!(first.standing.role(), Role::Leading { term: 0, .. }));
    assert!(second.standing.is_standby() && !second.standing.is_leading());
    assert_eq!(second.standing.to_string(), "stands by: first leads");
    assert_eq!(log.lines_with("this one stands by: first leads").len(), 1, "said once, at info");
    let down = world.without_server();
    sleep(Duration::from_secs(60)).await;
    assert!(!second.standing.is_standby(), "{}", second.standing);
    drop(down);
    second.leads(&world).await;
    first.running.abort();
    second.done.send(()).unwrap();
    assert_eq!(second.running.await.unwrap(), Ok(1));
    assert_eq!(log.lines_with("this one has released its lease").len(), 1);
    assert_eq!(log.lines_with("this one does not lead any more").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn term_numbers_grow_even_if_the_lease_is_deleted() {
    let world = World::embedded();
    let named = |name| candidate(world.client.clone(), world.namespace(), name);
    let (first, second) = (named("first"), named("second"));
    let leases: Api<Lease> = Api::default_namespaced(world.client.clone());
    let mut terms = Vec::new();
    for _ in 0..3 {
        for candidate in [&first, &second] {
            terms.push(candidate.lead(|leading: Leading| std::future::ready(leading.term)).await.unwrap());
        }
        leases.delete("boss", &Default::default()).await.unwrap();
    }
    assert!(terms.is_sorted_by(|one, next| one < next), "{terms:?}");
    // A standby has seen the term of the leader, and counts on from there.
    let leader = Leader::run(first.clone());
    leader.leads(&world).await;
    let standby = Leader::run(second.clone());
    world.until("it stands by", async || standby.standing.is_standby()).await;
    let Role::Leading { term: before, .. } = leader.standing.role() else { panic!("it leads") };
    leases.delete("boss", &Default::default()).await.unwrap();
    let lost = leader.running.await.unwrap().unwrap_err();
    assert_eq!(lost.to_string(), "the lease boss is held by no one");
    standby.leads(&world).await;
    assert!(matches!(standby.standing.role(), Role::Leading { term, .. } if term > before), "{}", standby.standing);
}
