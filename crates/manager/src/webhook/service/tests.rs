//! Requests as an API server sends them, and others.

use http::header::CONTENT_TYPE;
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle_core::DynamicObject;
use pintle_core::admission::AdmissionRequest;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::*;
use crate::webhook::{BODY_MAX, Decision};

/// Paths of admission webhooks for ConfigMaps, by what they do.
fn webhooks() -> Webhooks {
    Webhooks::new()
        .validating("/deny", |_: AdmissionRequest<ConfigMap>| async {
            Decision::deny("no").code(422).reason("Invalid").warn("careful").audit("why", "because")
        })
        .validating("/panic", |_: AdmissionRequest<ConfigMap>| async { panic!("asked to") as Decision })
        .validating("/fail", |_: AdmissionRequest<ConfigMap>| async { Err::<Decision, _>("no database") })
        .validating(
            "/changes",
            |request: AdmissionRequest<ConfigMap>| async move { Decision::change_to(&request.object) },
        )
        .validating("/slow", |_: AdmissionRequest<ConfigMap>| std::future::pending::<Decision>())
        .mutating("/label", |request: AdmissionRequest<ConfigMap>| async move {
            let Some(mut map) = request.object else { return Decision::allow() };
            map.metadata.labels.get_or_insert_default().insert("seen".into(), "yes".into());
            Decision::change_to(&map)
        })
        .mutating_any("/any", |request: AdmissionRequest<DynamicObject>| async move {
            let Some(mut object) = request.object else { return Decision::allow() };
            object.data["spec"]["size"] = json!(2);
            Decision::change_to(&object)
        })
        .conversion(
            "/convert",
            Conversion::new().with_values("Widget", "a/v1", "a/v2", |object| {
                assert!(object["spec"] != "panic");
                Ok::<_, Infallible>(object)
            }),
        )
}

fn review(kind: &str, object: &Value) -> Value {
    let kind = json!({"group": "", "version": "v1", "kind": kind});
    let resource = json!({"group": "", "version": "v1", "resource": "configmaps"});
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "u", "kind": kind, "resource": resource, "operation": "CREATE", "userInfo": {}, "name": "a",
        "object": object, "oldObject": null, "options": null, "dryRun": false}})
}

fn config_map() -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "b"}, "unknown": {"x": 1}})
}

/// Sends a body, and returns the code and the answer, as JSON if it is.
async fn send(webhooks: &Webhooks, path: &str, body: impl Into<Bytes>) -> (u16, Value) {
    let request = Request::post(path).header(CONTENT_TYPE, "application/json").body(Full::new(body.into())).unwrap();
    let response = webhooks.clone().oneshot(request).await.unwrap();
    let code = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (code, serde_json::from_slice(&body).unwrap_or_else(|_| String::from_utf8_lossy(&body).trim_end().into()))
}

/// The `response` of a review about a ConfigMap.
async fn ask(path: &str, review: &Value) -> Value {
    let (code, mut answer) = send(&webhooks(), path, review.to_string()).await;
    assert_eq!(code, 200, "{answer}");
    assert_eq!((&answer["apiVersion"], &answer["kind"]), (&review["apiVersion"], &review["kind"]));
    assert_eq!(answer["response"]["uid"], "u");
    answer["response"].take()
}

#[tokio::test]
async fn a_denial_carries_code_reason_warnings_and_audit_annotations() {
    let response = ask("/deny", &review("ConfigMap", &config_map())).await;
    let status = json!({"status": "Failure", "message": "no", "reason": "Invalid", "code": 422});
    let expected = json!({"uid": "u", "allowed": false, "status": status, "warnings": ["careful"],
        "auditAnnotations": {"why": "because"}});
    assert_eq!(response, expected);
}

#[tokio::test]
async fn a_changed_object_is_a_patch_that_leaves_unknown_fields_alone() {
    let response = ask("/label", &review("ConfigMap", &config_map())).await;
    assert_eq!((&response["allowed"], &response["patchType"]), (&json!(true), &json!("JSONPatch")));
    let patch = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, response["patch"].as_str().unwrap());
    let patch: Value = serde_json::from_slice(&patch.unwrap()).unwrap();
    assert_eq!(patch, json!([{"op": "add", "path": "/metadata/labels", "value": {"seen": "yes"}}]));
}

#[tokio::test]
async fn an_object_that_stays_as_it_is_has_no_patch() {
    let mut map = config_map();
    map["metadata"]["labels"] = json!({"seen": "yes"});
    assert_eq!(ask("/label", &review("ConfigMap", &map)).await, json!({"uid": "u", "allowed": true}));
    let mut deletion = review("ConfigMap", &Value::Null);
    deletion["request"]["operation"] = "DELETE".into();
    assert_eq!(ask("/label", &deletion).await, json!({"uid": "u", "allowed": true}));
}

#[tokio::test]
async fn a_dynamic_webhook_takes_every_kind() {
    let widget = json!({"apiVersion": "a/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"size": 1}});
    let response = ask("/any", &review("Widget", &widget)).await;
    assert!(response["patch"].is_string(), "{response}");
}

#[tokio::test]
async fn a_handler_that_panics_fails_or_changes_what_it_may_not_denies_with_500() {
    let hooks = webhooks();
    for (path, message) in [
        ("/panic", "the webhook's handler panicked; its log says more"),
        ("/fail", "no database"),
        ("/changes", "the handler of a validating webhook changed the object; only a mutating webhook may"),
    ] {
        let (code, answer) = send(&hooks, path, review("ConfigMap", &config_map()).to_string()).await;
        let status = json!({"status": "Failure", "message": message, "reason": "InternalError", "code": 500});
        assert_eq!((code, &answer["response"]["status"]), (200, &status), "{path}");
    }
    let panics = |name: &str| hooks.metrics().samples().into_iter().find(|sample| sample.name == name).unwrap().value;
    assert_eq!(panics("controller_runtime_webhook_panics_total"), pintle_runtime::metrics::Value::Counter(1));
}

#[tokio::test]
async fn an_object_that_is_not_what_the_handler_reads_is_refused_without_its_content() {
    let response = ask("/label", &review("Secret", &json!({}))).await;
    let wrong_kind = "this webhook handles ConfigMap of v1, and was asked about Secret of v1; check the rules of its \
                      configuration";
    assert_eq!((&response["status"]["message"], &response["status"]["code"]), (&json!(wrong_kind), &json!(400)));
    let mut odd = config_map();
    odd["data"] = "s3cret".into();
    let response = ask("/label", &review("ConfigMap", &odd)).await;
    assert_eq!(response["status"]["message"], "the request's object cannot be read as ConfigMap: expected a map");
    let mut half = review("ConfigMap", &config_map());
    half["request"].as_object_mut().unwrap().remove("operation");
    let response = ask("/label", &half).await;
    let missing = "the request is not one of admission.k8s.io/v1: missing field `operation`";
    assert_eq!(response["status"]["message"], missing);
}

#[tokio::test]
async fn what_is_not_a_review_is_refused_with_a_code_and_a_reason() {
    let hooks = webhooks();
    let is_text = |answer: (u16, Value), code: u16, part: &str| {
        assert!(answer.0 == code && answer.1.as_str().is_some_and(|text| text.contains(part)), "{answer:?}");
    };
    is_text(send(&hooks, "/deny", "{").await, 400, "not JSON");
    is_text(send(&hooks, "/deny", r#"{"kind":"Pod","apiVersion":"v1"}"#).await, 400, "not \"Pod\" of \"v1\"");
    let empty = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}).to_string();
    is_text(send(&hooks, "/deny", empty).await, 400, "carries no request with a uid");
    is_text(send(&hooks, "/convert", "[]").await, 400, "a ConversionReview of apiextensions.k8s.io/v1 was expected");
    is_text(send(&hooks, "/else", "{}").await, 404, "there are /any, /changes, /convert, /deny");
    is_text(send(&hooks, "/deny", vec![b' '; BODY_MAX + 1]).await, 413, "larger than 7 MiB");
    let plain = Request::post("/deny").header(CONTENT_TYPE, "text/plain").body(Full::<Bytes>::default()).unwrap();
    assert_eq!(hooks.clone().oneshot(plain).await.unwrap().status(), 415);
    let get = Request::get("/deny").body(Full::<Bytes>::default()).unwrap();
    assert_eq!(hooks.clone().oneshot(get).await.unwrap().status(), 405);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_takes_too_long_is_answered_just_before_the_caller_gives_up() {
    let begun = Instant::now();
    let (code, answer) = send(&webhooks(), "/slow?timeout=5s", review("ConfigMap", &config_map()).to_string()).await;
    let said = "the webhook did not answer within 4.5s, which is what its caller waits for";
    assert_eq!((code, answer), (504, json!(said)));
    assert_eq!(begun.elapsed().as_millis() / 10, 450);
}

#[tokio::test(start_paused = true)]
async fn requests_beyond_the_limit_wait_and_time_out_and_nothing_stays_in_flight() {
    let hooks = webhooks().requests_max(1);
    let body = review("ConfigMap", &config_map()).to_string();
    let (slow, waits) = tokio::join!(send(&hooks, "/slow?timeout=2s", body.clone()), async {
        send(&hooks, "/deny?timeout=10s", body.clone()).await
    });
    assert_eq!((slow.0, waits.0), (504, 200), "the second is answered once the first has ended");
    let in_flight = hooks.metrics().samples().into_iter().filter(|sample| sample.name.ends_with("in_flight"));
    assert!(in_flight.into_iter().all(|sample| sample.value == pintle_runtime::metrics::Value::Gauge(0.0)));
}

#[tokio::test]
async fn objects_are_converted_in_order_and_a_panic_fails_the_review() {
    let hooks = webhooks();
    let ask = |specs: Value| {
        let objects: Vec<_> = specs
            .as_array()
            .unwrap()
            .iter()
            .map(|spec| json!({"apiVersion": "a/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": spec}))
            .collect();
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
            "request": {"uid": "u", "desiredAPIVersion": "a/v2", "objects": objects}})
        .to_string()
    };
    let (code, answer) = send(&hooks, "/convert", ask(json!(["one", "two"]))).await;
    let converted = &answer["response"]["convertedObjects"];
    assert_eq!((code, &converted[0]["apiVersion"], &converted[1]["spec"]), (200, &json!("a/v2"), &json!("two")));
    let (code, answer) = send(&hooks, "/convert", ask(json!(["one", "panic"]))).await;
    let message = "the conversion panicked; the webhook's log says more";
    assert_eq!((code, &answer["response"]["result"]["message"]), (200, &json!(message)));
}
