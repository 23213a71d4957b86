//! An operator's admission webhook with the types of `core::admission`, asked by the server in its own process: no socket,
//! no certificate, and time may stand still.

use std::convert::Infallible;

use http::{Request, Response};
use http_body_util::BodyExt;
use json_patch::Patch;
use k8s_openapi::api::admissionregistration::v1::{MutatingWebhookConfiguration, ValidatingWebhookConfiguration};
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, PostParams};
use pintle::core::admission::{AdmissionRequest, AdmissionResponse, AdmissionReview, Operation};
use pintle::testing::{Server, ServerExt};
use pintle::{Error, ResourceExt};
use pintle_apiserver::Body;
use serde_json::json;

use crate::world::config_map;

/// The operator's code: what is new gets a label, and what is called `forbidden` is not created.
fn judge(request: &AdmissionRequest<ConfigMap>) -> AdmissionResponse {
    let response = AdmissionResponse::from(request);
    match &request.object {
        Some(map) if map.name_any() == "forbidden" => response.deny("not this one"),
        Some(map) if request.operation == Operation::Create && map.labels().is_empty() => {
            let patch = json!([{"op": "add", "path": "/metadata/labels", "value": {"seen": "yes"}}]);
            let patch: Patch = serde_json::from_value(patch).expect("a patch");
            response.with_patch(patch).expect("it prints as JSON")
        }
        _ => response,
    }
}

async fn answer(request: Request<Body>) -> Result<Response<String>, Infallible> {
    let body = request.into_body().collect().await.expect("it is whole").to_bytes();
    let review: AdmissionReview<ConfigMap> = serde_json::from_slice(&body).expect("a review");
    let request: AdmissionRequest<ConfigMap> = review.try_into().expect("a request");
    let review = judge(&request).into_review();
    Ok(Response::new(serde_json::to_string(&review).expect("a review prints")))
}

/// What a configuration says of the webhook; both kinds of them have the same fields.
fn webhooks() -> serde_json::Value {
    let rules =
        json!([{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["CREATE"]}]);
    let service = json!({"namespace": "my-operator", "name": "webhook", "path": "/admit"});
    let webhook = json!({"name": "admit.my-operator.example.com", "clientConfig": {"service": service}, "rules": rules,
        "sideEffects": "None", "admissionReviewVersions": ["v1"]});
    json!({"metadata": {"name": "my-operator"}, "webhooks": [webhook]})
}

#[tokio::test(start_paused = true)]
async fn an_operators_webhook_changes_and_refuses_what_its_clients_write() {
    let server = Server::builder().webhook_service("my-operator/webhook", tower::service_fn(answer)).build();
    let client = server.client();
    let mutating: MutatingWebhookConfiguration = serde_json::from_value(webhooks()).expect("it is one");
    let validating: ValidatingWebhookConfiguration = serde_json::from_value(webhooks()).expect("it is one");
    let post = PostParams::default();
    Api::all(client.clone()).create(&post, &mutating).await.expect("it is new");
    Api::all(client.clone()).create(&post, &validating).await.expect("it is new");
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    let made = maps.create(&post, &config_map("a")).await.expect("it is allowed");
    assert_eq!(made.labels().get("seen").map(String::as_str), Some("yes"));
    let refused = maps.create(&post, &config_map("forbidden")).await.expect_err("it is not");
    let Error::Api(status) = refused else { panic!("{refused}") };
    let why = "admission webhook \"admit.my-operator.example.com\" denied the request: not this one";
    assert_eq!(status.message, why);
}
