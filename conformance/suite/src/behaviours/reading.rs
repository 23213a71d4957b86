//! Versions, gets and lists.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::answer::{names, revision, version_of};
use crate::behaviour::behaviours;
use crate::place::{CONFIG_MAPS, Place};

behaviours! {
    "1.3": versions_are_decimal_numbers_that_grow,
        a_write_that_changes_nothing_keeps_the_version,
        versions_of_different_kinds_are_of_one_sequence,
        create_with_a_version_is_refused;
    "1.4": get_without_a_version_is_the_newest,
        get_with_version_0_is_answered,
        get_at_a_version_seen_is_at_least_as_new,
        get_at_a_future_version_is_a_timeout_with_its_cause,
        get_at_a_version_that_is_not_a_number_is_an_error;
    "1.5": a_list_carries_a_version_and_never_null_items,
        a_list_is_ordered_by_name,
        a_list_over_namespaces_is_ordered_by_namespace_and_name,
        items_of_a_built_in_list_carry_no_kind,
        a_limit_is_ignored_at_version_0,
        an_exact_list_is_as_of_that_version,
        a_limit_with_a_version_means_exactly_it,
        not_older_than_honours_the_limit,
        a_list_at_a_future_version_is_a_timeout,
        a_match_needs_a_version,
        a_match_is_forbidden_with_continue,
        exact_is_forbidden_for_version_0,
        another_match_is_not_supported,
        send_initial_events_is_forbidden_for_a_list,
        a_version_that_is_not_a_number_is_refused_in_a_list;
    "1.6": pages_go_to_the_end_at_the_first_pages_version,
        remaining_items_are_counted,
        remaining_items_are_not_counted_with_a_selector,
        what_changes_between_pages_is_not_seen,
        a_token_that_is_none_is_refused,
        a_version_beside_a_token_is_refused,
        the_last_page_has_no_token,
        a_continue_token_says_version_and_start,
        a_page_keeps_its_selector;
}

const A: &str = "/api/v1/namespaces/{ns}/configmaps/a";

async fn versions_are_decimal_numbers_that_grow(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let changed = p.merge(A, json!({"data": {"k": "v"}})).await.value(200);
    assert!(revision(&changed) > revision(&made));
    assert!(!version_of(&made).starts_with('0'));
}

async fn a_write_that_changes_nothing_keeps_the_version(p: &Place) {
    let made = p.config_map("a", json!({"k": "v"})).await;
    let watched = format!("{CONFIG_MAPS}?watch=1&fieldSelector=metadata.name=a&resourceVersion={}", version_of(&made));
    let mut watch = p.watch(&watched).await;
    let put = p.put(A, made.clone()).await.value(200);
    let patched = p.merge(A, json!({"data": {"k": "v"}})).await.value(200);
    assert_eq!((version_of(&put), version_of(&patched)), (version_of(&made), version_of(&made)));
    p.merge(A, json!({"data": {"k": "w"}})).await.value(200);
    let next = watch.nothing_before("MODIFIED", "a").await;
    assert_eq!(next["data"], json!({"k": "w"}));
}

async fn versions_of_different_kinds_are_of_one_sequence(p: &Place) {
    let map = p.config_map("a", json!({})).await;
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}});
    let secret = p.create("/api/v1/namespaces/{ns}/secrets", secret).await;
    let later = p.config_map("b", json!({})).await;
    assert!(revision(&map) < revision(&secret) && revision(&secret) < revision(&later));
}

async fn create_with_a_version_is_refused(p: &Place) {
    let mut object = crate::place::config_map("a", json!({}));
    object["metadata"]["resourceVersion"] = json!("1");
    let answer = p.post(CONFIG_MAPS, object).await;
    answer.refused(500, "", "resourceVersion should not be set on objects to be created");
}

async fn get_without_a_version_is_the_newest(p: &Place) {
    p.config_map("a", json!({})).await;
    for n in 0..5 {
        let written = p.merge(A, json!({"data": {"n": n.to_string()}})).await.value(200);
        assert_eq!(p.get(A).await.value(200), written);
    }
}

async fn get_with_version_0_is_answered(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let path = format!("{A}?resourceVersion=0");
    let cached = p.eventually("the cache has it", &path, |answer| answer.code == 200).await.value(200);
    assert_eq!(cached["metadata"]["uid"], made["metadata"]["uid"]);
}

async fn get_at_a_version_seen_is_at_least_as_new(p: &Place) {
    p.config_map("a", json!({})).await;
    let written = p.merge(A, json!({"data": {"k": "v"}})).await.value(200);
    let got = p.get(&format!("{A}?resourceVersion={}", version_of(&written))).await.value(200);
    assert!(revision(&got) >= revision(&written));
}

async fn get_at_a_future_version_is_a_timeout_with_its_cause(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let future = revision(&made) + 1_000_000;
    let answer = p.get(&format!("{A}?resourceVersion={future}")).await;
    let status =
        answer.refused_with(504, "Timeout", &format!("Timeout: Too large resource version: {future}, current: "));
    assert_eq!(status["details"]["causes"][0]["reason"], "ResourceVersionTooLarge");
    assert_eq!(status["details"]["causes"][0]["message"], "Too large resource version");
    assert_eq!(status["details"]["retryAfterSeconds"], 1);
    assert_eq!(answer.header("retry-after"), "1");
}

async fn get_at_a_version_that_is_not_a_number_is_an_error(p: &Place) {
    p.config_map("a", json!({})).await;
    let answer = p.get(&format!("{A}?resourceVersion=soon")).await;
    assert_eq!(answer.code, 500, "{answer}");
    assert!(answer.text().contains("resourceVersion: Invalid value: \\\"soon\\\""), "{answer}");
}

async fn a_list_carries_a_version_and_never_null_items(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let list = p.get("/api/v1/namespaces/{ns}/secrets").await.value(200);
    assert_eq!(list["items"], json!([]));
    assert!(revision(&list) >= revision(&made));
}

async fn a_list_is_ordered_by_name(p: &Place) {
    for name in ["b", "a.c", "a-b", "a", "c", "a0"] {
        p.config_map(name, json!({})).await;
    }
    let list = p.get(&format!("{CONFIG_MAPS}?fieldSelector=metadata.name!=kube-root-ca.crt")).await.value(200);
    assert_eq!(names(&list), ["a", "a-b", "a.c", "a0", "b", "c"]);
}

async fn a_list_over_namespaces_is_ordered_by_namespace_and_name(p: &Place) {
    let list = p.get("/api/v1/serviceaccounts").await.value(200);
    let keys: Vec<String> = items(&list)
        .iter()
        .map(|item| format!("{}/{}", item["metadata"]["namespace"], item["metadata"]["name"]).replace('"', ""))
        .collect();
    let mut sorted = keys.clone();
    sorted.sort();
    assert!(keys.len() > 1, "{keys:?}");
    assert_eq!(keys, sorted);
}

async fn items_of_a_built_in_list_carry_no_kind(p: &Place) {
    p.config_map("a", json!({})).await;
    let list = p.get(CONFIG_MAPS).await.value(200);
    assert!(items(&list).iter().all(|item| item.get("kind").is_none() && item.get("apiVersion").is_none()));
}

async fn a_limit_is_ignored_at_version_0(p: &Place) {
    three(p).await;
    let path = format!("{CONFIG_MAPS}?limit=1&resourceVersion=0&labelSelector=suite");
    let list = p.eventually("the cache has them", &path, |answer| items(&answer.json()).len() == 3).await.value(200);
    assert_eq!(list["metadata"].get("continue"), None);
}

async fn an_exact_list_is_as_of_that_version(p: &Place) {
    three(p).await;
    let then = p.get(&selected("")).await.value(200);
    p.delete(A).await.value(200);
    let version = version_of(&then);
    let exact = p.get(&selected(&format!("&resourceVersion={version}&resourceVersionMatch=Exact"))).await.value(200);
    assert_eq!(exact["items"], then["items"]);
    assert_eq!(version_of(&exact), version);
}

async fn a_limit_with_a_version_means_exactly_it(p: &Place) {
    three(p).await;
    let then = p.get(&selected("")).await.value(200);
    p.delete(A).await.value(200);
    let list = p.get(&selected(&format!("&limit=2&resourceVersion={}", version_of(&then)))).await.value(200);
    assert_eq!(names(&list), ["a", "b"]);
    assert_eq!(version_of(&list), version_of(&then));
}

async fn not_older_than_honours_the_limit(p: &Place) {
    three(p).await;
    let then = p.get(&selected("")).await.value(200);
    p.delete(A).await.value(200);
    let options = format!("&limit=1&resourceVersion={}&resourceVersionMatch=NotOlderThan", version_of(&then));
    let list = p.get(&selected(&options)).await.value(200);
    assert!(revision(&list) >= revision(&then));
    assert_eq!(items(&list).len(), 1);
    assert!(list["metadata"]["continue"].is_string());
}

async fn a_list_at_a_future_version_is_a_timeout(p: &Place) {
    let list = p.get(CONFIG_MAPS).await.value(200);
    let future = revision(&list) + 1_000_000;
    let answer = p.get(&format!("{CONFIG_MAPS}?resourceVersion={future}")).await;
    let status =
        answer.refused_with(504, "Timeout", &format!("Timeout: Too large resource version: {future}, current: "));
    assert_eq!(status["details"]["causes"][0]["reason"], "ResourceVersionTooLarge");
}

async fn a_match_needs_a_version(p: &Place) {
    let answer = p.get(&format!("{CONFIG_MAPS}?resourceVersionMatch=Exact")).await;
    let part = "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided";
    answer.refused_with(422, "Invalid", part);
}

async fn a_match_is_forbidden_with_continue(p: &Place) {
    three(p).await;
    let token = token(&p.get(&selected("&limit=1")).await.value(200));
    let answer = p.get(&selected(&format!("&limit=1&continue={token}&resourceVersionMatch=Exact"))).await;
    answer.refused_with(422, "Invalid", "resourceVersionMatch is forbidden when continue is provided");
}

async fn exact_is_forbidden_for_version_0(p: &Place) {
    let answer = p.get(&format!("{CONFIG_MAPS}?resourceVersion=0&resourceVersionMatch=Exact")).await;
    let part = "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
    answer.refused_with(422, "Invalid", part);
}

async fn another_match_is_not_supported(p: &Place) {
    let answer = p.get(&format!("{CONFIG_MAPS}?resourceVersion=1&resourceVersionMatch=Newest")).await;
    let part = "resourceVersionMatch: Unsupported value: \"Newest\": supported values: \"Exact\", \"NotOlderThan\"";
    let status = answer.refused_with(422, "Invalid", part);
    assert_eq!(status["details"]["causes"][0]["reason"], "FieldValueNotSupported");
}

async fn send_initial_events_is_forbidden_for_a_list(p: &Place) {
    let answer = p.get(&format!("{CONFIG_MAPS}?sendInitialEvents=true")).await;
    answer.refused_with(422, "Invalid", "sendInitialEvents is forbidden for list");
}

async fn a_version_that_is_not_a_number_is_refused_in_a_list(p: &Place) {
    let answer = p.get(&format!("{CONFIG_MAPS}?resourceVersion=soon")).await;
    assert_eq!(answer.code, 400, "{answer}");
    assert!(answer.text().contains("invalid resource version"), "{answer}");
}

async fn pages_go_to_the_end_at_the_first_pages_version(p: &Place) {
    three(p).await;
    let mut page = p.get(&selected("&limit=2")).await.value(200);
    let first = version_of(&page).to_owned();
    assert_eq!(names(&page), ["a", "b"]);
    page = p.get(&selected(&format!("&limit=2&continue={}", token(&page)))).await.value(200);
    assert_eq!((names(&page), version_of(&page)), (vec!["c".to_owned()], first.as_str()));
}

async fn remaining_items_are_counted(p: &Place) {
    for name in ["a", "b", "c"] {
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}});
        p.create("/api/v1/namespaces/{ns}/secrets", secret).await;
    }
    let page = p.get("/api/v1/namespaces/{ns}/secrets?limit=1").await.value(200);
    assert_eq!(page["metadata"]["remainingItemCount"], 2);
    let page = p.get(&format!("/api/v1/namespaces/{{ns}}/secrets?limit=1&continue={}", token(&page))).await.value(200);
    assert_eq!(page["metadata"]["remainingItemCount"], 1);
}

async fn remaining_items_are_not_counted_with_a_selector(p: &Place) {
    three(p).await;
    let page = p.get(&selected("&limit=1")).await.value(200);
    assert_eq!(page["metadata"].get("remainingItemCount"), None);
}

async fn what_changes_between_pages_is_not_seen(p: &Place) {
    three(p).await;
    let page = p.get(&selected("&limit=1")).await.value(200);
    p.delete("/api/v1/namespaces/{ns}/configmaps/b").await.value(200);
    p.create(CONFIG_MAPS, labelled("bb")).await;
    let rest = p.get(&selected(&format!("&continue={}", token(&page)))).await.value(200);
    assert_eq!(names(&rest), ["b", "c"]);
}

async fn a_token_that_is_none_is_refused(p: &Place) {
    let answer = p.get(&format!("{CONFIG_MAPS}?limit=1&continue=what")).await;
    answer.refused_with(400, "BadRequest", "continue key is not valid");
}

async fn a_version_beside_a_token_is_refused(p: &Place) {
    three(p).await;
    let token = token(&p.get(&selected("&limit=1")).await.value(200));
    let answer = p.get(&selected(&format!("&limit=1&continue={token}&resourceVersion=5"))).await;
    answer.refused_with(400, "BadRequest", "specifying resource version is not allowed when using continue");
}

async fn the_last_page_has_no_token(p: &Place) {
    three(p).await;
    let page = p.get(&selected("&limit=4")).await.value(200);
    assert_eq!(page["metadata"].get("continue"), None, "{page}");
    assert_eq!(names(&page).len(), 3);
}

async fn a_continue_token_says_version_and_start(p: &Place) {
    three(p).await;
    let page = p.get(&selected("&limit=1")).await.value(200);
    let readable = decode(&token(&page));
    assert_eq!(readable["v"], "meta.k8s.io/v1");
    assert_eq!(readable["rv"].as_u64(), Some(revision(&page)));
    assert_eq!(readable["start"], "/a\u{0}");
}

async fn a_page_keeps_its_selector(p: &Place) {
    three(p).await;
    p.config_map("bz", json!({})).await;
    let page = p.get(&selected("&limit=1")).await.value(200);
    let rest = p.get(&selected(&format!("&continue={}", token(&page)))).await.value(200);
    assert_eq!(names(&rest), ["b", "c"]);
}

async fn three(p: &Place) {
    for name in ["a", "b", "c"] {
        p.create(CONFIG_MAPS, labelled(name)).await;
    }
}

fn labelled(name: &str) -> Value {
    let mut object = crate::place::config_map(name, json!({}));
    object["metadata"]["labels"] = json!({"suite": "yes"});
    object
}

fn selected(options: &str) -> String {
    format!("{CONFIG_MAPS}?labelSelector=suite{options}")
}

fn items(list: &Value) -> &[Value] {
    list["items"].as_array().map_or(&[], Vec::as_slice)
}

fn token(page: &Value) -> String {
    page["metadata"]["continue"].as_str().unwrap_or_else(|| panic!("no token in {page}")).to_owned()
}

fn decode(token: &str) -> Value {
    let bytes = URL_SAFE_NO_PAD.decode(token).expect("a token is base64, in the alphabet of URLs");
    serde_json::from_slice(&bytes).expect("a token is JSON")
}
