//! Certificates that replicas make, share and rotate: without a failed call, over real HTTPS, on both servers.

use std::collections::BTreeSet;
use std::future::pending;
use std::time::Duration;

use futures::future::join_all;
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::jiff::Timestamp;
use pintle::api::{Api, DeleteParams, PostParams};
use pintle::core::admission::AdmissionRequest;
use pintle::manager::certificates::{ManagedCertificate, Policy};
use pintle::manager::http_server::HttpServer;
use pintle::manager::webhook::{Decision, Webhooks};
use pintle::{Error, ResourceExt};
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::configuration;
use crate::world::{World, config_map};

/// What the Secret shows as served.
async fn served(secrets: &Api<Secret>) -> Vec<u8> {
    secrets.get("webhook").await.unwrap().data.unwrap()["tls.crt"].0.clone()
}

/// The authorities that those who call carry.
async fn trusted(configurations: &Api<ValidatingWebhookConfiguration>, name: &str) -> Vec<u8> {
    let configuration = configurations.get(name).await.unwrap();
    configuration.webhooks.unwrap()[0].client_config.ca_bundle.clone().map(|bundle| bundle.0).unwrap_or_default()
}

#[tokio::test]
async fn certificates_rotate_under_load_without_a_failed_call() {
    let world = World::new();
    let (namespace, name) = (world.namespace().to_owned(), format!("rotation-{}", world.namespace()));
    // As long as a clock may be wrong, but replaced at once.
    let mut policy = Policy::default();
    policy.lifetime = Duration::from_secs(3600);
    policy.renew_before = policy.lifetime - Duration::from_millis(200);
    policy.publish_time = Duration::from_secs(1);
    policy.switch_time = Duration::from_secs(1);
    policy.period = Duration::from_millis(100);
    let certificate = ManagedCertificate::new(world.client.clone(), &namespace, "webhook")
        .host("127.0.0.1")
        .validating_configuration(&name)
        .policy(policy);
    let hooks = Webhooks::new().validating("/validate", |request: AdmissionRequest<ConfigMap>| async move {
        match request.object {
            Some(map) if map.name_any() == "forbidden" => Decision::deny("not this one"),
            _ => Decision::allow(),
        }
    });
    let tls = certificate.serving().tls().unwrap();
    let server = HttpServer::bind("127.0.0.1:0".parse().unwrap()).await.unwrap().tls(tls);
    let url = format!("https://{}/validate", server.local_addr());
    let serving = tokio::spawn(server.serve(hooks, pending()));

    let configurations: Api<ValidatingWebhookConfiguration> = Api::all(world.client.clone());
    let entry = serde_json::from_value(configuration(&name, &namespace, &json!({"url": url}))).unwrap();
    configurations.create(&PostParams::default(), &entry).await.unwrap();
    certificate.look().await.unwrap();
    assert!(!trusted(&configurations, &name).await.is_empty(), "the first look publishes");
    let (maps, dry_run) = (world.config_maps(), PostParams { dry_run: true, ..PostParams::default() });
    world
        .until("the webhook is called", async || {
            let refused = maps.create(&dry_run, &config_map("forbidden")).await;
            matches!(refused, Err(Error::Api(status)) if status.message.ends_with("denied the request: not this one"))
        })
        .await;

    let rotating = tokio::spawn(async move { certificate.run().await });
    let secrets: Api<Secret> = Api::default_namespaced(world.client.clone());
    let (mut seen, mut calls, map) = (BTreeSet::new(), 0, config_map("a"));
    while seen.len() < 4 {
        let four = join_all((0..4).map(|_| maps.create(&dry_run, &map))).await;
        for call in four {
            call.unwrap_or_else(|error| panic!("call {calls} failed with {} certificates seen: {error}", seen.len()));
            calls += 1;
        }
        let refused = maps.create(&dry_run, &config_map("forbidden")).await;
        assert!(refused.is_err(), "the webhook is still asked");
        seen.insert(served(&secrets).await);
    }
    assert!(calls > 40, "there was load: {calls} calls");
    rotating.abort();
    serving.abort();
    configurations.delete(&name, &DeleteParams::default()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn replicas_that_start_at_once_serve_the_same_certificate() {
    let world = World::embedded();
    let replica = || ManagedCertificate::new(world.client.clone(), "default", "webhook").service("default", "webhook");
    let replicas: Vec<_> = (0..5).map(|_| replica()).collect();
    for looked in join_all(replicas.iter().map(ManagedCertificate::look)).await {
        looked.unwrap();
    }
    let first = replicas[0].serving().certificate().expect("it is served");
    assert!(replicas.iter().all(|replica| replica.serving().certificate().as_ref() == Some(&first)));
    let late = replica();
    assert_eq!(late.check().unwrap_err(), "the certificate's Secret default/webhook was not read yet");
    late.look().await.unwrap();
    assert_eq!(late.serving().certificate(), Some(first));
}

#[tokio::test(start_paused = true)]
async fn in_half_a_year_certificates_change_every_two_months_and_are_always_trusted() {
    let world = World::embedded();
    let (begun, started) = (Instant::now(), Timestamp::from_second(1_790_000_000).unwrap());
    // Looking twice a day is enough for a story.
    let mut policy = Policy::default();
    policy.period = Duration::from_secs(12 * 3600);
    let replica = || {
        ManagedCertificate::new(world.client.clone(), "default", "webhook")
            .service("default", "webhook")
            .validating_configuration("operator")
            .policy(policy.clone())
            .clock(move || started + begun.elapsed())
    };
    let configurations: Api<ValidatingWebhookConfiguration> = Api::all(world.client.clone());
    let service = json!({"service": {"namespace": "default", "name": "webhook"}});
    let entry = serde_json::from_value(configuration("operator", "default", &service)).unwrap();
    configurations.create(&PostParams::default(), &entry).await.unwrap();
    let replicas = [replica(), replica()];
    let running = replicas.clone().map(|replica| tokio::spawn(async move { replica.run().await }));

    let secrets: Api<Secret> = Api::default_namespaced(world.client.clone());
    let mut seen = BTreeSet::new();
    for _ in 0..190 * 2 {
        sleep(Duration::from_secs(12 * 3600)).await;
        seen.insert(served(&secrets).await);
        let secret = secrets.get("webhook").await.unwrap().data.unwrap();
        let authorities = String::from_utf8(secret["ca.crt"].0.clone()).unwrap();
        assert_eq!(String::from_utf8(trusted(&configurations, "operator").await).unwrap(), authorities);
        assert!(authorities.matches("BEGIN CERTIFICATE").count() <= 2);
    }
    assert_eq!(seen.len(), 4, "the first one, and a new one every two months");
    running.iter().for_each(tokio::task::JoinHandle::abort);
}
