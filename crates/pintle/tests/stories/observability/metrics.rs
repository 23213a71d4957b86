//! What a scraper sees.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::core::v1::{ConfigMap, Node, ServiceAccount};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use pintle::api::{Api, Patch, PatchParams, PostParams};
use pintle::client::rate_limit::RateLimit;
use pintle::core::admission::AdmissionRequest;
use pintle::manager::certificates::CertificateFiles;
use pintle::manager::metrics::{Access, Endpoint, Format, Registry};
use pintle::manager::webhook::{Decision, Webhooks};
use pintle::runtime::controller::{Action, Controller};
use pintle::runtime::lease::Candidate;
use pintle::testing::{Fault, Requests, Server, ServerExt};
use serde_json::json;
use tokio::time::{Instant, sleep};
use tower::ServiceExt;

use super::metric_names::{KUBERNETES, OWN};
use super::{families, get};
use crate::world::{World, config_map};

#[derive(Debug, thiserror::Error)]
#[error("it does not reconcile")]
struct Trouble;

/// A registry of a controller of config maps that runs, with the client and a lease that leads.
async fn observed(world: &World) -> (Registry, tokio::task::JoinHandle<()>) {
    let client = world.client.clone().with_rate_limit(RateLimit::new(1000.0, 1000).unwrap());
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let controller = Controller::new(maps, World::watching());
    let registry = Registry::new();
    registry.add(client.clone());
    registry.add(("configmap".to_owned(), controller.metrics()));
    add_webhook(&registry).await;
    let candidate = Candidate::new(client, world.namespace(), "metrics");
    registry.add(candidate.metrics());
    let reconcile = async |map: Arc<ConfigMap>, _: Arc<()>| match map.data {
        Some(_) => Err(Trouble),
        None => Ok(Action::await_change()),
    };
    let work = controller.run(reconcile, |_, _, _| Action::backoff(), Arc::new(())).for_each(|_| async {});
    let running = tokio::spawn(async move { drop(candidate.lead(async |_| work.await).await) });
    (registry, running)
}

/// A webhook that was asked something once, with a certificate from files.
pub(super) async fn add_webhook(registry: &Registry) {
    let allow = |_: AdmissionRequest<ConfigMap>| async { Decision::allow() };
    let webhooks = Webhooks::new().validating("/validate", allow);
    registry.add(webhooks.metrics());
    registry.add(CertificateFiles::in_directory("no-such-directory").metrics());
    let request = http::Request::post("/validate").body(http_body_util::Full::<bytes::Bytes>::default()).unwrap();
    webhooks.oneshot(request).await.unwrap();
}

/// A client that had to try a call twice.
pub(super) async fn add_retry(registry: &Registry) {
    let server = Server::new();
    let client = server.client();
    registry.add(client.clone());
    server.fault(Requests::all().of("nodes").times(1), Fault::too_many_requests(None));
    Api::<Node>::all(client).list(&Default::default()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn names_types_and_labels_are_those_of_controller_runtime_and_client_go() {
    let world = World::embedded();
    world.create_config_map("a").await;
    let (registry, running) = observed(&world).await;
    add_retry(&registry).await;
    world
        .until("it has reconciled", async || {
            registry
                .encode(Format::Classic)
                .contains("controller_runtime_reconcile_total{controller=\"configmap\",result=\"success\"} 1")
        })
        .await;
    let found = families(&registry.encode(Format::Classic));
    let expected: BTreeMap<_, _> = KUBERNETES
        .iter()
        .chain(OWN)
        .map(|(name, kind, labels)| {
            let labels = labels.iter().map(|label| (*label).to_owned()).collect();
            ((*name).to_owned(), ((*kind).to_owned(), labels))
        })
        .collect();
    assert_eq!(found, expected);
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn a_thousand_objects_and_failures_are_as_many_series_as_one() {
    let world = World::embedded();
    world.create_config_map("first").await;
    let (registry, running) = observed(&world).await;
    let series = || registry.encode(Format::Classic).lines().filter(|line| !line.starts_with('#')).count();
    sleep(Duration::from_secs(10)).await;
    let before = series();
    for number in 0..1000 {
        let mut map = config_map(&format!("map-{number}"));
        map.data = (number % 10 == 0).then(|| [("fails".to_owned(), "yes".to_owned())].into());
        world.config_maps().create(&PostParams::default(), &map).await.unwrap();
    }
    sleep(Duration::from_secs(60)).await;
    // A verb and its code are new, and a priority; no object is.
    assert!(series() <= before + 20, "{before} series became {}", series());
    let text = registry.encode(Format::Classic);
    assert!(text.contains("pintle_store_objects{controller=\"configmap\"} 1001"), "{text}");
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn a_scraper_gets_the_format_that_it_asks_for() {
    let registry = Registry::new();
    registry.add(|| {
        let mut samples = pintle::runtime::metrics::Samples::default();
        samples.counter("calls_total", "Calls.", 3);
        samples.into_vec()
    });
    let ask = |accept| get(Endpoint::new(registry.clone()), "/metrics", accept);
    let (code, media, text) = ask(None).await;
    assert_eq!((code, media.as_str()), (200, "text/plain; version=0.0.4; charset=utf-8"));
    assert!(text.contains("# TYPE calls_total counter\ncalls_total 3\n") && !text.contains("# EOF"), "{text}");
    let (code, media, text) = ask(Some(("accept", "application/openmetrics-text;version=1.0.0"))).await;
    assert_eq!((code, media.as_str()), (200, "application/openmetrics-text; version=1.0.0; charset=utf-8"));
    assert!(text.contains("# TYPE calls counter\ncalls_total 3\n") && text.ends_with("# EOF\n"), "{text}");
    assert_eq!(get(Endpoint::new(registry.clone()), "/", None).await.0, 404);
}

#[tokio::test(start_paused = true)]
async fn watches_show_how_old_their_news_are_where_they_stand_and_how_often_they_listed_again() {
    let world = World::embedded();
    world.create_config_map("a").await;
    let (registry, running) = observed(&world).await;
    let value = |series: &str| {
        let text = registry.encode(Format::Classic);
        let line =
            text.lines().find(|line| line.starts_with(series)).unwrap_or_else(|| panic!("no {series} in\n{text}"));
        line.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap()
    };
    sleep(Duration::from_secs(200)).await;
    let age = "pintle_watch_last_event_age_seconds{controller=\"configmap\",watch=\"configmaps\"}";
    assert!(value(age) <= 70.0, "bookmarks come each minute, and the last is {} s old", value(age));
    let silent = world.server().fault(Requests::watches().of("configmaps"), Fault::NoBookmarks);
    world.server().cut_watches(&Requests::all());
    sleep(Duration::from_secs(200)).await;
    assert!(value(age) > 100.0, "nothing came for a while, and the last is {} s old", value(age));
    silent.lift();
    assert_eq!(value("pintle_watch_phase{controller=\"configmap\",watch=\"configmaps\",phase=\"watching\"}"), 1.0);
    let relists = "pintle_watch_relists_total{controller=\"configmap\",watch=\"configmaps\"}";
    let before = value(relists);
    world.server().expire_history();
    world.server().cut_watches(&Requests::all());
    world.create_config_map("b").await;
    sleep(Duration::from_secs(60)).await;
    assert_eq!(value(relists), before + 1.0);
    let refused = world.server().fault(Requests::all().of("configmaps"), Fault::forbidden());
    world.server().cut_watches(&Requests::all());
    sleep(Duration::from_secs(60)).await;
    assert_eq!(value("pintle_watch_phase{controller=\"configmap\",watch=\"configmaps\",phase=\"refused\"}"), 1.0);
    assert!(value("pintle_watch_failures_total{controller=\"configmap\",watch=\"configmaps\"}") >= 1.0);
    refused.lift();
    running.abort();
}

/// A token of a service account, as a scraper has one.
async fn token(server: &Server, account: &str) -> String {
    let accounts: Api<ServiceAccount> = Api::default_namespaced(server.client());
    let made = ServiceAccount { metadata: config_map(account).metadata, ..ServiceAccount::default() };
    accounts.create(&PostParams::default(), &made).await.unwrap();
    let request = accounts.create_token_request(account, &PostParams::default(), &TokenRequest::default()).await;
    request.unwrap().status.unwrap().token.expect("a token request is answered with a token")
}

async fn allow_metrics(server: &Server, account: &str) {
    let apply = PatchParams::apply("story").force();
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "scraper"},
        "rules": [{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}],
    });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "scraper"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "scraper"},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": "default"}],
    });
    let (roles, bindings) = (Api::<ClusterRole>::all(server.client()), Api::<ClusterRoleBinding>::all(server.client()));
    roles.patch("scraper", &apply, &Patch::Apply(role)).await.unwrap();
    bindings.patch("scraper", &apply, &Patch::Apply(binding)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn protected_metrics_are_for_whom_the_cluster_allows_them_and_it_is_asked_rarely() {
    let server = Server::builder().rbac().build();
    let token = token(&server, "scraper").await;
    let endpoint = Endpoint::new(Registry::new()).protected_by(Access::new(server.client()));
    let ask = async |authorization: &str| {
        let (code, _, text) = get(endpoint.clone(), "/metrics", Some(("authorization", authorization))).await;
        (code, text.lines().next().unwrap_or_default().to_owned())
    };
    let reviews = |kind: &str| server.trace().iter().filter(|line| line.path.contains(kind)).count();
    assert_eq!(get(endpoint.clone(), "/metrics", None).await.0, 401);
    assert_eq!(ask("Bearer nonsense").await, (401, "Unauthorized".to_owned()));
    let bearer = format!("Bearer {token}");
    let denied = "Authorization denied for user system:serviceaccount:default:scraper";
    assert_eq!(ask(&bearer).await, (403, denied.to_owned()));
    allow_metrics(&server, "scraper").await;
    assert_eq!(ask(&bearer).await.0, 403, "a denial is kept for 30 s");
    sleep(Duration::from_secs(31)).await;
    let (tokens, accesses) = (reviews("tokenreviews"), reviews("subjectaccessreviews"));
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(290) {
        assert_eq!(ask(&bearer).await.0, 200);
        sleep(Duration::from_secs(10)).await;
    }
    assert_eq!(reviews("subjectaccessreviews") - accesses, 1, "an approval is kept for 5 min");
    assert!((4..=6).contains(&(reviews("tokenreviews") - tokens)), "a token is asked about once a minute");
    let broken = server.fault(Requests::all(), Fault::internal_error());
    sleep(Duration::from_secs(400)).await;
    assert_eq!(ask(&bearer).await, (500, "Authentication failed".to_owned()));
    broken.lift();
    assert_eq!(ask(&bearer).await.0, 200, "a failure is not kept");
}
