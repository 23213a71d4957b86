//! Webhooks: who is asked what, what becomes of the answer, and conversion.
//!
//! Their program listens on loopback, so these are for servers of this machine.

use pintle_scripted_webhook::Webhook;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::behaviour::behaviours;
use crate::place::{CONFIG_MAPS, Place, config_map, definition, version};

behaviours! {
    "1.22": a_webhook_denies_in_its_own_words,
        a_denial_has_the_code_and_reason_that_the_webhook_gives,
        a_webhook_changes_what_is_stored,
        a_validating_webhook_sees_what_a_mutating_one_made,
        a_webhook_that_fails_refuses_or_is_passed_over,
        a_webhook_warns,
        a_webhook_is_asked_about_what_it_selects,
        a_webhook_is_asked_about_deletes,
        a_patch_that_does_not_fit_is_an_internal_error,
        a_validating_webhook_may_not_patch,
        a_webhook_is_asked_where_its_conditions_hold,
        a_condition_that_fails_refuses_unless_it_is_ignored,
        a_condition_reads_the_request_and_the_old_object,
        a_condition_is_compiled_when_it_is_stored;
    "1.18": versions_are_converted_by_a_webhook,
        an_applier_conflicts_with_a_manager_of_another_version,
        a_conversion_may_not_change_the_name;
}

const VALIDATING: &str = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const MUTATING: &str = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

async fn listening(answer: Value) -> Webhook {
    Webhook::start(&[("x".to_owned(), answer)]).await.expect("a port is free")
}

/// Has a webhook be asked about the config maps of the place.
async fn configure(p: &Place, path: &str, webhook: &Webhook, change: impl FnOnce(&mut Value)) {
    let mut hook = json!({
        "name": "x.suite.example",
        "clientConfig": {"url": format!("{}/x", webhook.url), "caBundle": webhook.ca},
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "{ns}"}},
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    });
    change(&mut hook);
    let kind = if path == MUTATING { "MutatingWebhookConfiguration" } else { "ValidatingWebhookConfiguration" };
    let body = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "{ns}"},
        "webhooks": [hook]});
    p.post(path, body).await.value(201);
    p.remove_later(&format!("{path}/{{ns}}"));
}

/// Creates a map without storing it until that is answered so: a server takes a moment to know its configurations.
async fn tried(p: &Place, map: &Value, is_answered: impl Fn(&Answer) -> bool) -> Answer {
    loop {
        let answer = p.post(&format!("{CONFIG_MAPS}?dryRun=All"), map.clone()).await;
        if is_answered(&answer) {
            return answer;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

fn map() -> Value {
    config_map("a", json!({"k": "1"}))
}

fn patch(operations: Value) -> Value {
    json!({"allowed": true, "patchType": "JSONPatch", "patch": operations})
}

async fn a_webhook_denies_in_its_own_words(p: &Place) {
    let webhook = listening(json!({"allowed": false, "status": {"message": "not today"}})).await;
    configure(p, VALIDATING, &webhook, |_| {}).await;
    let refused = tried(p, &map(), |answer| answer.code == 400).await;
    refused.refused(400, "", "admission webhook \"x.suite.example\" denied the request: not today");
}

async fn a_denial_has_the_code_and_reason_that_the_webhook_gives(p: &Place) {
    let status = json!({"code": 403, "reason": "Forbidden", "message": "not you"});
    let webhook = listening(json!({"allowed": false, "status": status})).await;
    configure(p, MUTATING, &webhook, |_| {}).await;
    let refused = tried(p, &map(), |answer| answer.code == 403).await;
    refused.refused(403, "Forbidden", "admission webhook \"x.suite.example\" denied the request: not you");
}

async fn a_webhook_changes_what_is_stored(p: &Place) {
    let webhook = listening(patch(json!([{"op": "add", "path": "/data/added", "value": "yes"}]))).await;
    configure(p, MUTATING, &webhook, |_| {}).await;
    tried(p, &map(), |answer| answer.json()["data"]["added"] == "yes").await;
    p.config_map("a", json!({"k": "1"})).await;
    let stored = p.get(&format!("{CONFIG_MAPS}/a")).await.value(200);
    assert_eq!(stored["data"], json!({"k": "1", "added": "yes"}));
}

async fn a_validating_webhook_sees_what_a_mutating_one_made(p: &Place) {
    let webhook = listening(patch(json!([{"op": "add", "path": "/metadata/labels", "value": {"is": "meant"}}]))).await;
    configure(p, MUTATING, &webhook, |_| {}).await;
    let denying = listening(json!({"allowed": false})).await;
    configure(p, VALIDATING, &denying, |hook| hook["objectSelector"] = json!({"matchLabels": {"is": "meant"}})).await;
    tried(p, &map(), |answer| answer.code == 400).await;
}

async fn a_webhook_that_fails_refuses_or_is_passed_over(p: &Place) {
    let webhook = listening(json!({"http": 500, "body": "boom"})).await;
    configure(p, VALIDATING, &webhook, |hook| hook["objectSelector"] = json!({"matchLabels": {"is": "strict"}})).await;
    configure(p, MUTATING, &webhook, |hook| hook["failurePolicy"] = "Ignore".into()).await;
    let mut strict = map();
    strict["metadata"]["labels"] = json!({"is": "strict"});
    let refused = tried(p, &strict, |answer| answer.code == 500).await;
    let why = "Internal error occurred: failed calling webhook \"x.suite.example\": failed to call webhook: an error on the \
               server (\"unknown\") has prevented the request from succeeding";
    refused.refused(500, "InternalError", why);
    p.config_map("a", json!({})).await;
}

async fn a_webhook_warns(p: &Place) {
    let webhook = listening(json!({"allowed": true, "warnings": ["mind", "the gap"]})).await;
    configure(p, VALIDATING, &webhook, |_| {}).await;
    let warned = tried(p, &map(), |answer| !answer.warnings().is_empty()).await;
    assert_eq!(warned.warnings(), ["mind", "the gap"]);
}

async fn a_webhook_is_asked_about_what_it_selects(p: &Place) {
    let webhook = listening(json!({"allowed": false})).await;
    configure(p, VALIDATING, &webhook, |hook| hook["objectSelector"] = json!({"matchLabels": {"is": "meant"}})).await;
    let mut meant = map();
    meant["metadata"]["labels"] = json!({"is": "meant"});
    tried(p, &meant, |answer| answer.code == 400).await;
    p.config_map("a", json!({})).await;
    let labelled = json!({"metadata": {"labels": {"is": "meant"}}});
    assert_eq!(p.merge(&format!("{CONFIG_MAPS}/a"), labelled).await.code, 400);
}

async fn a_webhook_is_asked_about_deletes(p: &Place) {
    let webhook = listening(json!({"allowed": false, "status": {"message": "it stays"}})).await;
    p.config_map("a", json!({})).await;
    configure(p, VALIDATING, &webhook, |hook| hook["objectSelector"] = json!({})).await;
    tried(p, &map(), |answer| answer.code == 400).await;
    let refused = p.delete(&format!("{CONFIG_MAPS}/a")).await;
    refused.refused(400, "", "admission webhook \"x.suite.example\" denied the request: it stays");
    p.get(&format!("{CONFIG_MAPS}/a")).await.value(200);
}

async fn a_patch_that_does_not_fit_is_an_internal_error(p: &Place) {
    let webhook = listening(patch(json!([{"op": "test", "path": "/data/k", "value": "2"}]))).await;
    configure(p, MUTATING, &webhook, |hook| hook["failurePolicy"] = "Ignore".into()).await;
    let refused = tried(p, &map(), |answer| answer.code == 500).await;
    refused.refused(500, "InternalError", "Internal error occurred: testing value /data/k failed: test failed");
}

async fn a_validating_webhook_may_not_patch(p: &Place) {
    let webhook = listening(patch(json!([]))).await;
    configure(p, VALIDATING, &webhook, |_| {}).await;
    let refused = tried(p, &map(), |answer| answer.code == 500).await;
    let why = "Internal error occurred: failed calling webhook \"x.suite.example\": received invalid webhook response: \
               validating webhook may not return response.patch";
    refused.refused(500, "InternalError", why);
}

fn condition(expression: &str) -> Value {
    json!([{"name": "c", "expression": expression}])
}

async fn a_webhook_is_asked_where_its_conditions_hold(p: &Place) {
    let webhook = listening(json!({"allowed": false})).await;
    let expression = "has(object.data) && object.data.k.startsWith('asked')";
    configure(p, VALIDATING, &webhook, |hook| hook["matchConditions"] = condition(expression)).await;
    tried(p, &config_map("a", json!({"k": "asked about"})), |answer| answer.code == 400).await;
    p.config_map("a", json!({"k": "not asked about"})).await;
    let changed = p.merge(&format!("{CONFIG_MAPS}/a"), json!({"data": {"k": "asked now"}})).await;
    assert_eq!(changed.code, 400, "{changed}");
}

async fn a_condition_that_fails_refuses_unless_it_is_ignored(p: &Place) {
    let webhook = listening(json!({"allowed": true})).await;
    configure(p, VALIDATING, &webhook, |hook| hook["matchConditions"] = condition("object.data.zz == 'a'")).await;
    configure(p, MUTATING, &webhook, |hook| {
        hook["matchConditions"] = condition("object.data.yy == 'a'");
        hook["failurePolicy"] = "Ignore".into();
    })
    .await;
    let refused = tried(p, &map(), |answer| answer.code == 403).await;
    let why = "configmaps \"a\" is forbidden: expression 'object.data.zz == 'a'' resulted in error: no such key: zz";
    refused.refused(403, "Forbidden", why);
    p.config_map("a", json!({"zz": "b"})).await;
}

async fn a_condition_reads_the_request_and_the_old_object(p: &Place) {
    let webhook = listening(json!({"allowed": false})).await;
    p.config_map("b", json!({"k": "kept"})).await;
    p.config_map("c", json!({"k": "free"})).await;
    let expression = "request.operation == 'DELETE' ? oldObject.data.k == 'kept' : request.dryRun";
    configure(p, VALIDATING, &webhook, |hook| hook["matchConditions"] = condition(expression)).await;
    tried(p, &map(), |answer| answer.code == 400).await;
    assert_eq!(p.delete(&format!("{CONFIG_MAPS}/b")).await.code, 400);
    p.delete(&format!("{CONFIG_MAPS}/c")).await.value(200);
}

async fn a_condition_is_compiled_when_it_is_stored(p: &Place) {
    let webhook = json!({
        "name": "x.suite.example",
        "clientConfig": {"url": "https://127.0.0.1:1/x"},
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    });
    let stored = |condition: &str| {
        let mut webhook = webhook.clone();
        webhook["matchConditions"] = self::condition(condition);
        json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "{ns}"}, "webhooks": [webhook]})
    };
    for (expression, why) in [
        ("zz == 1", "compilation failed: ERROR: <input>:1:1: undeclared reference to 'zz' (in container '')"),
        ("1 + 1", "must evaluate to bool but got int"),
        ("request.nme == 'x'", "compilation failed: ERROR: <input>:1:8: undefined field 'nme'"),
    ] {
        let why = format!("webhooks[0].matchConditions[0].expression: Invalid value: \"{expression}\": {why}");
        p.post(VALIDATING, stored(expression)).await.refused_with(422, "Invalid", &why);
    }
}

const V1: &str = "/apis/{group}/v1/namespaces/{ns}/things";
const V2: &str = "/apis/{group}/v2/namespaces/{ns}/things";

/// A kind with `host` in its first version, which is stored, and `target` in its second.
async fn define(p: &Place, webhook: &Webhook) {
    let text = json!({"type": "string"});
    let mut second = version("v2", json!({"target": text, "port": text}));
    second["storage"] = false.into();
    let mut given = definition("Thing", json!([version("v1", json!({"host": text, "port": text})), second]));
    given["spec"]["conversion"] = json!({"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
        "clientConfig": {"url": format!("{}/x", webhook.url), "caBundle": webhook.ca}}});
    p.define_as(given).await;
}

fn thing(version: &str, spec: Value) -> Value {
    json!({"apiVersion": format!("{{group}}/{version}"), "kind": "Thing", "metadata": {"name": "a"}, "spec": spec})
}

fn moves() -> Value {
    json!({"v1": [["/spec/target", "/spec/host"]], "v2": [["/spec/host", "/spec/target"]]})
}

async fn versions_are_converted_by_a_webhook(p: &Place) {
    let webhook = listening(json!({"convert": moves()})).await;
    define(p, &webhook).await;
    let made = p.create(V2, thing("v2", json!({"target": "t", "port": "1"}))).await;
    assert_eq!(made["spec"], json!({"target": "t", "port": "1"}));
    assert_eq!(p.get(&format!("{V1}/a")).await.value(200)["spec"], json!({"host": "t", "port": "1"}));
    p.merge(&format!("{V1}/a"), json!({"spec": {"host": "h"}})).await.value(200);
    assert_eq!(p.get(&format!("{V2}/a")).await.value(200)["spec"], json!({"target": "h", "port": "1"}));
    let list = p.get(V2).await.value(200);
    assert_eq!(list["items"][0]["spec"], json!({"target": "h", "port": "1"}));
}

async fn an_applier_conflicts_with_a_manager_of_another_version(p: &Place) {
    let webhook = listening(json!({"convert": moves()})).await;
    define(p, &webhook).await;
    p.create(&format!("{V1}?fieldManager=one"), thing("v1", json!({"host": "h"}))).await;
    let refused = p.apply(&format!("{V2}/a?fieldManager=two"), thing("v2", json!({"target": "t"}))).await;
    refused.refused(
        409,
        "Conflict",
        "Apply failed with 1 conflict: conflict with \"one\" using {group}/v1: .spec.host",
    );
}

async fn a_conversion_may_not_change_the_name(p: &Place) {
    let webhook = listening(json!({"convert": moves(), "name": "other"})).await;
    define(p, &webhook).await;
    let refused = p.post(V2, thing("v2", json!({"target": "t"}))).await;
    let why =
        "conversion webhook for {group}/v2, Kind=Thing returned invalid object: must have the same name: a != other";
    refused.refused(500, "", why);
}
