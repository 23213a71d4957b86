//! Webhooks that lie, send garbage, or are not there: their own request fails, or goes on if that is their policy.

use serde_json::{Value, json};

use super::program::{Program, hook, mutating, validating};
use super::{MUTATING, VALIDATING};
use crate::apiserver::world::{MAPS, World};

async fn asked(config: &str, body: Value, program: &Program) -> (u16, String) {
    let world = program.world();
    world.post(config, body).await.expect(201);
    let reply = world.post(MAPS, json!({"metadata": {"name": "a"}, "data": {"a": "1"}})).await;
    (reply.code, reply.json()["message"].as_str().unwrap_or_default().to_owned())
}

const FAILED: &str = "Internal error occurred: failed calling webhook \"x.example.com\": ";

#[tokio::test(start_paused = true)]
async fn answers_that_are_none_are_named_as_kube_apiserver_names_them() {
    let review = |response: Value| json!({"whole": {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}});
    let table: [(Value, &str); 16] = [
        (
            json!({"uid": "other", "allowed": true}),
            "received invalid webhook response: expected response.uid=\"{uid}\", got \"other\"",
        ),
        (review(Value::Null), "received invalid webhook response: webhook response was absent"),
        (json!({"whole": null, "http": 200}), "received invalid webhook response: webhook response was absent"),
        (
            json!({"whole": {"apiVersion": "v1", "kind": "ConfigMap", "response": {"allowed": true}}}),
            "failed to call webhook: no kind \"ConfigMap\" is registered for version \"v1\" in scheme \"pkg/runtime/scheme.go:111\"",
        ),
        (
            json!({"whole": {"apiVersion": "admission.k8s.io/v1beta1", "kind": "AdmissionReview", "response": {"allowed": true}}}),
            "failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion",
        ),
        (
            json!({"whole": {"response": {"allowed": true}}}),
            "received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=",
        ),
        (
            json!({"whole": {"apiVersion": "admission.k8s.io/v1", "response": {"allowed": true}}}),
            "received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got admission.k8s.io/v1, Kind=",
        ),
        (
            json!({"whole": "this is not json"}),
            "failed to call webhook: couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }",
        ),
        (
            json!({"whole": "[]"}),
            "failed to call webhook: couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }",
        ),
        (
            json!({"whole": ""}),
            "failed to call webhook: 0-length response with status code: 200 and content type: application/json",
        ),
        (
            json!({"allowed": "yes"}),
            "failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool",
        ),
        (
            json!({"whole": "boom", "http": 500}),
            "failed to call webhook: an error on the server (\"unknown\") has prevented the request from succeeding",
        ),
        (
            json!({"whole": "no page", "http": 404}),
            "failed to call webhook: the server could not find the requested resource",
        ),
        (
            json!({"allowed": true, "patch": "W10="}),
            "received invalid webhook response: webhook returned response.patch but not response.patchType",
        ),
        (
            json!({"allowed": true, "patchType": "JSONPatch"}),
            "received invalid webhook response: webhook returned response.patchType but not response.patch",
        ),
        (
            json!({"allowed": true, "patchType": "JSONPatch", "patch": "%%%"}),
            "failed to call webhook: illegal base64 data at input byte 0",
        ),
    ];
    for (answer, expected) in table {
        let given = answer.clone();
        let program = Program::new(move |_, _| given.clone());
        let (code, message) = asked(MUTATING, mutating("x", &[hook("x")]), &program).await;
        let uid = program.reviews()[0].body["request"]["uid"].as_str().unwrap().to_owned();
        assert_eq!(code, 500, "{answer}");
        assert_eq!(message, format!("{FAILED}{}", expected.replace("{uid}", &uid)), "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_validating_webhook_may_not_patch() {
    for (answer, field) in [
        (json!({"allowed": true, "patchType": "JSONPatch", "patch": "W10="}), "patch"),
        (json!({"allowed": true, "patchType": "JSONPatch"}), "patchType"),
    ] {
        let program = Program::new(move |_, _| answer.clone());
        let (code, message) = asked(VALIDATING, validating("x", &[hook("x")]), &program).await;
        let why =
            format!("{FAILED}received invalid webhook response: validating webhook may not return response.{field}");
        assert_eq!((code, message), (500, why));
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_call_is_ignored_where_that_is_the_policy_and_a_denial_is_not() {
    let program = Program::new(|path, _| match path {
        "/broken" => json!({"whole": "boom", "http": 500}),
        _ => json!({"allowed": false}),
    });
    let ignoring = |name: &str| {
        let mut hook = hook(name);
        hook["failurePolicy"] = "Ignore".into();
        hook
    };
    for (name, code) in [("broken", 201), ("denying", 400)] {
        assert_eq!(asked(MUTATING, mutating("x", &[ignoring(name)]), &program).await.0, code, "mutating {name}");
        assert_eq!(asked(VALIDATING, validating("x", &[ignoring(name)]), &program).await.0, code, "validating {name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_that_is_not_there_is_not_found() {
    let program = Program::new(|_, _| json!({"allowed": true}));
    let mut hook = hook("x");
    hook["clientConfig"] = json!({"service": {"namespace": "default", "name": "nope", "path": "/x"}});
    hook["timeoutSeconds"] = 2.into();
    let (code, message) = asked(VALIDATING, validating("x", &[hook]), &program).await;
    let why = "failed to call webhook: Post \"https://nope.default.svc:443/x?timeout=2s\": service \"nope\" not found";
    assert_eq!((code, message), (500, format!("{FAILED}{why}")));
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_end_is_not_kept() {
    let large = "x".repeat(33 * 1024 * 1024);
    let program = Program::new(move |_, _| json!({"whole": large}));
    let (code, message) = asked(VALIDATING, validating("x", &[hook("x")]), &program).await;
    assert_eq!(code, 500);
    assert!(message.contains("unexpected error when reading response body"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn a_service_that_is_registered_is_called_by_its_reference() {
    let program = Program::new(|_, _| json!({"allowed": false, "status": {"message": "heard"}}));
    let server = program.on(pintle_apiserver::Server::builder().seed(7));
    let again = program.clone();
    let service = tower::service_fn(move |request| {
        let again = again.clone();
        async move { Ok::<_, std::convert::Infallible>(again.respond(request).await) }
    });
    let world = World { server: server.webhook_service("hooks/admission", service).build() };
    let mut hook = hook("x");
    hook["clientConfig"] = json!({"service": {"namespace": "hooks", "name": "admission", "path": "/validate"}});
    world.post(VALIDATING, validating("x", &[hook])).await.expect(201);
    world.post(MAPS, json!({"metadata": {"name": "a"}})).await.expect(400);
    assert_eq!(program.reviews()[0].url, "https://admission.hooks.svc:443/validate?timeout=10s");
}
