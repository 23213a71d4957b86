//! Calls against the bytes kube 5 prints, and back.

mod round_trip;

use super::*;
use crate::params::{GetParams, ListParams, PatchParams, PostParams, VersionMatch, WatchParams};
use crate::seeded::Walk;
use crate::subresource::LogParams;
use k8s_openapi::api::core::v1::Pod;

fn pods() -> Target {
    Target::collection::<Pod>(&(), Some("ns"))
}

fn pod() -> Target {
    pods().named("n")
}

fn printed(call: Result<Call>) -> String {
    let request = call.unwrap().into_request(Vec::new()).unwrap();
    format!("{} {}", request.method(), request.uri())
}

fn parsed(method: &str, path: &str) -> Result<Call> {
    let request = http::Request::builder().method(method).uri(path).body(()).unwrap();
    Call::parse(&request.into_parts().0)
}

#[test]
fn urls_are_byte_for_byte_those_of_kube_5() {
    let list = ListParams::default();
    let selecting = list.clone().labels("a=b,c in (d,e)").fields("metadata.name=x").limit(500).continue_token("t/+=");
    let watch = WatchParams::default();
    let selecting_watch = watch.clone().timeout(20).labels("a=b").fields("metadata.name=x").initial_events();
    let post = PostParams { dry_run: true, field_manager: Some("m x".into()) };
    for (call, expected) in [
        (Call::list(pods(), &list), "GET /api/v1/namespaces/ns/pods?"),
        (
            Call::list(pods(), &selecting),
            "GET /api/v1/namespaces/ns/pods?&fieldSelector=metadata.name%3Dx\
             &labelSelector=a%3Db%2Cc+in+%28d%2Ce%29&limit=500&continue=t%2F%2B%3D",
        ),
        (
            Call::list(pods(), &list.clone().at("5").matching(VersionMatch::Exact)),
            "GET /api/v1/namespaces/ns/pods?&resourceVersion=5&resourceVersionMatch=Exact",
        ),
        (
            Call::list(pods(), &list.clone().match_any()),
            "GET /api/v1/namespaces/ns/pods?&resourceVersion=0&resourceVersionMatch=NotOlderThan",
        ),
        (Call::list(pods(), &list.clone().match_any().limit(5)), "GET /api/v1/namespaces/ns/pods?&limit=5"),
        (Call::list(pods(), &list.at("5").limit(4)), "GET /api/v1/namespaces/ns/pods?&limit=4&resourceVersion=5"),
        (
            Call::watch(pods(), &watch, "0"),
            "GET /api/v1/namespaces/ns/pods?&watch=true&timeoutSeconds=290&allowWatchBookmarks=true&resourceVersion=0",
        ),
        (
            Call::watch(pods(), &selecting_watch, "0"),
            "GET /api/v1/namespaces/ns/pods?&watch=true&timeoutSeconds=20&fieldSelector=metadata.name%3Dx\
             &labelSelector=a%3Db&allowWatchBookmarks=true&sendInitialEvents=true\
             &resourceVersionMatch=NotOlderThan&resourceVersion=0",
        ),
        (
            Call::watch(pods(), &watch.disable_bookmarks(), "7"),
            "GET /api/v1/namespaces/ns/pods?&watch=true&timeoutSeconds=290&resourceVersion=7",
        ),
        (Call::get(pod(), &GetParams::default()), "GET /api/v1/namespaces/ns/pods/n"),
        (Call::get(pod(), &GetParams::at("5")), "GET /api/v1/namespaces/ns/pods/n?&resourceVersion=5"),
        (Call::create(pods(), &PostParams::default()), "POST /api/v1/namespaces/ns/pods?"),
        (Call::create(pods(), &post), "POST /api/v1/namespaces/ns/pods?&dryRun=All&fieldManager=m+x"),
        (Call::replace(pod(), &PostParams::default()), "PUT /api/v1/namespaces/ns/pods/n?"),
        (Call::delete(pod()), "DELETE /api/v1/namespaces/ns/pods/n?"),
        (
            Call::patch(pod(), PatchKind::Apply, &PatchParams::apply("m").force()),
            "PATCH /api/v1/namespaces/ns/pods/n?&force=true&fieldManager=m",
        ),
        (
            Call::patch(pod(), PatchKind::Strategic, &PatchParams::default().validation_strict()),
            "PATCH /api/v1/namespaces/ns/pods/n?&fieldValidation=Strict",
        ),
        (
            Call::replace(pod().subresource("status"), &PostParams::default()),
            "PUT /api/v1/namespaces/ns/pods/n/status?",
        ),
        (Call::get(pod().subresource("status"), &GetParams::default()), "GET /api/v1/namespaces/ns/pods/n/status"),
    ] {
        assert_eq!(printed(call), expected);
    }
}

#[test]
fn every_call_parses_back_from_what_it_prints() {
    let calls = [
        Call::list(pods(), &ListParams::default().labels("a in (b,c)").fields("metadata.name=ä").limit(7)),
        Call::list(pods(), &ListParams::default().at("9").matching(VersionMatch::Exact)).map(Call::metadata),
        Call::watch(pods(), &WatchParams::default().initial_events().timeout(3), ""),
        Call::watch(pods(), &WatchParams::default().disable_bookmarks(), "12").map(Call::metadata),
        Call::get(pod(), &GetParams::any()),
        Call::create(pods(), &PostParams { dry_run: true, field_manager: Some("me & you".into()) }),
        Call::replace(pod().subresource("status"), &PostParams::default()),
        Call::patch(pod(), PatchKind::Apply, &PatchParams::apply("m").force().dry_run()),
        Call::patch(pod(), PatchKind::Json, &PatchParams::default().validation_warn()).map(Call::metadata),
        Call::patch(pod().subresource("status"), PatchKind::Merge, &PatchParams::default()),
        Call::delete(Target { namespace: None, ..pod() }),
        Call::delete_collection(pods(), &ListParams::default().labels("a=b").fields("metadata.name!=x")),
        Call::create(pod().subresource("eviction"), &PostParams::default()),
        Call::create(pod().subresource("binding"), &PostParams::default()),
        Call::create(pod().subresource("token"), &PostParams::default()),
        Call::get(pod().subresource("scale"), &GetParams::default()),
        Call::get(pod(), &GetParams::default()).map(Call::table),
        Call::list(pods(), &ListParams::default()).map(Call::table),
        Call::patch(pod().subresource("resize"), PatchKind::Strategic, &PatchParams::default()),
        Call::patch(pod().subresource("ephemeralcontainers"), PatchKind::Merge, &PatchParams::default()),
        Call::patch(pod().subresource("approval"), PatchKind::Merge, &PatchParams::default()),
        Call::logs(pod(), &LogParams { follow: true, tail_lines: Some(3), ..LogParams::default() }),
        Call::logs(pod(), &LogParams { container: Some("a b".into()), previous: true, ..LogParams::default() }),
        Call::logs(pod(), &LogParams { since_time: Some(jiff::Timestamp::UNIX_EPOCH), ..LogParams::default() }),
        Call::delete(Target { group: "rbac.example.com".into(), ..pod().named("system:node-[x] {y}") }),
    ];
    for call in calls {
        let call = call.unwrap();
        let request = call.clone().into_request(Vec::new()).unwrap();
        assert_eq!(Call::parse(&request.into_parts().0).unwrap(), call);
    }
}

#[test]
fn a_name_never_reaches_another_path() {
    for name in ["a#f", "../secrets/x", "x?dryRun=All", "", ".", "..", "a/b", "a%2Fb", "a\nb", "\u{0}", "default/x?"] {
        for target in [
            pods().named(name),
            Target { namespace: Some(name.into()), ..pod() },
            Target { plural: name.into(), ..pod() },
            Target { version: name.into(), ..pod() },
            pod().subresource(name),
        ] {
            for call in [Call::get(target.clone(), &GetParams::default()), Call::delete(target.clone())] {
                let refused = call.and_then(|call| call.into_request(vec![]));
                assert!(matches!(refused, Err(Error::Validation(_))), "{target:?} was printed as {refused:?}");
            }
        }
    }
}

#[test]
fn what_is_printed_parses_back_to_the_same_segments_or_is_refused() {
    for seed in 0..20_000_u64 {
        let name = Walk::new(seed).text(6);
        let in_namespace = Target { namespace: Some(name.clone()), ..pod() };
        for target in [pods().named(&name), pod().subresource(&name), in_namespace] {
            let Ok(path) = target.path() else { continue };
            assert_eq!(Target::parse(&path).unwrap(), target, "seed {seed}");
            assert!(!name.contains(['/', '?', '#', '%']), "seed {seed}: {name:?} should have been refused");
        }
    }
}

#[test]
fn namespaces_are_objects_and_places() {
    let at = |path: &str| Target::parse(path).unwrap();
    assert_eq!(at("/api/v1/namespaces").plural, "namespaces");
    assert_eq!(at("/api/v1/namespaces/a").name.as_deref(), Some("a"));
    assert_eq!(at("/api/v1/namespaces/a").namespace, None);
    assert_eq!(at("/api/v1/namespaces/a/status").subresource.as_deref(), Some("status"));
    assert_eq!(at("/api/v1/namespaces/a/pods").namespace.as_deref(), Some("a"));
    assert_eq!(at("/api/v1/namespaces/a/pods/status").name.as_deref(), Some("status"));
}

#[test]
fn contradicting_params_are_refused_before_anything_is_sent() {
    let refused = |call: Result<Call>| call.unwrap_err().to_string();
    let forced = PatchParams { force: true, ..PatchParams::default() };
    assert!(refused(Call::patch(pod(), PatchKind::Merge, &forced)).contains("force only works with Patch::Apply"));
    assert!(refused(Call::patch(pod(), PatchKind::Apply, &PatchParams::default())).contains("needs a field manager"));
    let long = PatchParams::apply(&"m".repeat(129));
    assert!(refused(Call::patch(pod(), PatchKind::Apply, &long)).contains("at most 128"));
    for unprintable in ["a\tb", "a\u{200b}b", "a\u{a0}b", "a\u{feff}"] {
        let params = PatchParams::apply(unprintable);
        assert!(refused(Call::patch(pod(), PatchKind::Apply, &params)).contains("printable"), "{unprintable:?}");
    }
    assert!(Call::patch(pod(), PatchKind::Apply, &PatchParams::apply("mänager 漢")).is_ok());
    let matching = ListParams::default().matching(VersionMatch::Exact);
    assert!(refused(Call::list(pods(), &matching)).contains("resource_version is required"));
    assert!(refused(Call::get(pods(), &GetParams::default())).contains("non-empty name"));
}

#[test]
fn a_named_path_is_got_even_if_a_watch_is_asked_for() {
    assert_eq!(parsed("GET", "/api/v1/namespaces/ns/pods/n?watch=true").unwrap().verb, Verb::Get);
    assert_eq!(parsed("GET", "/api/v1/namespaces/ns/pods?watch").unwrap().verb, Verb::Watch);
    assert_eq!(parsed("GET", "/api/v1/namespaces/ns/pods?watch=false").unwrap().verb, Verb::List);
}

#[test]
fn foreign_paths_and_methods_are_named() {
    assert!(matches!(parsed("GET", "/healthz"), Err(Error::NotAnApiPath(_))));
    assert!(matches!(parsed("GET", "/api/v1"), Err(Error::NotAnApiPath(_))));
    assert!(matches!(parsed("GET", "/api/v1/pods/%2e%2e"), Err(Error::NotAnApiPath(_))));
    assert!(matches!(parsed("POST", "/api/v1/namespaces/ns/pods/n"), Err(Error::Method { .. })));
    assert!(matches!(parsed("GET", "/api/v1/pods?limit=x"), Err(Error::Query { parameter: "limit", .. })));
    let log = "/api/v1/namespaces/ns/pods/n/log";
    let tail = parsed("GET", &format!("{log}?tailLines=x"));
    assert!(matches!(tail, Err(Error::Query { parameter: "tailLines", .. })));
    let since = parsed("GET", &format!("{log}?sinceTime=yesterday"));
    assert!(matches!(since, Err(Error::Query { parameter: "sinceTime", .. })));
}

#[test]
fn the_first_servable_media_type_decides_the_form() {
    let form = |accept: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, accept.parse().unwrap());
        Form::of(&headers)
    };
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1,application/json";
    assert_eq!(form(table).unwrap(), Form::Table);
    assert_eq!(form("application/vnd.kubernetes.protobuf, application/json").unwrap(), Form::Object);
    assert_eq!(form("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1").unwrap(), Form::Metadata);
    assert_eq!(form("*/*").unwrap(), Form::Object);
    let rather_whole = "application/json;as=Table;g=meta.k8s.io;v=v1;q=0.5,application/json";
    assert_eq!(form(rather_whole).unwrap(), Form::Object);
    assert!(matches!(form("text/html"), Err(Error::NotAcceptable(_))));
}

#[test]
fn of_a_parameter_said_twice_the_first_counts() {
    assert_eq!(parsed("GET", "/api/v1/pods?limit=3&limit=5").unwrap().query.limit, Some(3));
    assert_eq!(parsed("GET", "/api/v1/pods?limit=-1").unwrap().query.limit, None);
    let broken = parsed("GET", "/api/v1/pods?labelSelector=%zz&limit=2").unwrap().query;
    assert_eq!((broken.label_selector, broken.limit), (None, Some(2)), "what is escaped wrongly is passed over");
}

#[test]
fn connections_are_understood_as_kubectl_asks_for_them() {
    let exec = parsed("GET", "/api/v1/namespaces/ns/pods/n/exec?command=ls&command=-l&container=c&stdout=1").unwrap();
    let expected = Connect {
        container: Some("c".into()),
        stdout: true,
        command: vec!["ls".into(), "-l".into()],
        ..Connect::default()
    };
    assert_eq!(exec.query.connect, expected);
    let ports = |query: &str| parsed("GET", &format!("/api/v1/namespaces/ns/pods/n/portforward?{query}"));
    assert_eq!(ports("ports=80&ports=443").unwrap().query.connect.ports, [80, 443]);
    assert_eq!(ports("ports=80,443").unwrap().query.connect.ports, [80, 443]);
    assert!(matches!(ports("ports=70000"), Err(Error::Query { parameter: "ports", .. })));
}

#[test]
fn the_words_of_logs_and_connections_mean_nothing_elsewhere() {
    let get = parsed("GET", "/api/v1/namespaces/ns/pods/n?container=c&command=ls&tailLines=x").unwrap();
    assert_eq!(get.query, Query::default());
}

#[test]
fn a_path_that_reads_as_another_is_not_printed() {
    let namespace = Target { namespace: None, plural: "namespaces".into(), ..pod() };
    assert!(namespace.clone().subresource("status").path().is_ok());
    for target in
        [namespace.subresource("pods"), Target { plural: "status".into(), ..pods() }, pods().subresource("status")]
    {
        assert!(matches!(target.path(), Err(Error::Validation(_))), "{target:?}");
    }
}

#[test]
fn a_call_asks_for_the_same_form_in_protobuf_as_in_json() {
    for call in [
        Call::list(pods(), &ListParams::default()).map(Call::metadata),
        Call::watch(pods(), &WatchParams::default(), "0").map(Call::metadata),
        Call::get(pod(), &GetParams::default()).map(Call::metadata),
        Call::get(pod(), &GetParams::default()),
    ] {
        let call = call.unwrap();
        let accept = call.accept_protobuf_first().unwrap();
        let [protobuf, json] = by_preference(accept)[..] else { panic!("{accept}") };
        assert!(protobuf.starts_with("application/vnd.kubernetes.protobuf") && json.starts_with("application/json"));
        let mut request = call.to_request(Vec::new()).unwrap();
        let printed = request.headers().get(ACCEPT).map_or("application/json", |accept| accept.to_str().unwrap());
        assert_eq!(json, printed);
        request.headers_mut().insert(ACCEPT, accept.parse().unwrap());
        assert_eq!(Call::parse(&request.into_parts().0).unwrap(), call);
    }
    let table = Call::get(pod(), &GetParams::default()).map(Call::table).unwrap();
    assert_eq!(table.accept_protobuf_first(), None);
}
