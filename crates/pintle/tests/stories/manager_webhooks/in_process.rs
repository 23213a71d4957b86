//! Webhooks with types, called by the server in its own process: no socket, no certificate, and time may stand still.

use std::convert::Infallible;

use k8s_openapi::api::admissionregistration::v1::{MutatingWebhookConfiguration, ValidatingWebhookConfiguration};
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, DynamicObject, PostParams};
use pintle::core::ApiResource;
use pintle::core::admission::AdmissionRequest;
use pintle::manager::definitions::install;
use pintle::manager::webhook::{Conversion, Decision, Webhooks};
use pintle::testing::{Server, ServerExt};
use pintle::{Error, ResourceExt};
use serde_json::{Value, json};

use super::{configuration, widgets};
use crate::world::config_map;

fn webhooks() -> Webhooks {
    Webhooks::new()
        .mutating("/default", |request: AdmissionRequest<ConfigMap>| async move {
            let Some(mut map) = request.object else { return Decision::allow() };
            map.labels_mut().insert("made-by".to_owned(), request.user_info.username.unwrap_or_default());
            Decision::change_to(&map)
        })
        .validating("/validate", |request: AdmissionRequest<ConfigMap>| async move {
            assert_ne!(request.name, "broken", "the handler panics");
            match request.object {
                Some(map) if map.name_any() == "forbidden" => {
                    Decision::deny("not this one").code(422).reason("Invalid")
                }
                _ => Decision::allow().warn("only a test"),
            }
        })
        .conversion(
            "/convert",
            Conversion::new()
                .with_values("Widget", "example.com/v1", "example.com/v2", |widget| {
                    Ok::<_, Infallible>(renamed(widget, "size", "replicas"))
                })
                .with_values("Widget", "example.com/v2", "example.com/v1", |widget| {
                    Ok::<_, Infallible>(renamed(widget, "replicas", "size"))
                }),
        )
}

fn renamed(mut widget: Value, old: &str, new: &str) -> Value {
    let value = widget["spec"][old].take();
    widget["spec"] = json!({new: value});
    widget
}

fn service(path: &str) -> Value {
    json!({"service": {"namespace": "system", "name": "webhook", "path": path}})
}

#[tokio::test(start_paused = true)]
async fn typed_handlers_change_refuse_and_survive_a_panic() {
    let hooks = webhooks();
    let server = Server::builder().webhook_service("system/webhook", hooks.clone()).build();
    let (client, post) = (server.client(), PostParams::default());
    let mutating: MutatingWebhookConfiguration =
        serde_json::from_value(configuration("operator", "default", &service("/default"))).unwrap();
    let validating: ValidatingWebhookConfiguration =
        serde_json::from_value(configuration("operator", "default", &service("/validate"))).unwrap();
    Api::all(client.clone()).create(&post, &mutating).await.unwrap();
    Api::all(client.clone()).create(&post, &validating).await.unwrap();

    let maps: Api<ConfigMap> = Api::default_namespaced(server.client_as("jane"));
    let made = maps.create(&post, &config_map("a")).await.expect("it is allowed");
    assert_eq!(made.labels()["made-by"], "jane");
    let refused = |name| {
        let maps = maps.clone();
        async move {
            let Err(Error::Api(status)) = maps.create(&PostParams::default(), &config_map(name)).await else {
                panic!("{name} is refused");
            };
            (status.code, status.message)
        }
    };
    let denied = "admission webhook \"configmaps.example.com\" denied the request: ";
    assert_eq!(refused("forbidden").await, (422, format!("{denied}not this one")));
    let panicked = format!("{denied}the webhook's handler panicked; its log says more");
    assert_eq!(refused("broken").await, (500, panicked));
    maps.create(&post, &config_map("b")).await.expect("the next one is answered");
}

#[tokio::test(start_paused = true)]
async fn objects_are_read_at_every_version_by_a_conversion_webhook() {
    let server = Server::builder().webhook_service("system/webhook", webhooks()).build();
    let spec = |field: &str| json!({"type": "object", "properties": {field: {"type": "integer"}}});
    let mut definition = widgets("example.com", &[("v1", spec("size")), ("v2", spec("replicas"))]);
    definition["spec"]["conversion"] = json!({"strategy": "Webhook",
        "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": service("/convert")}});
    install(server.client(), [serde_json::from_value(definition).unwrap()]).await.unwrap();

    let api = |version: &str| -> Api<DynamicObject> {
        let resource = ApiResource {
            group: "example.com".into(),
            version: version.into(),
            api_version: format!("example.com/{version}"),
            kind: "Widget".into(),
            plural: "widgets".into(),
        };
        Api::default_namespaced_with(server.client(), &resource)
    };
    let widget: DynamicObject = serde_json::from_value(json!({
        "apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"size": 3}}))
    .unwrap();
    api("v1").create(&PostParams::default(), &widget).await.unwrap();
    assert_eq!(api("v2").get("w").await.unwrap().data["spec"], json!({"replicas": 3}));
    assert_eq!(api("v1").get("w").await.unwrap().data["spec"], json!({"size": 3}));
}
