//! Admission: what is filled in and refused between a request and the store.
//!
//! What belongs to a whole cluster, such as a default class, is shown by the scripts alone: behaviours run side by side.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::behaviour::behaviours;
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
        no_user_may_ask_for_an_administrators_certificate;
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

async fn no_user_may_ask_for_an_administrators_certificate(p: &Place) {
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
