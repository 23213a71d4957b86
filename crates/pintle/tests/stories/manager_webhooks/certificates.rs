//! Certificates that replicas make, share and rotate: without a failed call, over real HTTPS, on both servers.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::future::pending;
use std::net::SocketAddr;
use std::time::Duration;

use futures::future::join_all;
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::jiff::Timestamp;
use pintle::api::{Api, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use pintle::core::ApiResource;
use pintle::core::admission::AdmissionRequest;
use pintle::manager::certificates::{ManagedCertificate, Policy};
use pintle::manager::definitions::install;
use pintle::manager::http_server::HttpServer;
use pintle::manager::webhook::{Conversion, Decision, Webhooks};
use pintle::runtime::metrics::Value::Counter;
use pintle::{Error, ResourceExt};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use super::{configuration, widgets};
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

/// A certificate of the story that is valid as long as a clock may be wrong, but replaced at once.
fn short_lived(world: &World) -> ManagedCertificate {
    let mut policy = Policy::default();
    policy.lifetime = Duration::from_secs(3600);
    policy.renew_before = policy.lifetime - Duration::from_millis(200);
    policy.publish_time = Duration::from_secs(1);
    policy.switch_time = Duration::from_secs(1);
    policy.period = Duration::from_millis(100);
    ManagedCertificate::new(world.client.clone(), world.namespace(), "webhook").host("127.0.0.1").policy(policy)
}

/// Serves webhooks over HTTPS, and returns where.
async fn serve(certificate: &ManagedCertificate, hooks: Webhooks) -> (SocketAddr, JoinHandle<()>) {
    let tls = certificate.serving().tls().unwrap();
    let server = HttpServer::bind("127.0.0.1:0".parse().unwrap()).await.unwrap().tls(tls);
    (server.local_addr(), tokio::spawn(server.serve(hooks, pending())))
}

#[tokio::test]
async fn certificates_rotate_under_load_without_a_failed_call() {
    let world = World::new();
    let (namespace, name) = (world.namespace().to_owned(), format!("rotation-{}", world.namespace()));
    let certificate = short_lived(&world).validating_configuration(&name);
    let hooks = Webhooks::new().validating("/validate", |request: AdmissionRequest<ConfigMap>| async move {
        match request.object {
            Some(map) if map.name_any() == "forbidden" => Decision::deny("not this one"),
            _ => Decision::allow(),
        }
    });
    let (address, serving) = serve(&certificate, hooks).await;
    let url = format!("https://{address}/validate");
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
    while seen.len() < 4 || calls < 40 {
        let four = join_all((0..4).map(|_| maps.create(&dry_run, &map))).await;
        for call in four {
            call.unwrap_or_else(|error| panic!("call {calls} failed with {} certificates seen: {error}", seen.len()));
            calls += 1;
        }
        let refused = maps.create(&dry_run, &config_map("forbidden")).await;
        assert!(refused.is_err(), "the webhook is still asked");
        seen.insert(served(&secrets).await);
    }
    rotating.abort();
    serving.abort();
    configurations.delete(&name, &DeleteParams::default()).await.unwrap();
}

/// Widgets that have a `size` in v1 and `replicas` in v2, which is stored.
fn conversion(group: &str) -> Conversion {
    let renamed = |mut widget: Value, old: &str, new: &str| {
        widget["spec"] = json!({new: widget["spec"][old]});
        Ok::<_, Infallible>(widget)
    };
    let [v1, v2] = ["v1", "v2"].map(|version| format!("{group}/{version}"));
    Conversion::new().with_values("Widget", &v1, &v2, move |widget| renamed(widget, "size", "replicas")).with_values(
        "Widget",
        &v2,
        &v1,
        move |widget| renamed(widget, "replicas", "size"),
    )
}

#[tokio::test]
async fn a_conversion_is_called_over_https_and_its_certificate_rotates_under_load_without_a_failed_call() {
    let world = World::new();
    let (group, post) = (format!("{}.example.com", world.namespace()), PostParams::default());
    let name = format!("widgets.{group}");
    let certificate = short_lived(&world).definition(&name);
    let hooks = Webhooks::new().conversion("/convert", conversion(&group));
    let (address, serving) = serve(&certificate, hooks.clone()).await;

    let spec = |field: &str| json!({"type": "object", "properties": {field: {"type": "integer"}}});
    let mut definition = widgets(&group, &[("v1", spec("size")), ("v2", spec("replicas"))]);
    definition["spec"]["conversion"] = json!({"strategy": "Webhook", "webhook": {
        "conversionReviewVersions": ["v1"], "clientConfig": {"url": format!("https://{address}/convert")}}});
    install(world.client.clone(), [serde_json::from_value(definition).unwrap()]).await.unwrap();
    let definitions: Api<CustomResourceDefinition> = Api::all(world.client.clone());
    let bundle = async || {
        let conversion = definitions.get(&name).await.unwrap().spec.conversion.unwrap();
        conversion.webhook.unwrap().client_config.unwrap().ca_bundle.map(|bundle| bundle.0).unwrap_or_default()
    };
    assert!(bundle().await.is_empty(), "nobody has put an authority there");
    certificate.look().await.unwrap();
    let first = bundle().await;
    assert!(!first.is_empty(), "the first look publishes");

    let version = |version: &str| {
        let (group, api_version, version) = (group.clone(), format!("{group}/{version}"), version.to_owned());
        ApiResource { group, version, api_version, kind: "Widget".into(), plural: "widgets".into() }
    };
    let [v1, v2] = ["v1", "v2"].map(version);
    let widget = DynamicObject::new("w", &v1).data(json!({"spec": {"size": 3}}));
    let [old, new]: [Api<DynamicObject>; 2] =
        [v1, v2].map(|resource| Api::default_namespaced_with(world.client.clone(), &resource));
    world.until("the conversion is trusted", async || old.create(&post, &widget).await.is_ok()).await;
    assert_eq!(new.get("w").await.unwrap().data["spec"], json!({"replicas": 3}), "it is stored as v2");

    let rotating = tokio::spawn(async move { certificate.run().await });
    let secrets: Api<Secret> = Api::default_namespaced(world.client.clone());
    let (mut seen, mut calls) = (BTreeSet::new(), 0);
    while seen.len() < 4 || calls < 40 {
        // What changes has to be converted anew.
        let four = join_all((0..4).map(|number| {
            let size = Patch::Merge(json!({"spec": {"size": calls + number}}));
            let old = old.clone();
            async move { old.patch("w", &PatchParams::default(), &size).await }
        }));
        for call in four.await {
            call.unwrap_or_else(|error| panic!("call {calls} failed with {} certificates seen: {error}", seen.len()));
            calls += 1;
        }
        seen.insert(served(&secrets).await);
    }
    assert_ne!(bundle().await, first, "authorities come and go with their certificates");
    let converted = hooks.metrics().samples().into_iter().find(|sample| {
        sample.name == "controller_runtime_webhook_requests_total"
            && sample.labels.iter().any(|(_, code)| code == "200")
    });
    let converted = converted.map(|sample| sample.value);
    assert!(matches!(converted, Some(Counter(count)) if count >= calls), "{converted:?} conversions for {calls} calls");
    rotating.abort();
    definitions.delete(&name, &DeleteParams::default()).await.unwrap();
    serving.abort();
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
    running.iter().for_each(JoinHandle::abort);
}
