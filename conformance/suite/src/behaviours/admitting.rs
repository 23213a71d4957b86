<<<<<<< HEAD
//! Admission: what is filled in and refused between a request and the store.
//!
//! What belongs to a whole cluster, such as a default class, is shown by the scripts alone: behaviours run side by side.

=======
//! Webhooks: who is asked what, what becomes of the answer, and conversion.
//!
//! Their program listens on loopback, so these are for servers of this machine.

use pintle_scripted_webhook::Webhook;
>>>>>>> plugins
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::behaviour::behaviours;
<<<<<<< HEAD
use crate::place::{CONFIG_MAPS, DEPLOYMENTS, PODS, Place, config_map};

behaviours! {
    "1.22": the_first_namespaces_stay,
        a_pod_gets_the_priority_of_its_class,
        a_priority_of_ones_own_is_refused,
        a_pod_tolerates_lost_nodes_for_five_minutes,
        a_new_node_is_tainted,
        a_limit_range_fills_in_what_a_container_leaves_out,
        a_limit_range_refuses_what_is_too_much,
        a_quota_is_kept_to,
        a_quota_is_given_back,
        a_quota_counts_what_pods_request,
        a_careful_namespace_refuses_pods,
        a_careful_namespace_warns_of_templates,
        a_level_that_does_not_exist_is_refused,
        a_pod_runs_as_the_default_account,
        an_account_that_is_not_there_is_refused,
        a_pod_takes_what_its_runtime_takes,
        a_claim_is_protected_while_it_is_used,
        a_claim_does_not_grow_unless_its_class_can,
        nobody_asks_for_an_administrators_certificate;
}

const DRY: &str = "/api/v1/namespaces/{ns}/pods?dryRun=All";
const QUOTAS: &str = "/api/v1/namespaces/{ns}/resourcequotas";
const CLAIMS: &str = "/api/v1/namespaces/{ns}/persistentvolumeclaims";

fn pod(spec: Value, container: Value) -> Value {
    let mut pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec});
    pod["spec"]["containers"] = json!([{"name": "c", "image": "i"}]);
    for (field, value) in container.as_object().into_iter().flatten() {
        pod["spec"]["containers"][0][field] = value.clone();
    }
    pod
}

fn bare() -> Value {
    pod(json!({}), json!({}))
}

fn message(answer: &Answer) -> String {
    answer.json()["message"].as_str().unwrap_or_default().to_owned()
}

async fn the_first_namespaces_stay(p: &Place) {
    let refused = p.delete("/api/v1/namespaces/kube-system").await;
    refused.refused(403, "Forbidden", "namespaces \"kube-system\" is forbidden: this namespace may not be deleted");
}

async fn a_pod_gets_the_priority_of_its_class(p: &Place) {
    let made = p.post(DRY, pod(json!({"priorityClassName": "system-node-critical"}), json!({}))).await.value(201);
    assert_eq!(
        (&made["spec"]["priority"], &made["spec"]["preemptionPolicy"]),
        (&json!(2_000_001_000), &json!("PreemptLowerPriority"))
    );
    let refused = p.post(DRY, pod(json!({"priorityClassName": "nope"}), json!({}))).await;
    refused.refused(403, "Forbidden", "pods \"p\" is forbidden: no PriorityClass with name nope was found");
}

async fn a_priority_of_ones_own_is_refused(p: &Place) {
    let refused =
        p.post(DRY, pod(json!({"priority": 5, "priorityClassName": "system-node-critical"}), json!({}))).await;
    let why = "pods \"p\" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority \
               admission controller computed 2000001000 from the given PriorityClass name";
    refused.refused(403, "Forbidden", why);
}

async fn a_pod_tolerates_lost_nodes_for_five_minutes(p: &Place) {
    let made = p.post(DRY, bare()).await.value(201);
    let toleration =
        |key: &str| json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300});
    let both = json!([toleration("node.kubernetes.io/not-ready"), toleration("node.kubernetes.io/unreachable")]);
    assert_eq!(made["spec"]["tolerations"], both);
}

async fn a_new_node_is_tainted(p: &Place) {
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "{ns}"}});
    let made = p.post("/api/v1/nodes?dryRun=All", node).await.value(201);
    assert_eq!(made["spec"]["taints"], json!([{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]));
}

async fn limit_range(p: &Place) {
    let limit = json!({"type": "Container", "default": {"cpu": "500m"}, "defaultRequest": {"cpu": "250m"}, "max": {"cpu": "1"}});
    let range =
        json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"}, "spec": {"limits": [limit]}});
    p.create("/api/v1/namespaces/{ns}/limitranges", range).await;
}

async fn a_limit_range_fills_in_what_a_container_leaves_out(p: &Place) {
    limit_range(p).await;
    let is_filled = |answer: &Answer| answer.json()["spec"]["containers"][0]["resources"]["limits"]["cpu"] == "500m";
    let made = p.post_until("limits are filled in", DRY, &bare(), is_filled).await.value(201);
    assert_eq!(made["spec"]["containers"][0]["resources"]["requests"], json!({"cpu": "250m"}));
    let said = "LimitRanger plugin set: cpu request for container c; cpu limit for container c";
    assert_eq!(made["metadata"]["annotations"]["kubernetes.io/limit-ranger"], said);
}

async fn a_limit_range_refuses_what_is_too_much(p: &Place) {
    limit_range(p).await;
    let big = pod(json!({}), json!({"resources": {"limits": {"cpu": "2"}}}));
    let refused = p.post_until("limits are kept to", DRY, &big, |answer| answer.code == 403).await;
    let why = "pods \"p\" is forbidden: maximum cpu usage per Container is 1, but limit is 2";
    refused.refused(403, "Forbidden", why);
}

/// Makes a quota and waits until it is counted.
async fn quota(p: &Place, hard: Value) {
    let quota = json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": hard}});
    p.create(QUOTAS, quota).await;
    p.eventually("the quota is counted", &format!("{QUOTAS}/q"), |answer| answer.json()["status"]["used"].is_object())
        .await;
}

async fn used(p: &Place, expected: Value) {
    let is_so = |answer: &Answer| answer.json()["status"]["used"] == expected;
    p.eventually("what is used", &format!("{QUOTAS}/q"), is_so).await;
}

async fn a_quota_is_kept_to(p: &Place) {
    quota(p, json!({"count/secrets": "1"})).await;
    let secret = |name: &str| json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}});
    let secrets = "/api/v1/namespaces/{ns}/secrets";
    p.create(secrets, secret("a")).await;
    used(p, json!({"count/secrets": "1"})).await;
    let refused = p.post_until("there is no more", secrets, &secret("b"), |answer| answer.code == 403).await;
    let why = "secrets \"b\" is forbidden: exceeded quota: q, requested: count/secrets=1, used: count/secrets=1, limited: \
               count/secrets=1";
    refused.refused(403, "Forbidden", why);
}

async fn a_quota_is_given_back(p: &Place) {
    p.create(CONFIG_MAPS, config_map("before", json!({}))).await;
    quota(p, json!({"configmaps": "9"})).await;
    // The cluster's own root certificate is one, too.
    used(p, json!({"configmaps": "2"})).await;
    p.delete(&format!("{CONFIG_MAPS}/before")).await.value(200);
    used(p, json!({"configmaps": "1"})).await;
}

async fn a_quota_counts_what_pods_request(p: &Place) {
    quota(p, json!({"pods": "5", "requests.cpu": "1"})).await;
    let refused = p.post_until("it must be said", DRY, &bare(), |answer| answer.code == 403).await;
    refused.refused(403, "Forbidden", "pods \"p\" is forbidden: failed quota: q: must specify requests.cpu for: c");
    p.create(PODS, pod(json!({}), json!({"resources": {"requests": {"cpu": "250m"}}}))).await;
    used(p, json!({"pods": "1", "requests.cpu": "250m"})).await;
    p.merge(&format!("{PODS}/p/status"), json!({"status": {"phase": "Succeeded"}})).await.value(200);
    used(p, json!({"pods": "0", "requests.cpu": "0"})).await;
}

async fn label(p: &Place, labels: Value) -> Answer {
    p.merge("/api/v1/namespaces/{ns}", json!({"metadata": {"labels": labels}})).await
}

async fn a_careful_namespace_refuses_pods(p: &Place) {
    label(p, json!({"pod-security.kubernetes.io/enforce": "baseline"})).await.value(200);
    let host = pod(json!({"hostPID": true}), json!({"ports": [{"containerPort": 1, "hostPort": 1}]}));
    let refused = p.post_until("the label is seen", DRY, &host, |answer| answer.code == 403).await;
    let why = "pods \"p\" is forbidden: violates PodSecurity \"baseline:latest\": host namespaces (hostPID=true), hostPort \
               (container \"c\" uses hostPort 1)";
    refused.refused(403, "Forbidden", why);
}

async fn a_careful_namespace_warns_of_templates(p: &Place) {
    label(p, json!({"pod-security.kubernetes.io/warn": "baseline"})).await.value(200);
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"hostIPC": true, "containers": [{"name": "c", "image": "i"}]}});
    let spec = json!({"selector": {"matchLabels": {"a": "b"}}, "template": template});
    let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec});
    let path = format!("{DEPLOYMENTS}?dryRun=All");
    let made = p.post_until("a warning", &path, &deployment, |answer| !answer.warnings().is_empty()).await;
    assert_eq!(made.code, 201);
    let said = "would violate PodSecurity \\\"baseline:latest\\\": host namespaces (hostIPC=true)";
    assert!(
        made.warnings().iter().any(|warning| warning.contains(said) || warning.contains(&said.replace('\\', ""))),
        "{made}"
    );
}

async fn a_level_that_does_not_exist_is_refused(p: &Place) {
    let refused = label(p, json!({"pod-security.kubernetes.io/enforce": "bogus"})).await;
    assert_eq!(refused.code, 422, "{refused}");
    let why = "metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: \"bogus\": must be one of privileged, \
               baseline, restricted";
    assert!(message(&refused).ends_with(why), "{refused}");
}

async fn a_pod_runs_as_the_default_account(p: &Place) {
    let made = p.post(DRY, bare()).await.value(201);
    assert_eq!(made["spec"]["serviceAccountName"], "default");
    let mount = &made["spec"]["containers"][0]["volumeMounts"][0];
    assert_eq!(mount["mountPath"], "/var/run/secrets/kubernetes.io/serviceaccount");
    let sources = made["spec"]["volumes"][0]["projected"]["sources"].clone();
    assert_eq!(sources[0], json!({"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}));
}

async fn an_account_that_is_not_there_is_refused(p: &Place) {
    let refused = p.post(DRY, pod(json!({"serviceAccountName": "nope"}), json!({}))).await;
    refused.refused_with(403, "Forbidden", "serviceaccount \"nope\" not found");
}

async fn a_pod_takes_what_its_runtime_takes(p: &Place) {
    let class = json!({"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "{ns}"}, "handler": "h",
        "overhead": {"podFixed": {"cpu": "250m"}}, "scheduling": {"nodeSelector": {"a": "b"}}});
    p.create("/apis/node.k8s.io/v1/runtimeclasses", class).await;
    p.remove_later("/apis/node.k8s.io/v1/runtimeclasses/{ns}");
    let run = pod(json!({"runtimeClassName": p.namespace()}), json!({}));
    let made = p.post_until("the class is seen", DRY, &run, |answer| answer.code == 201).await.value(201);
    assert_eq!(
        (&made["spec"]["overhead"], &made["spec"]["nodeSelector"]),
        (&json!({"cpu": "250m"}), &json!({"a": "b"}))
    );
}

fn claim(class: &str) -> Value {
    let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": class, "volumeName": "v"});
    json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"}, "spec": spec})
}

async fn a_claim_is_protected_while_it_is_used(p: &Place) {
    let made = p.create(CLAIMS, claim("")).await;
    assert_eq!(made["metadata"]["finalizers"], json!(["kubernetes.io/pvc-protection"]));
}

async fn a_claim_does_not_grow_unless_its_class_can(p: &Place) {
    p.create(CLAIMS, claim("")).await;
    let path = format!("{CLAIMS}/c");
    p.merge(&format!("{path}/status"), json!({"status": {"phase": "Bound"}})).await.value(200);
    let refused = p.merge(&path, json!({"spec": {"resources": {"requests": {"storage": "2Gi"}}}})).await;
    refused.refused_with(403, "Forbidden", "only dynamically provisioned pvc can be resized");
}

async fn nobody_asks_for_an_administrators_certificate(p: &Place) {
    let spec =
        json!({"request": REQUEST, "signerName": "kubernetes.io/kube-apiserver-client", "usages": ["client auth"]});
    let request = json!({"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
        "metadata": {"name": "{ns}"}, "spec": spec});
    let refused = p.post("/apis/certificates.k8s.io/v1/certificatesigningrequests?dryRun=All", request).await;
    let why = "use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed";
    refused.refused_with(403, "Forbidden", why);
}

/// A request for `O=system:masters, CN=joe`, as openssl writes it.
const REQUEST: &str = concat!(
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIaE1JR0pBZ0VBTUNjeEZ6QVZCZ05WQkFvTURuTjVjM1JsYlRw",
    "dFlYTjBaWEp6TVF3d0NnWURWUVFEREFOcQpiMlV3V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNBQVRWTERPZXpMTm1w",
    "STBzdG10bENWTzg4elMvCklWTWNSMWdoVVF0UHovQzNJM1VXTC9ZcGNSUlZmd0dpV2ZkZklJUS9sbzJoZXp5ZTRzMEhQdEo4dFQw",
    "Wm9BQXcKQ2dZSUtvWkl6ajBFQXdJRFJ3QXdSQUlnVDBzZmFhRWV3UWszNTR4SWNuWXZVbTZpeXVuRm53dDlJdXBaZW4vaQphY1FD",
    "SUVkYWFXRVNGQ1EzY3hTVDRCRDR2K291cFRUVXBtVWlLcnZ3S21rWURrMXAKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0t",
    "LS0tCg==",
);
=======
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
        a_validating_webhook_may_not_patch;
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
>>>>>>> plugins
