//! Watches: what they begin with, what they send, how they are refused.

use std::time::Duration;

use serde_json::{Value, json};

use crate::answer::{revision, version_of};
use crate::behaviour::behaviours;
use crate::place::{CONFIG_MAPS, PODS, Place, config_map};
use crate::watch::Next;

behaviours! {
    "1.7": a_watch_from_a_version_sends_what_came_after,
        a_watch_without_a_version_begins_with_what_is_there,
        a_watch_at_version_0_begins_with_what_is_there,
        a_watch_that_wants_no_initial_events_begins_with_now,
        a_streaming_list_ends_with_its_bookmark,
        a_streaming_list_without_bookmarks_sends_none,
        a_streaming_list_at_a_version_is_at_least_as_new,
        a_streaming_list_of_nothing_is_one_bookmark,
        initial_events_need_a_match,
        a_match_needs_initial_events,
        a_match_of_exact_is_refused_for_a_watch,
        an_end_bookmark_is_an_empty_object_of_the_kind,
        a_streaming_list_at_a_future_version_is_an_error_event,
        a_future_version_without_initial_events_is_accepted,
        a_watch_ends_after_its_timeout,
        a_watch_answers_at_once_as_json,
        a_watch_with_a_version_that_is_not_a_number_is_an_error,
        a_watch_with_a_limit_is_not_limited,
        a_bookmark_comes_before_the_timeout;
    "1.8": a_watch_that_wants_no_bookmarks_gets_none;
    "1.3": a_deleted_event_carries_the_version_of_the_deletion,
        events_come_in_the_order_of_versions,
        a_watch_can_be_resumed_from_any_version_seen;
    "1.9": an_object_that_enters_a_selector_is_added,
        an_object_that_leaves_a_selector_is_deleted_with_its_old_content,
        an_object_that_stays_in_a_selector_is_modified,
        an_object_that_was_never_selected_is_never_sent,
        a_field_selector_watches_one_object,
        a_pod_enters_and_leaves_a_selector_of_its_phase,
        a_watch_over_all_namespaces_sends_events_of_each;
}

const A: &str = "/api/v1/namespaces/{ns}/configmaps/a";

/// Without what a cluster puts into every namespace.
fn watching(options: &str) -> String {
    format!("{CONFIG_MAPS}?watch=1&fieldSelector=metadata.name!=kube-root-ca.crt{options}")
}

async fn a_watch_from_a_version_sends_what_came_after(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let changed = p.merge(A, json!({"data": {"k": "v"}})).await.value(200);
    p.delete(A).await.value(200);
    let mut watch = p.watch(&watching(&format!("&resourceVersion={}", version_of(&made)))).await;
    assert_eq!(watch.expect("MODIFIED", "a").await, changed);
    watch.expect("DELETED", "a").await;
}

async fn a_watch_without_a_version_begins_with_what_is_there(p: &Place) {
    p.config_map("b", json!({})).await;
    p.config_map("a", json!({})).await;
    let mut watch = p.watch(&watching("")).await;
    let mut first = [named(&watch.event().await), named(&watch.event().await)];
    first.sort();
    assert_eq!(first, ["ADDED a", "ADDED b"]);
    p.merge(A, json!({"data": {"k": "v"}})).await.value(200);
    watch.expect("MODIFIED", "a").await;
}

async fn a_watch_at_version_0_begins_with_what_is_there(p: &Place) {
    p.config_map("a", json!({})).await;
    p.get(&watching("&resourceVersion=0").replace("watch=1&", "")).await.value(200);
    let mut watch = p.watch(&watching("&resourceVersion=0")).await;
    watch.expect("ADDED", "a").await;
}

async fn a_watch_that_wants_no_initial_events_begins_with_now(p: &Place) {
    p.config_map("a", json!({})).await;
    let options = "&sendInitialEvents=false&resourceVersionMatch=NotOlderThan";
    let mut watch = p.watch(&watching(options)).await;
    p.config_map("b", json!({})).await;
    watch.expect("ADDED", "b").await;
}

async fn a_streaming_list_ends_with_its_bookmark(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let mut watch = p.watch(&watching(STREAMING)).await;
    assert_eq!(watch.expect("ADDED", "a").await, made);
    let bookmark = watch.bookmark().await;
    assert_eq!(bookmark["metadata"]["annotations"], json!({"k8s.io/initial-events-end": "true"}));
    assert!(revision(&bookmark) >= revision(&made));
    p.config_map("b", json!({})).await;
    watch.expect("ADDED", "b").await;
}

async fn a_streaming_list_without_bookmarks_sends_none(p: &Place) {
    p.config_map("a", json!({})).await;
    let mut watch = p.watch(&watching("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan")).await;
    watch.expect("ADDED", "a").await;
    p.config_map("b", json!({})).await;
    watch.expect("ADDED", "b").await;
}

async fn a_streaming_list_at_a_version_is_at_least_as_new(p: &Place) {
    p.config_map("a", json!({})).await;
    let changed = p.merge(A, json!({"data": {"k": "v"}})).await.value(200);
    let mut watch = p.watch(&watching(&format!("{STREAMING}&resourceVersion={}", version_of(&changed)))).await;
    assert_eq!(watch.expect("ADDED", "a").await, changed);
    assert!(revision(&watch.bookmark().await) >= revision(&changed));
}

async fn a_streaming_list_of_nothing_is_one_bookmark(p: &Place) {
    let mut watch = p.watch(&format!("{PODS}?watch=1{STREAMING}")).await;
    let bookmark = watch.bookmark().await;
    assert_eq!(bookmark["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
}

async fn initial_events_need_a_match(p: &Place) {
    let answer = p.get(&watching("&sendInitialEvents=true")).await;
    let part = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    answer.refused_with(422, "Invalid", part);
}

async fn a_match_needs_initial_events(p: &Place) {
    let answer = p.get(&watching("&resourceVersion=1&resourceVersionMatch=NotOlderThan")).await;
    answer.refused_with(
        422,
        "Invalid",
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
    );
}

async fn a_match_of_exact_is_refused_for_a_watch(p: &Place) {
    let answer = p.get(&watching("&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1")).await;
    let status = answer.refused_with(422, "Invalid", "resourceVersionMatch");
    assert!(status["details"]["causes"].is_array());
}

async fn an_end_bookmark_is_an_empty_object_of_the_kind(p: &Place) {
    let mut watch = p.watch(&format!("{PODS}?watch=1{STREAMING}")).await;
    let bookmark = watch.bookmark().await;
    assert_eq!((bookmark["kind"].as_str(), bookmark["apiVersion"].as_str()), (Some("Pod"), Some("v1")));
    assert_eq!(bookmark["metadata"].get("name"), None);
    assert_eq!(bookmark["spec"], json!({"containers": null}));
    assert_eq!(bookmark["status"], json!({}));
}

async fn a_streaming_list_at_a_future_version_is_an_error_event(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let future = revision(&made) + 1_000_000;
    let mut watch = p.watch(&watching(&format!("{STREAMING}&resourceVersion={future}"))).await;
    let event = watch.event().await;
    assert_eq!(event["type"], "ERROR", "{event}");
    assert_eq!((&event["object"]["code"], &event["object"]["reason"]), (&json!(504), &json!("Timeout")));
    assert_eq!(event["object"]["details"]["causes"][0]["reason"], "ResourceVersionTooLarge");
    assert!(matches!(watch.within(Duration::from_secs(10)).await, Next::End));
}

async fn a_future_version_without_initial_events_is_accepted(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let future = revision(&made) + 1_000_000;
    let mut watch = p.watch(&watching(&format!("&resourceVersion={future}&timeoutSeconds=1"))).await;
    assert!(watch.rest().await.is_empty());
}

async fn a_watch_ends_after_its_timeout(p: &Place) {
    let mut watch = p.watch(&watching("&resourceVersion=0&timeoutSeconds=1")).await;
    assert!(watch.rest().await.is_empty());
}

async fn a_watch_answers_at_once_as_json(p: &Place) {
    let watch = p.watch(&watching("&resourceVersion=0")).await;
    assert_eq!(watch.header("content-type"), "application/json");
    assert_eq!(watch.header("cache-control"), "no-cache, private");
}

async fn a_watch_with_a_version_that_is_not_a_number_is_an_error(p: &Place) {
    let answer = p.get(&watching("&resourceVersion=soon")).await;
    assert_eq!(answer.code, 500, "{answer}");
    assert!(answer.text().contains("resourceVersion: Invalid value: \\\"soon\\\""), "{answer}");
}

async fn a_watch_with_a_limit_is_not_limited(p: &Place) {
    p.config_map("a", json!({})).await;
    p.config_map("b", json!({})).await;
    let mut watch = p.watch(&watching("&limit=1")).await;
    let mut first = [named(&watch.event().await), named(&watch.event().await)];
    first.sort();
    assert_eq!(first, ["ADDED a", "ADDED b"]);
}

async fn a_bookmark_comes_before_the_timeout(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let options = format!("&allowWatchBookmarks=true&timeoutSeconds=4&resourceVersion={}", version_of(&made));
    let events = p.watch(&watching(&options)).await.rest().await;
    let bookmark = events.last().expect("a bookmark comes before the end");
    assert_eq!(bookmark["type"], "BOOKMARK", "{events:?}");
    assert!(revision(&bookmark["object"]) >= revision(&made));
    assert_eq!(bookmark["object"]["metadata"].get("annotations"), None);
}

async fn a_watch_that_wants_no_bookmarks_gets_none(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let options = format!("&timeoutSeconds=4&resourceVersion={}", version_of(&made));
    assert!(p.watch(&watching(&options)).await.rest().await.is_empty());
}

async fn a_deleted_event_carries_the_version_of_the_deletion(p: &Place) {
    let made = p.config_map("a", json!({"k": "v"})).await;
    let mut watch = p.watch(&watching(&format!("&resourceVersion={}", version_of(&made)))).await;
    p.delete(A).await.value(200);
    let gone = watch.expect("DELETED", "a").await;
    assert_eq!(gone["data"], json!({"k": "v"}));
    assert!(revision(&gone) > revision(&made));
}

async fn events_come_in_the_order_of_versions(p: &Place) {
    let first = p.config_map("a", json!({})).await;
    let mut watch = p.watch(&watching(&format!("&resourceVersion={}", version_of(&first)))).await;
    for n in 0..10 {
        p.config_map(&format!("b{n}"), json!({})).await;
        p.merge(A, json!({"data": {"n": n.to_string()}})).await.value(200);
    }
    let mut last = revision(&first);
    for _ in 0..20 {
        let event = watch.event().await;
        assert!(revision(&event["object"]) > last, "{event}");
        last = revision(&event["object"]);
    }
}

async fn a_watch_can_be_resumed_from_any_version_seen(p: &Place) {
    let first = p.config_map("a", json!({})).await;
    let mut versions = vec![version_of(&first).to_owned()];
    for n in 0..4 {
        let written = p.merge(A, json!({"data": {"n": n.to_string()}})).await.value(200);
        versions.push(version_of(&written).to_owned());
    }
    for (seen, version) in versions.iter().enumerate() {
        let mut watch = p.watch(&watching(&format!("&resourceVersion={version}"))).await;
        for expected in &versions[seen + 1..] {
            assert_eq!(version_of(&watch.expect("MODIFIED", "a").await), expected);
        }
    }
}

async fn an_object_that_enters_a_selector_is_added(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let mut watch = selecting(p, &made).await;
    let labelled = label(p, "yes").await;
    assert_eq!(watch.expect("ADDED", "a").await, labelled);
}

async fn an_object_that_leaves_a_selector_is_deleted_with_its_old_content(p: &Place) {
    p.config_map("a", json!({})).await;
    let inside = label(p, "yes").await;
    let mut watch = selecting(p, &inside).await;
    let outside = label(p, "no").await;
    let left = watch.expect("DELETED", "a").await;
    assert_eq!(left["metadata"]["labels"], json!({"in": "yes"}));
    assert_eq!(version_of(&left), version_of(&outside));
}

async fn an_object_that_stays_in_a_selector_is_modified(p: &Place) {
    p.config_map("a", json!({})).await;
    let inside = label(p, "yes").await;
    let mut watch = selecting(p, &inside).await;
    p.merge(A, json!({"data": {"k": "v"}})).await.value(200);
    assert_eq!(watch.expect("MODIFIED", "a").await["data"], json!({"k": "v"}));
}

async fn an_object_that_was_never_selected_is_never_sent(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let mut watch = selecting(p, &made).await;
    p.merge(A, json!({"data": {"k": "v"}})).await.value(200);
    p.delete(A).await.value(200);
    let mut marker = config_map("z", json!({}));
    marker["metadata"]["labels"] = json!({"in": "yes"});
    p.create(CONFIG_MAPS, marker).await;
    watch.nothing_before("ADDED", "z").await;
}

async fn a_field_selector_watches_one_object(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let options = format!("?watch=1&fieldSelector=metadata.name=b&resourceVersion={}", version_of(&made));
    let mut watch = p.watch(&format!("{CONFIG_MAPS}{options}")).await;
    p.delete(A).await.value(200);
    p.config_map("b", json!({})).await;
    watch.expect("ADDED", "b").await;
}

async fn a_pod_enters_and_leaves_a_selector_of_its_phase(p: &Place) {
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"},
        "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let made = p.create(PODS, pod).await;
    let options = format!("?watch=1&fieldSelector=status.phase=Running&resourceVersion={}", version_of(&made));
    let mut watch = p.watch(&format!("{PODS}{options}")).await;
    for phase in ["Running", "Succeeded"] {
        p.merge("/api/v1/namespaces/{ns}/pods/a/status", json!({"status": {"phase": phase}})).await.value(200);
    }
    assert_eq!(watch.expect("ADDED", "a").await["status"]["phase"], "Running");
    assert_eq!(watch.expect("DELETED", "a").await["status"]["phase"], "Running");
}

async fn a_watch_over_all_namespaces_sends_events_of_each(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let version = version_of(&made);
    let path = format!("/api/v1/configmaps?watch=1&fieldSelector=metadata.namespace={{ns}}&resourceVersion={version}");
    let mut watch = p.watch(&path).await;
    p.config_map("b", json!({})).await;
    watch.expect("ADDED", "b").await;
}

async fn selecting(p: &Place, since: &Value) -> crate::watch::Watch {
    let options = format!("?watch=1&labelSelector=in%3Dyes&resourceVersion={}", version_of(since));
    p.watch(&format!("{CONFIG_MAPS}{options}")).await
}

async fn label(p: &Place, value: &str) -> Value {
    p.merge(A, json!({"metadata": {"labels": {"in": value}}})).await.value(200)
}

fn named(event: &Value) -> String {
    format!("{} {}", event["type"], event["object"]["metadata"]["name"]).replace('"', "")
}

const STREAMING: &str = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
