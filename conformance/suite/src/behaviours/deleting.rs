//! Deletes, what they leave behind, and whom they take along.

use serde_json::{Value, json};

use crate::answer::{names, version_of};
use crate::behaviour::behaviours;
use crate::place::{CONFIG_MAPS, PODS, Place, config_map};

use super::writing::pod;

behaviours! {
    "1.13": a_deleted_config_map_is_answered_with_a_status,
        a_deleted_pod_is_answered_with_itself,
        a_delete_of_nothing_is_not_found,
        a_delete_with_another_uid_is_a_conflict,
        a_delete_with_another_version_is_a_conflict,
        a_delete_with_the_right_preconditions_is_done,
        a_finalizer_holds_a_deleted_object,
        a_second_delete_changes_nothing,
        an_unknown_propagation_is_refused,
        propagation_and_orphaning_together_are_refused,
        foreground_adds_its_finalizer,
        orphan_adds_its_finalizer,
        options_may_be_in_the_query,
        a_dry_run_deletes_nothing,
        a_scheduled_pod_is_deleted_in_grace,
        grace_can_only_be_shortened,
        a_pod_without_a_node_goes_at_once,
        a_pod_is_killed_without_grace,
        a_collection_is_deleted_and_answered_as_a_list,
        a_collection_with_finalizers_is_marked,
        children_go_with_their_owner,
        children_go_before_a_foreground_owner,
        orphaned_children_stay_without_their_owner,
        a_child_of_two_stays_with_one,
        a_child_of_an_owner_that_never_was_goes,
        a_body_that_is_not_delete_options_is_refused;
    "1.14": a_namespace_is_active_and_labelled,
        a_deleted_namespace_takes_its_content,
        nothing_is_made_in_a_namespace_that_ends,
        default_namespaces_cannot_be_deleted,
        a_namespace_waits_for_finalizers_of_its_content,
        a_namespace_has_a_default_service_account,
        a_namespace_has_the_root_certificate,
        the_service_kubernetes_is_there;
}

const A: &str = "/api/v1/namespaces/{ns}/configmaps/a";

async fn a_deleted_config_map_is_answered_with_a_status(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let answer = p.delete(A).await.value(200);
    assert_eq!((&answer["kind"], &answer["status"]), (&json!("Status"), &json!("Success")));
    let details = json!({"name": "a", "kind": "configmaps", "uid": made["metadata"]["uid"]});
    assert_eq!(answer["details"], details);
    assert_eq!(p.get(A).await.code, 404);
}

async fn a_deleted_pod_is_answered_with_itself(p: &Place) {
    p.create(PODS, pod("a")).await;
    let answer = p.delete(&format!("{PODS}/a")).await.value(200);
    assert_eq!((&answer["kind"], &answer["metadata"]["name"]), (&json!("Pod"), &json!("a")));
}

async fn a_delete_of_nothing_is_not_found(p: &Place) {
    p.delete(A).await.refused(404, "NotFound", "configmaps \"a\" not found");
}

async fn a_delete_with_another_uid_is_a_conflict(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let other = "11111111-2222-3333-4444-555555555555";
    let answer = p.delete_with(A, json!({"preconditions": {"uid": other}})).await;
    let uid = made["metadata"]["uid"].as_str().unwrap_or_default();
    let part = format!("the UID in the precondition ({other}) does not match the UID in record ({uid}).");
    answer.refused_with(409, "Conflict", &part);
    assert_eq!(p.get(A).await.code, 200);
}

async fn a_delete_with_another_version_is_a_conflict(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    p.merge(A, json!({"data": {"k": "v"}})).await.value(200);
    let answer = p.delete_with(A, json!({"preconditions": {"resourceVersion": version_of(&made)}})).await;
    let part = format!("the ResourceVersion in the precondition ({}) does not match", version_of(&made));
    answer.refused_with(409, "Conflict", &part);
}

async fn a_delete_with_the_right_preconditions_is_done(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let metadata = &made["metadata"];
    let options = json!({"preconditions": {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]}});
    p.delete_with(A, options).await.value(200);
    assert_eq!(p.get(A).await.code, 404);
}

async fn a_finalizer_holds_a_deleted_object(p: &Place) {
    held(p, "a").await;
    let answer = p.delete(A).await.value(200);
    assert_eq!(answer["kind"], "ConfigMap");
    assert!(answer["metadata"]["deletionTimestamp"].is_string());
    assert_eq!(answer["metadata"]["deletionGracePeriodSeconds"], 0);
    assert_eq!(p.get(A).await.value(200), answer);
    release(p, A).await;
}

async fn a_second_delete_changes_nothing(p: &Place) {
    held(p, "a").await;
    let first = p.delete(A).await.value(200);
    let second = p.delete(A).await.value(200);
    assert_eq!(first["metadata"]["deletionTimestamp"], second["metadata"]["deletionTimestamp"]);
    assert_eq!(version_of(&first), version_of(&second));
    release(p, A).await;
}

async fn an_unknown_propagation_is_refused(p: &Place) {
    p.config_map("a", json!({})).await;
    let answer = p.delete_with(A, json!({"propagationPolicy": "Sideways"})).await;
    let part = "propagationPolicy: Unsupported value: \"Sideways\": supported values: \"Foreground\", \"Background\", \
                \"Orphan\", \"nil\"";
    answer.refused_with(422, "Invalid", part);
}

async fn propagation_and_orphaning_together_are_refused(p: &Place) {
    p.config_map("a", json!({})).await;
    let answer = p.delete_with(A, json!({"propagationPolicy": "Foreground", "orphanDependents": true})).await;
    answer.refused_with(422, "Invalid", "orphanDependents and deletionPropagation cannot be both set");
}

async fn foreground_adds_its_finalizer(p: &Place) {
    held(p, "a").await;
    let answer = p.delete_with(A, json!({"propagationPolicy": "Foreground"})).await.value(200);
    assert_eq!(answer["metadata"]["finalizers"], json!(["suite.example/hold", "foregroundDeletion"]));
    release(p, A).await;
}

async fn orphan_adds_its_finalizer(p: &Place) {
    held(p, "a").await;
    let answer = p.delete_with(A, json!({"propagationPolicy": "Orphan"})).await.value(200);
    assert_eq!(answer["metadata"]["finalizers"], json!(["suite.example/hold", "orphan"]));
    release(p, A).await;
}

async fn options_may_be_in_the_query(p: &Place) {
    held(p, "a").await;
    let answer = p.delete(&format!("{A}?propagationPolicy=Foreground")).await.value(200);
    assert_eq!(answer["metadata"]["finalizers"], json!(["suite.example/hold", "foregroundDeletion"]));
    release(p, A).await;
}

async fn a_dry_run_deletes_nothing(p: &Place) {
    p.config_map("a", json!({})).await;
    assert_eq!(p.delete(&format!("{A}?dryRun=All")).await.value(200)["status"], "Success");
    assert_eq!(p.delete_with(A, json!({"dryRun": ["All"]})).await.value(200)["status"], "Success");
    assert_eq!(p.get(A).await.code, 200);
}

async fn a_scheduled_pod_is_deleted_in_grace(p: &Place) {
    scheduled(p).await;
    let path = &format!("{PODS}/a");
    let deleted = p.delete(path).await.value(200);
    assert_eq!(deleted["metadata"]["deletionGracePeriodSeconds"], 30);
    assert!(deleted["metadata"]["deletionTimestamp"].is_string());
    assert_eq!(p.get(path).await.code, 200);
    p.delete_with(path, json!({"gracePeriodSeconds": 0})).await.value(200);
    assert_eq!(p.get(path).await.code, 404);
}

async fn grace_can_only_be_shortened(p: &Place) {
    scheduled(p).await;
    let path = &format!("{PODS}/a");
    p.delete_with(path, json!({"gracePeriodSeconds": 20})).await.value(200);
    let longer = p.delete_with(path, json!({"gracePeriodSeconds": 60})).await.value(200);
    assert_eq!(longer["metadata"]["deletionGracePeriodSeconds"], 20);
    let shorter = p.delete_with(path, json!({"gracePeriodSeconds": 5})).await.value(200);
    assert_eq!(shorter["metadata"]["deletionGracePeriodSeconds"], 5);
    p.delete_with(path, json!({"gracePeriodSeconds": 0})).await.value(200);
}

async fn a_pod_without_a_node_goes_at_once(p: &Place) {
    p.create(PODS, pod("a")).await;
    let deleted = p.delete(&format!("{PODS}/a")).await.value(200);
    assert_eq!(deleted["metadata"]["deletionGracePeriodSeconds"], 0);
    assert_eq!(p.get(&format!("{PODS}/a")).await.code, 404);
}

async fn a_pod_is_killed_without_grace(p: &Place) {
    scheduled(p).await;
    p.delete_with(&format!("{PODS}/a"), json!({"gracePeriodSeconds": 0})).await.value(200);
    assert_eq!(p.get(&format!("{PODS}/a")).await.code, 404);
}

async fn a_collection_is_deleted_and_answered_as_a_list(p: &Place) {
    for name in ["a", "b"] {
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}});
        p.create("/api/v1/namespaces/{ns}/secrets", secret).await;
    }
    let answer = p.delete("/api/v1/namespaces/{ns}/secrets").await.value(200);
    assert_eq!((answer["kind"].as_str(), names(&answer)), (Some("SecretList"), vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(p.get("/api/v1/namespaces/{ns}/secrets").await.value(200)["items"], json!([]));
}

async fn a_collection_with_finalizers_is_marked(p: &Place) {
    held(p, "a").await;
    p.config_map("b", json!({})).await;
    p.delete(CONFIG_MAPS).await.value(200);
    assert!(p.get(A).await.value(200)["metadata"]["deletionTimestamp"].is_string());
    assert_eq!(p.get("/api/v1/namespaces/{ns}/configmaps/b").await.code, 404);
    release(p, A).await;
}

async fn children_go_with_their_owner(p: &Place) {
    let owner = p.config_map("owner", json!({})).await;
    child(p, "a", &[&owner]).await;
    let path = "/api/v1/namespaces/{ns}/configmaps/owner";
    p.delete_with(path, json!({"propagationPolicy": "Background"})).await.value(200);
    p.eventually("the child is gone", A, |answer| answer.code == 404).await;
}

async fn children_go_before_a_foreground_owner(p: &Place) {
    let owner = p.config_map("owner", json!({})).await;
    let mut object = owned("a", &[&owner]);
    object["metadata"]["finalizers"] = json!(["suite.example/hold"]);
    object["metadata"]["ownerReferences"][0]["blockOwnerDeletion"] = json!(true);
    p.create(CONFIG_MAPS, object).await;
    let path = "/api/v1/namespaces/{ns}/configmaps/owner";
    p.delete_with(path, json!({"propagationPolicy": "Foreground"})).await.value(200);
    let deleting = |answer: &crate::answer::Answer| answer.json()["metadata"]["deletionTimestamp"].is_string();
    p.eventually("the child is being deleted", A, deleting).await;
    let waiting = p.get(path).await.value(200);
    assert_eq!(waiting["metadata"]["finalizers"], json!(["foregroundDeletion"]));
    release(p, A).await;
    p.eventually("the owner is gone", path, |answer| answer.code == 404).await;
}

async fn orphaned_children_stay_without_their_owner(p: &Place) {
    let owner = p.config_map("owner", json!({})).await;
    child(p, "a", &[&owner]).await;
    let path = "/api/v1/namespaces/{ns}/configmaps/owner";
    p.delete_with(path, json!({"propagationPolicy": "Orphan"})).await.value(200);
    p.eventually("the owner is gone", path, |answer| answer.code == 404).await;
    assert_eq!(p.get(A).await.value(200)["metadata"].get("ownerReferences"), None);
}

async fn a_child_of_two_stays_with_one(p: &Place) {
    let (one, two) = (p.config_map("one", json!({})).await, p.config_map("two", json!({})).await);
    child(p, "a", &[&one, &two]).await;
    p.delete("/api/v1/namespaces/{ns}/configmaps/one").await.value(200);
    let alone = |answer: &crate::answer::Answer| {
        answer.json()["metadata"]["ownerReferences"].as_array().is_some_and(|owners| owners.len() == 1)
    };
    let left = p.eventually("the dangling reference is gone", A, alone).await.value(200);
    assert_eq!(left["metadata"]["ownerReferences"][0]["name"], "two");
}

async fn a_child_of_an_owner_that_never_was_goes(p: &Place) {
    let mut owner = config_map("nobody", json!({}));
    owner["metadata"]["uid"] = json!("11111111-2222-3333-4444-555555555555");
    child(p, "a", &[&owner]).await;
    p.eventually("the child is gone", A, |answer| answer.code == 404).await;
}

async fn a_body_that_is_not_delete_options_is_refused(p: &Place) {
    p.config_map("a", json!({})).await;
    let answer = p.delete_with(A, config_map("a", json!({}))).await;
    assert_eq!(answer.code, 400, "{answer}");
    assert_eq!(p.get(A).await.code, 200);
}

async fn a_namespace_is_active_and_labelled(p: &Place) {
    let namespace = p.get("/api/v1/namespaces/{ns}").await.value(200);
    assert_eq!(namespace["status"], json!({"phase": "Active"}));
    assert_eq!(namespace["spec"], json!({"finalizers": ["kubernetes"]}));
    assert_eq!(namespace["metadata"]["labels"]["kubernetes.io/metadata.name"], p.namespace());
}

async fn a_deleted_namespace_takes_its_content(p: &Place) {
    another(p).await;
    p.create("/api/v1/namespaces/{ns}-more/configmaps", config_map("a", json!({}))).await;
    let deleted = p.delete(MORE).await.value(200);
    assert_eq!(deleted["status"]["phase"], "Terminating");
    p.eventually("the namespace is gone", MORE, |answer| answer.code == 404).await;
    assert_eq!(p.get("/api/v1/namespaces/{ns}-more/configmaps/a").await.code, 404);
}

async fn nothing_is_made_in_a_namespace_that_ends(p: &Place) {
    another(p).await;
    hold_in_more(p).await;
    p.delete(MORE).await.value(200);
    let answer = p.post("/api/v1/namespaces/{ns}-more/configmaps", config_map("b", json!({}))).await;
    let message = "configmaps \"b\" is forbidden: unable to create new content in namespace {ns}-more because it is being \
                   terminated";
    let status = answer.refused(403, "Forbidden", message);
    let cause = &status["details"]["causes"][0];
    assert_eq!((&cause["reason"], &cause["field"]), (&json!("NamespaceTerminating"), &json!("metadata.namespace")));
    release(p, "/api/v1/namespaces/{ns}-more/configmaps/a").await;
}

async fn default_namespaces_cannot_be_deleted(p: &Place) {
    for name in ["default", "kube-system", "kube-public"] {
        let answer = p.delete(&format!("/api/v1/namespaces/{name}")).await;
        let message = format!("namespaces \"{name}\" is forbidden: this namespace may not be deleted");
        answer.refused(403, "Forbidden", &message);
    }
}

async fn a_namespace_waits_for_finalizers_of_its_content(p: &Place) {
    another(p).await;
    hold_in_more(p).await;
    p.delete(MORE).await.value(200);
    let is_reported = |answer: &crate::answer::Answer| {
        let conditions = answer.json()["status"]["conditions"].clone();
        let remains = |c: &Value| c["type"] == "NamespaceFinalizersRemaining" && c["status"] == "True";
        conditions.as_array().is_some_and(|conditions| conditions.iter().any(remains))
    };
    let waiting = p.eventually("it reports what holds it", MORE, is_reported).await.value(200);
    assert_eq!(waiting["status"]["phase"], "Terminating");
    release(p, "/api/v1/namespaces/{ns}-more/configmaps/a").await;
    p.eventually("the namespace is gone", MORE, |answer| answer.code == 404).await;
}

async fn a_namespace_has_a_default_service_account(p: &Place) {
    let path = "/api/v1/namespaces/{ns}/serviceaccounts/default";
    p.eventually("it is there", path, |answer| answer.code == 200).await;
}

async fn a_namespace_has_the_root_certificate(p: &Place) {
    let path = "/api/v1/namespaces/{ns}/configmaps/kube-root-ca.crt";
    let map = p.eventually("it is there", path, |answer| answer.code == 200).await.value(200);
    assert!(map["data"]["ca.crt"].is_string());
}

async fn the_service_kubernetes_is_there(p: &Place) {
    let service = p.get("/api/v1/namespaces/default/services/kubernetes").await.value(200);
    assert_eq!(service["metadata"]["labels"], json!({"component": "apiserver", "provider": "kubernetes"}));
    assert_eq!(service["spec"]["ports"][0]["port"], 443);
}

async fn held(p: &Place, name: &str) -> Value {
    let mut object = config_map(name, json!({}));
    object["metadata"]["finalizers"] = json!(["suite.example/hold"]);
    p.create(CONFIG_MAPS, object).await
}

async fn release(p: &Place, path: &str) {
    p.merge(path, json!({"metadata": {"finalizers": null}})).await.value(200);
}

async fn scheduled(p: &Place) {
    let mut object = pod("a");
    object["spec"]["nodeName"] = json!("n1");
    p.create(PODS, object).await;
}

fn owned(name: &str, owners: &[&Value]) -> Value {
    let references: Vec<Value> = owners
        .iter()
        .map(|owner| {
            json!({"apiVersion": "v1", "kind": "ConfigMap", "name": owner["metadata"]["name"],
                "uid": owner["metadata"]["uid"]})
        })
        .collect();
    let mut object = config_map(name, json!({}));
    object["metadata"]["ownerReferences"] = json!(references);
    object
}

async fn child(p: &Place, name: &str, owners: &[&Value]) {
    p.create(CONFIG_MAPS, owned(name, owners)).await;
}

const MORE: &str = "/api/v1/namespaces/{ns}-more";

async fn another(p: &Place) {
    let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "{ns}-more"}});
    p.create("/api/v1/namespaces", object).await;
    p.remove_later(MORE);
}

async fn hold_in_more(p: &Place) {
    let mut object = config_map("a", json!({}));
    object["metadata"]["finalizers"] = json!(["suite.example/hold"]);
    p.create("/api/v1/namespaces/{ns}-more/configmaps", object).await;
}
