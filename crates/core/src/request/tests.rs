//! The builder against the requests kube 5 prints.

use super::*;
use crate::Resource;
use crate::params::{DeleteParams, GetParams, ListParams, PostParams, WatchParams};
use crate::subresource::{EvictParams, LogParams};
use k8s_openapi::api::core::v1::Pod;
use serde_json::json;

const JSON: &str = "application/json";
const META: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const METAS: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

fn pods() -> Request {
    Request::new(Pod::url_path(&(), Some("ns")))
}

/// Method and URL behind the collection's path, `Accept`, `Content-Type`, body.
fn check(printed: Printed, line: &str, accept: &str, content_type: &str, body: &str) {
    let (parts, sent) = printed.unwrap().into_parts();
    let header = |name| parts.headers.get(name).map_or("", |value| value.to_str().unwrap());
    let (method, rest) = line.split_once(' ').unwrap();
    assert_eq!(format!("{} {}", parts.method, parts.uri), format!("{method} /api/v1/namespaces/ns/pods{rest}"));
    assert_eq!((header("accept"), header("content-type")), (accept, content_type), "{line}");
    assert_eq!(String::from_utf8(sent).unwrap(), body, "{line}");
    Call::parse(&parts).expect("what is printed is understood");
}

#[test]
fn verbs_are_printed_as_kube_prints_them() {
    let (request, post) = (pods(), PostParams::default());
    let patch = Patch::Merge(json!({"a": 1}));
    check(request.list(&ListParams::default()), "GET ?", "", "", "");
    let watch = "GET ?&watch=true&timeoutSeconds=290&allowWatchBookmarks=true&resourceVersion=3";
    check(request.watch(&WatchParams::default(), "3"), watch, "", "", "");
    check(request.get("n", &GetParams::any()), "GET /n?&resourceVersion=0", "", "", "");
    check(request.create(&post, b"{}".to_vec()), "POST ?", "", JSON, "{}");
    check(request.replace("n", &post, b"{}".to_vec()), "PUT /n?", "", JSON, "{}");
    check(request.delete("n", &DeleteParams::default()), "DELETE /n?", "", JSON, "{}");
    let merge = "application/merge-patch+json";
    check(request.patch("n", &PatchParams::default(), &patch), "PATCH /n?", JSON, merge, r#"{"a":1}"#);
}

#[test]
fn a_collection_is_deleted_by_its_selectors() {
    let (nothing, list) = (DeleteParams::default(), ListParams::default());
    check(pods().delete_collection(&nothing, &list), "DELETE ?", "", JSON, "");
    let selecting = list.labels("a=b").fields("x=y").limit(5).at("3");
    check(
        pods().delete_collection(&DeleteParams::background().dry_run(), &selecting),
        "DELETE ?&fieldSelector=x%3Dy&labelSelector=a%3Db",
        "",
        JSON,
        r#"{"dryRun":["All"],"propagationPolicy":"Background"}"#,
    );
}

#[test]
fn metadata_is_asked_for_as_kube_asks() {
    let (request, patch) = (pods(), Patch::Merge(json!({"a": 1})));
    let watch = "GET ?&watch=true&timeoutSeconds=290&allowWatchBookmarks=true&resourceVersion=3";
    check(request.get_metadata("n", &GetParams::at("4")), "GET /n?&resourceVersion=4", META, JSON, "");
    check(request.list_metadata(&ListParams::default().limit(3)), "GET ?&limit=3", METAS, JSON, "");
    check(request.watch_metadata(&WatchParams::default(), "3"), watch, META, JSON, "");
    let merge = "application/merge-patch+json";
    check(request.patch_metadata("n", &PatchParams::default(), &patch), "PATCH /n?", META, merge, r#"{"a":1}"#);
}

#[test]
fn parts_of_objects_are_asked_for_as_kube_asks() {
    let (request, plain) = (pods(), PostParams::default());
    let named = PostParams { dry_run: true, field_manager: Some("m".into()) };
    let apply = Patch::Apply(json!({"a": 1}));
    for part in ["scale", "binding", "token", "approval", "ephemeralcontainers", "resize"] {
        check(request.get_subresource(part, "n"), &format!("GET /n/{part}"), "", "", "");
        let created = request.create_subresource(part, "n", &named, b"{}".to_vec());
        check(created, &format!("POST /n/{part}?&dryRun=All&fieldManager=m"), "", JSON, "{}");
        let replaced = request.replace_subresource(part, "n", &plain, b"{}".to_vec());
        check(replaced, &format!("PUT /n/{part}?"), "", JSON, "{}");
        let patched = request.patch_subresource(part, "n", &PatchParams::apply("m").force(), &apply);
        let line = format!("PATCH /n/{part}?&force=true&fieldManager=m");
        check(patched, &line, JSON, "application/apply-patch+yaml", r#"{"a":1}"#);
    }
}

#[test]
fn logs_are_asked_for_as_kube_asks() {
    let everything = LogParams {
        container: Some("c".into()),
        follow: true,
        limit_bytes: Some(5),
        pretty: true,
        previous: true,
        since_seconds: Some(3),
        since_time: Some(jiff::Timestamp::UNIX_EPOCH),
        tail_lines: Some(7),
        timestamps: true,
    };
    let since = LogParams { since_time: Some("2024-01-02T03:04:05.678Z".parse().unwrap()), ..LogParams::default() };
    check(pods().logs("n", &LogParams::default()), "GET /n/log?", "", "", "");
    check(pods().logs("n", &since), "GET /n/log?&sinceTime=2024-01-02T03%3A04%3A06Z", "", "", "");
    let line = "GET /n/log?&container=c&follow=true&limitBytes=5&pretty=true&previous=true&sinceSeconds=3\
                &tailLines=7&timestamps=true";
    check(pods().logs("n", &everything), line, "", "", "");
}

#[test]
fn an_eviction_says_how_to_delete_under_the_name_the_server_reads() {
    let named = r#"{"metadata":{"name":"n"}}"#;
    check(pods().evict("n", &EvictParams::default()), "POST /n/eviction?", "", JSON, named);
    let params = EvictParams {
        delete_options: Some(DeleteParams::default().grace_period(4)),
        post_options: PostParams { dry_run: true, field_manager: Some("m".into()) },
    };
    let body = r#"{"deleteOptions":{"gracePeriodSeconds":4},"metadata":{"name":"n"}}"#;
    check(pods().evict("n", &params), "POST /n/eviction?&dryRun=All&fieldManager=m", "", JSON, body);
}

#[test]
fn small_changes_are_the_patches_kube_sends() {
    let strategic = "application/strategic-merge-patch+json";
    check(pods().cordon("n"), "PATCH /n?", JSON, strategic, r#"{"spec":{"unschedulable":true}}"#);
    check(pods().uncordon("n"), "PATCH /n?", JSON, strategic, r#"{"spec":{"unschedulable":false}}"#);
    let restarted = String::from_utf8(pods().restart("n").unwrap().into_body()).unwrap();
    let before_time = r#"{"spec":{"template":{"metadata":{"annotations":{"kube.kubernetes.io/restartedAt":""#;
    assert!(restarted.starts_with(before_time), "{restarted}");
}

#[test]
fn names_and_paths_that_lead_elsewhere_are_refused() {
    for name in ["", "..", "a/b", "x?dryRun=All", "a#f", "a\nb"] {
        for printed in [
            pods().get(name, &GetParams::default()),
            pods().logs(name, &LogParams::default()),
            pods().evict(name, &EvictParams::default()),
            pods().restart(name),
            pods().get_subresource(name, "n"),
            Request::new(Pod::url_path(&(), Some(name))).list(&ListParams::default()),
        ] {
            assert!(matches!(printed, Err(Error::Validation(_))), "{name:?} was printed as {printed:?}");
        }
    }
    for path in ["/custom/prefix", "/api/v1", "/api/v1/namespaces/ns/pods/n", "", "/api/v1/pods?watch=true"] {
        let printed = Request::new(path).list(&ListParams::default());
        assert!(matches!(printed, Err(Error::Validation(_))), "{path:?} was printed as {printed:?}");
    }
}
