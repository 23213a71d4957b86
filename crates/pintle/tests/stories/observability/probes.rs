//! What a kubelet is answered, and what a person reads who asks why.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::jiff::Timestamp;
use pintle::ResourceExt;
use pintle::api::Api;
use pintle::client::rate_limit::RateLimit;
use pintle::manager::Manager;
use pintle::manager::certificates::{CertificateFiles, ManagedCertificate, Policy};
use pintle::manager::health::{Check, Endpoint, Health, Probe};
use pintle::manager::metrics::Format;
use pintle::manager::webhook::{self, Webhooks};
use pintle::runtime::controller::{Action, Config, Controller};
use pintle::runtime::lease::Candidate;
use pintle::runtime::watcher;
use pintle::runtime::workqueue::WorkQueue;
use pintle::testing::{Fault, Requests};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

use super::get;
use super::metric_names::{KUBERNETES, OWN};
use crate::world::World;

async fn rest(_: Arc<ConfigMap>, _: Arc<()>) -> Result<Action, pintle::Error> {
    Ok(Action::await_change())
}

fn backoff(_: Arc<ConfigMap>, _: &pintle::Error, _: Arc<()>) -> Action {
    Action::backoff()
}

/// Whether it is well, and what it says.
async fn ask(health: &Health, path: &str) -> (bool, String) {
    let (code, _, text) = get(Endpoint::new(health.clone()), path, None).await;
    (code == 200, text)
}

#[tokio::test(start_paused = true)]
async fn readyz_says_in_one_line_which_permission_is_missing() {
    let world = World::with_rbac();
    let client = world.client_of_account("operator");
    let (maps, secrets): (Api<ConfigMap>, Api<Secret>) =
        (Api::default_namespaced(client.clone()), Api::default_namespaced(client));
    let controller = Controller::new(maps, World::watching()).owns(secrets, watcher::Config::default());
    let health = Health::new();
    health.add_controller("copier", controller.readiness(), controller.liveness(), None);
    let running = tokio::spawn(controller.run(rest, backoff, Arc::new(())).for_each(|_| async {}));
    world
        .until("both watches are refused", async || ask(&health, "/readyz").await.1.matches("is refused").count() == 2)
        .await;

    let (is_ready, text) = ask(&health, "/readyz?verbose").await;
    let namespace = world.namespace();
    let line = text.lines().find(|line| line.starts_with("[-]watch-copier-secrets")).unwrap_or_default();
    let said = format!(
        "secrets is forbidden: User \"system:serviceaccount:{namespace}:operator\" cannot list resource \"secrets\" in API group \
         \"\" in the namespace \"{namespace}\""
    );
    assert!(!is_ready && line.contains(&said), "{text}");
    assert!(text.contains("[+]ping ok\n") && text.ends_with("readyz check failed\n"), "{text}");
    let (is_ready, reason) = ask(&health, "/readyz/watch-copier-secrets").await;
    assert!(!is_ready && reason.starts_with("internal server error: secrets of v1 is refused: "), "{reason}");
    assert_eq!(ask(&health, "/livez").await, (true, "ok".to_owned()), "a restart would not help");
    let all = "/readyz?exclude=watch-copier-secrets&exclude=watch-copier-configmaps&exclude=controller-copier";
    assert_eq!(ask(&health, all).await, (true, "ok".to_owned()));
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn a_standby_is_ready_and_says_so() {
    let world = World::embedded();
    let mut all = Vec::new();
    for name in ["pod-a", "pod-b"] {
        let candidate = Candidate::new(world.client.clone(), world.namespace(), "operator").called(name);
        let controller = Controller::new(world.config_maps(), World::watching());
        let health = Health::new();
        health.add_lease(candidate.standing());
        let (readiness, liveness) = (controller.readiness(), controller.liveness());
        health.add_controller("maps", readiness, liveness, Some(candidate.standing()));
        assert!(!health.is_ok(Probe::Ready), "it has not asked for the lease yet");
        let work = controller.run(rest, backoff, Arc::new(())).for_each(|_| async {});
        all.push((health, tokio::spawn(async move { drop(candidate.lead(async |_| work.await).await) })));
        sleep(Duration::from_secs(5)).await;
    }
    let leader =
        "[+]ping ok\n[+]lease ok: leading\n[+]controller-maps ok\n[+]watch-maps-configmaps ok\nreadyz check passed\n";
    assert_eq!(ask(&all[0].0, "/readyz?verbose").await, (true, leader.to_owned()));
    let standby =
        "[+]ping ok\n[+]lease ok: standby, pod-a leads\n[+]controller-maps ok: standby\nreadyz check passed\n";
    assert_eq!(ask(&all[1].0, "/readyz?verbose").await, (true, standby.to_owned()));
    assert!(all[1].0.is_ok(Probe::Live));
    let broken = world.server().fault(Requests::all(), Fault::LostRequest);
    sleep(Duration::from_secs(60)).await;
    let (is_ready, text) = ask(&all[1].0, "/readyz").await;
    assert!(!is_ready && text.contains("[-]lease failed: has not known for "), "{text}");
    broken.lift();
    all.into_iter().for_each(|(_, running)| running.abort());
}

#[tokio::test(start_paused = true)]
async fn livez_fails_when_reconciles_that_hang_hold_every_slot_and_names_them() {
    let world = World::embedded();
    world.create_config_map("stuck").await;
    let controller =
        Controller::new(world.config_maps(), World::watching()).with_config(Config::default().concurrency(1));
    let health = Health::new();
    health.add_controller("maps", controller.readiness(), controller.liveness(), None);
    let hang = async |_: Arc<ConfigMap>, _: Arc<()>| std::future::pending::<Result<Action, pintle::Error>>().await;
    let running = tokio::spawn(controller.run(hang, backoff, Arc::new(())).for_each(|_| async {}));
    sleep(Duration::from_secs(500)).await;
    assert_eq!(ask(&health, "/livez").await, (true, "ok".to_owned()));
    sleep(Duration::from_secs(200)).await;
    let (is_alive, text) = ask(&health, "/livez").await;
    let line = "[-]controller-maps failed: every slot is held by a reconcile that does not end; default/stuck has been";
    assert!(!is_alive && text.contains(line) && text.ends_with("livez check failed\n"), "{text}");
    running.abort();
    sleep(Duration::from_secs(1)).await;
    let (is_alive, text) = ask(&health, "/healthz").await;
    assert!(!is_alive && text.contains("[-]controller-maps failed: the controller has ended"), "{text}");
}

#[tokio::test]
async fn a_certificate_that_cannot_be_read_is_a_check_with_its_reason() {
    let (health, files) = (Health::new(), CertificateFiles::in_directory("no-such-directory"));
    health.add(Probe::Ready, move || vec![Check::new("certificate", files.check())]);
    let (is_ready, text) = ask(&health, "/readyz").await;
    assert!(!is_ready && text.contains("[-]certificate failed: ") && text.contains("no-such-directory"), "{text}");
    assert!(health.is_ok(Probe::Live), "a restart would not help");
}

/// A certificate that nobody can renew any more; time goes on.
#[tokio::test(start_paused = true)]
async fn readyz_says_in_one_line_that_the_webhooks_certificate_expires_or_has_expired() {
    let world = World::embedded();
    let (begun, started) = (Instant::now(), Timestamp::from_second(1_790_000_000).unwrap());
    // Looking four times a day is enough for a story.
    let mut policy = Policy::default();
    policy.period = Duration::from_secs(6 * 3600);
    let certificate = ManagedCertificate::new(world.client.clone(), "default", "webhook")
        .service("default", "webhook")
        .policy(policy)
        .clock(move || started + begun.elapsed());
    certificate.look().await.unwrap();
    let server = webhook::Server::new(SocketAddr::from(([127, 0, 0, 1], 0)), Webhooks::new(), certificate.clone());
    let manager = Manager::builder(world.client.clone()).build();
    manager.add_webhooks(server);
    let line = async || {
        let (is_ready, text) = ask(&manager.health(), "/readyz?verbose").await;
        (is_ready, text.lines().find(|line| line.contains("webhook-certificate")).unwrap_or_default().to_owned())
    };
    assert_eq!(line().await, (true, "[+]webhook-certificate ok".to_owned()));

    let broken = world.server().fault(Requests::all().of("secrets"), Fault::forbidden());
    let renewing = tokio::spawn({
        let certificate = certificate.clone();
        async move { certificate.run().await }
    });
    sleep(Duration::from_secs(86 * 24 * 3600)).await;
    let (is_ready, said) = line().await;
    let soon = "[+]webhook-certificate ok: the serving certificate expires at 2026-12-20T14:13:20Z, in 4 days: the certificate's \
                Secret default/webhook cannot be read or written: ";
    assert!(is_ready && said.starts_with(soon) && said.contains("forbidden"), "{said}");
    sleep(Duration::from_secs(4 * 24 * 3600)).await;
    let (is_ready, said) = line().await;
    let expired = "[-]webhook-certificate failed: the serving certificate expired at 2026-12-20T14:13:20Z, ";
    assert!(!is_ready && said.starts_with(expired) && said.contains("forbidden"), "{said}");
    broken.lift();
    sleep(Duration::from_secs(6 * 3600)).await;
    assert_eq!(
        line().await,
        (true, "[+]webhook-certificate ok".to_owned()),
        "it is renewed as soon as that is possible"
    );
    renewing.abort();
}

/// What an HTTP server answers.
async fn fetch(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: operator\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn a_manager_answers_probes_and_scrapes_over_http() {
    let world = World::embedded();
    world.create_config_map("a").await;
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let manager = Manager::builder(world.client.clone()).health(any).metrics(any).build();
    let controller = manager.controller(world.config_maps(), World::watching());
    manager.add_controller(controller.run(rest, backoff, Arc::new(())));
    manager.health().add_check(Probe::Ready, "door", || Ok(()));
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn({
        let manager = manager.clone();
        async move { manager.run_until(async { drop(stopped.await) }).await }
    });
    world
        .until("the servers listen", async || manager.health_address().is_some() && manager.metrics_address().is_some())
        .await;
    let (probes, metrics) = (manager.health_address().unwrap(), manager.metrics_address().unwrap());
    world.until("it is ready", async || fetch(probes, "/readyz").await.starts_with("HTTP/1.1 200")).await;
    let text = fetch(probes, "/readyz?verbose").await;
    assert!(text.contains("[+]watch-configmap-configmaps ok") && text.contains("[+]door ok"), "{text}");
    let text = fetch(metrics, "/metrics").await;
    assert!(text.contains("controller_runtime_active_workers{controller=\"configmap\"}"), "{text}");
    assert!(text.contains("rest_client_requests_total{"), "{text}");
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    assert!(TcpStream::connect(probes).await.is_err(), "the servers have stopped");
    assert_eq!(world.config_maps().get("a").await.unwrap().name_any(), "a");
}

/// Prometheus' own parsers and linter; `cargo xtask kube test scrape` builds the program and runs this.
#[tokio::test]
#[ignore = "needs the program of conformance/scrape, in PINTLE_SCRAPE"]
async fn prometheus_reads_both_formats_and_its_linter_has_nothing_to_say() {
    let scrape = std::env::var_os("PINTLE_SCRAPE").expect("PINTLE_SCRAPE names the program of conformance/scrape");
    let world = World::embedded();
    world.create_config_map("a").await;
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let client = world.client.clone().with_rate_limit(RateLimit::new(1000.0, 1000).unwrap());
    let manager = Manager::builder(client).lease(world.namespace(), "scrape").metrics(any).build();
    let controller = manager.controller(world.config_maps(), World::watching());
    manager.add_controller(controller.run(rest, backoff, Arc::new(())));
    let queue = WorkQueue::<String>::new();
    let samples = queue.clone();
    manager.metrics().add(move || samples.metrics().samples("a \"queue\" with\\odd\nname"));
    super::metrics::add_webhook(&manager.metrics()).await;
    super::metrics::add_retry(&manager.metrics()).await;
    let _running = tokio::spawn({
        let manager = manager.clone();
        async move { manager.run_until(std::future::pending()).await }
    });
    world
        .until("it has reconciled", async || {
            manager.metrics().encode(Format::Classic).contains("result=\"success\"} 1")
        })
        .await;
    let address = manager.metrics_address().expect("servers start before controllers");
    let url = format!("http://{address}/metrics");
    let ended = tokio::task::spawn_blocking(move || std::process::Command::new(scrape).arg(url).output()).await;
    let output = ended.unwrap().expect("the program of conformance/scrape can be run");
    let (said, complained) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{complained}");
    for (name, kind, _) in KUBERNETES.iter().chain(OWN) {
        let kind = kind.to_uppercase();
        assert!(
            said.lines().any(|line| line.starts_with(&format!("{name} {kind} "))),
            "{name} {kind} is missing:\n{said}"
        );
    }
    assert!(said.contains("OpenMetrics: "), "{said}");
}
