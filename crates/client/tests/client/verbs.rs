//! Every verb: what it prints and what it makes of the answer.

use either::Either;
use futures::{StreamExt, TryStreamExt};
use http::Request;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod};
use pintle_client::api::{
    Api, ApiResource, DeleteParams, DynamicObject, GetParams, GroupVersionKind, ListParams, Patch, PatchParams,
    PostParams, Preconditions, WatchEvent, WatchParams,
};
use pintle_client::{Error, ErrorKind};
use serde_json::json;

use crate::scripted::{Answer, client};

const POD: &str = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"n","namespace":"ns"}}"#;
const PODS: &str =
    r#"{"apiVersion":"v1","kind":"PodList","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"n"}}]}"#;
const META: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const METAS: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const JSON: &str = "application/json";
/// What a built-in kind is asked for as.
const EITHER: &str = "application/vnd.kubernetes.protobuf,application/json";

fn expect(asked: &[String], line: &str, accept: &str, content_type: &str, body: &str) {
    assert_eq!(asked, [format!("{line} [{accept}] [{content_type}] {body}")]);
}

#[tokio::test]
async fn reads_print_the_urls_that_kube_prints() {
    let (client, asked) = client(Answer::json(POD));
    let pods: Api<Pod> = Api::namespaced(client, "ns");
    assert_eq!(pods.get("n").await.unwrap().metadata.name.as_deref(), Some("n"));
    expect(&asked.take(), "GET /api/v1/namespaces/ns/pods/n", EITHER, "", "");
    pods.get_with("n", &GetParams::at("5")).await.unwrap();
    expect(&asked.take(), "GET /api/v1/namespaces/ns/pods/n?&resourceVersion=5", EITHER, "", "");
    pods.get_metadata("n").await.unwrap();
    expect(&asked.take(), "GET /api/v1/namespaces/ns/pods/n", META, JSON, "");
    pods.get_status("n").await.unwrap();
    expect(&asked.take(), "GET /api/v1/namespaces/ns/pods/n/status", EITHER, "", "");
}

#[tokio::test]
async fn lists_print_the_urls_that_kube_prints() {
    let (client, asked) = client(Answer::json(PODS));
    let pods: Api<Pod> = Api::namespaced(client, "ns");
    let list = pods.list(&ListParams::default()).await.unwrap();
    assert_eq!((list.items.len(), list.metadata.resource_version.as_deref()), (1, Some("7")));
    expect(&asked.take(), "GET /api/v1/namespaces/ns/pods?", EITHER, "", "");
    pods.list_metadata(&ListParams::default().limit(5)).await.unwrap();
    expect(&asked.take(), "GET /api/v1/namespaces/ns/pods?&limit=5", METAS, JSON, "");
}

#[tokio::test]
async fn writes_print_the_urls_and_bodies_that_kube_prints() {
    let (client, asked) = client(Answer::json(POD));
    let pods: Api<Pod> = Api::namespaced(client, "ns");
    let pod: Pod = serde_json::from_str(r#"{"metadata":{"name":"n"}}"#).unwrap();
    let body = serde_json::to_string(&pod).unwrap();
    pods.create(&PostParams::default(), &pod).await.unwrap();
    expect(&asked.take(), "POST /api/v1/namespaces/ns/pods?", EITHER, JSON, &body);
    pods.replace("n", &PostParams::default(), &pod).await.unwrap();
    expect(&asked.take(), "PUT /api/v1/namespaces/ns/pods/n?", EITHER, JSON, &body);
    pods.replace_status("n", &PostParams::default(), &pod).await.unwrap();
    expect(&asked.take(), "PUT /api/v1/namespaces/ns/pods/n/status?", EITHER, JSON, &body);
}

#[tokio::test]
async fn patches_print_the_urls_and_bodies_that_kube_prints() {
    let (client, asked) = client(Answer::json(POD));
    let pods: Api<Pod> = Api::namespaced(client, "ns");
    let (body, params) = (json!({"a": 1}), PatchParams::default());
    let merge = "application/merge-patch+json";
    pods.patch("n", &params, &Patch::Merge(&body)).await.unwrap();
    expect(&asked.take(), "PATCH /api/v1/namespaces/ns/pods/n?", EITHER, merge, r#"{"a":1}"#);
    pods.patch("n", &PatchParams::apply("m").force(), &Patch::Apply(&body)).await.unwrap();
    let url = "PATCH /api/v1/namespaces/ns/pods/n?&force=true&fieldManager=m";
    expect(&asked.take(), url, EITHER, "application/apply-patch+yaml", r#"{"a":1,"apiVersion":"v1","kind":"Pod"}"#);
    pods.patch_metadata("n", &params, &Patch::Merge(&body)).await.unwrap();
    expect(&asked.take(), "PATCH /api/v1/namespaces/ns/pods/n?", META, merge, r#"{"a":1}"#);
    pods.patch_status("n", &params, &Patch::Merge(&body)).await.unwrap();
    expect(&asked.take(), "PATCH /api/v1/namespaces/ns/pods/n/status?", EITHER, merge, r#"{"a":1}"#);
}

#[tokio::test]
async fn a_delete_is_an_object_until_it_is_final() {
    let (going, asked) = client(Answer::json(POD));
    let pods: Api<Pod> = Api::namespaced(going, "ns");
    assert!(matches!(pods.delete("n", &DeleteParams::default()).await.unwrap(), Either::Left(_)));
    expect(&asked.take(), "DELETE /api/v1/namespaces/ns/pods/n?", "", JSON, "{}");

    let (gone, asked) = client(Answer::json(r#"{"kind":"Status","apiVersion":"v1","status":"Success"}"#));
    let pods: Api<Pod> = Api::namespaced(gone, "ns");
    let params = DeleteParams::foreground()
        .grace_period(5)
        .dry_run()
        .preconditions(Preconditions { resource_version: Some("5".into()), uid: Some("u".into()) });
    assert!(matches!(pods.delete("n", &params).await.unwrap(), Either::Right(_)));
    let body = r#"{"dryRun":["All"],"gracePeriodSeconds":5,"propagationPolicy":"Foreground","preconditions":{"resourceVersion":"5","uid":"u"}}"#;
    expect(&asked.take(), "DELETE /api/v1/namespaces/ns/pods/n?", "", JSON, body);
}

#[tokio::test]
async fn each_constructor_names_its_collection() {
    let (client, _) = client(Answer::json(POD));
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1", "Document"));
    assert_eq!(Api::<Node>::all(client.clone()).resource_url(), "/api/v1/nodes");
    assert_eq!(Api::<Pod>::all(client.clone()).namespace(), None);
    let home = Api::<ConfigMap>::default_namespaced(client.clone());
    assert_eq!((home.resource_url(), home.namespace()), ("/api/v1/namespaces/home/configmaps", Some("home")));
    let dynamic = Api::<DynamicObject>::namespaced_with(client.clone(), "ns", &resource);
    assert_eq!(dynamic.resource_url(), "/apis/example.com/v1/namespaces/ns/documents");
    let dynamic = Api::<DynamicObject>::default_namespaced_with(client.clone(), &resource);
    assert_eq!(dynamic.resource_url(), "/apis/example.com/v1/namespaces/home/documents");
    let dynamic = Api::<DynamicObject>::all_with(client, &resource);
    assert_eq!(dynamic.resource_url(), "/apis/example.com/v1/documents");
    assert_eq!(dynamic.into_client().default_namespace(), "home");
}

#[tokio::test]
async fn a_refusal_carries_the_servers_status() {
    let body = r#"{"kind":"Status","status":"Failure","message":"no such pod","reason":"NotFound","code":404}"#;
    let (client, _) = client(Answer::json(body).code(404));
    let pods: Api<Pod> = Api::all(client);
    let error = pods.get("n").await.unwrap_err();
    let Error::Api(status) = &error else { panic!("{error:?}") };
    assert_eq!((status.code, status.reason.as_str(), error.kind()), (404, "NotFound", ErrorKind::Refused));
    assert!(error.to_string().contains("no such pod"), "{error}");
    assert!(pods.get_opt("n").await.unwrap().is_none());
    assert!(pods.get_metadata_opt("n").await.unwrap().is_none());
    let watch = pods.watch(&WatchParams::default(), "0").await;
    assert!(matches!(watch.err(), Some(Error::Api(status)) if status.code == 404));
}

#[tokio::test]
async fn a_refusal_that_is_not_a_status_keeps_its_code_and_not_its_body() {
    for code in [400, 401, 502] {
        let (client, _) = client(Answer::json("<html>hunter2</html>").content_type(Some("text/html")).code(code));
        let error = Api::<Pod>::all(client).get("n").await.unwrap_err();
        assert!(matches!(&error, Error::Api(status) if status.code == code), "{error:?}");
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    }
}

#[tokio::test]
async fn a_redirect_is_an_error() {
    let (client, asked) = client(Answer::json("").code(302));
    let error = Api::<Pod>::all(client).get("n").await.unwrap_err();
    assert!(matches!(&error, Error::Api(status) if status.code == 302), "{error:?}");
    assert_eq!(asked.take().len(), 1);
}

#[tokio::test]
async fn a_decode_error_names_type_object_and_position_but_no_content() {
    let body = r#"{"kind":"ConfigMap","metadata":{"name":"n","namespace":"ns"},"data":{"k":{"hunter2":"x"}}}"#;
    let wrong = r#"{"kind":"ConfigMap","metadata":{"name":"n","namespace":"ns"},"data":"hunter2"}"#;
    for body in [body, wrong] {
        let (client, _) = client(Answer::json(body));
        let error = Api::<ConfigMap>::all(client).get("n").await.unwrap_err();
        let Error::SerdeError(cause) = &error else { panic!("{error:?}") };
        let text = format!("{error} {error:?} {cause}");
        assert!(!text.contains("hunter2"), "{text}");
        assert!(text.contains("ConfigMap ns/n") && text.contains("core::v1"), "{text}");
        assert!(cause.line() == 1 && cause.column() > 60, "{cause}");
        assert_eq!(error.kind(), ErrorKind::Malformed);
    }
}

#[tokio::test]
async fn params_that_contradict_each_other_are_misuse_and_nothing_is_sent() {
    let (client, asked) = client(Answer::json(POD));
    let pods: Api<Pod> = Api::all(client);
    let force = PatchParams { force: true, ..PatchParams::default() };
    let error = pods.patch("n", &force, &Patch::Merge(json!({}))).await.unwrap_err();
    assert!(matches!(error, Error::BuildRequest(_)) && error.kind() == ErrorKind::Misuse);
    assert!(matches!(pods.get("").await, Err(Error::BuildRequest(_))));
    assert!(asked.take().is_empty());
}

#[tokio::test]
async fn a_service_that_fails_is_reported_as_such() {
    let service = tower::service_fn(|_: Request<pintle_client::client::Body>| async {
        Err::<http::Response<pintle_client::client::Body>, _>(std::io::Error::other("cable cut"))
    });
    let client = pintle_client::Client::new(service, "home");
    let error = client.apiserver_version().await.unwrap_err();
    assert!(matches!(&error, Error::Service(cause) if cause.to_string() == "cable cut"));
    assert_eq!(error.kind(), ErrorKind::Interrupted);
}

#[tokio::test]
async fn a_slow_answer_holds_up_no_other_call() {
    let (release, released) = tokio::sync::oneshot::channel::<()>();
    let mut first = Some(released);
    let service = tower::service_fn(move |_: Request<pintle_client::client::Body>| {
        let wait = first.take();
        async move {
            if let Some(wait) = wait {
                wait.await.unwrap();
            }
            Ok::<_, std::convert::Infallible>(http::Response::new(pintle_client::client::Body::from(
                POD.as_bytes().to_vec(),
            )))
        }
    });
    let pods: Api<Pod> = Api::all(pintle_client::Client::new(service, "home"));
    let slow = pods.get("slow");
    let quick = async {
        pods.get("quick").await.unwrap();
        release.send(()).unwrap();
    };
    let (slow, ()) = tokio::join!(slow, quick);
    slow.unwrap();
}

/// Compiles only if what a task awaits can move between threads.
#[tokio::test]
async fn calls_and_streams_can_be_spawned() {
    let (client, _) = client(Answer::json(PODS));
    let pods: Api<Pod> = Api::all(client);
    let task = tokio::spawn(async move {
        let mut list = pods.list_packed(&ListParams::default()).await.unwrap();
        while list.next().await.is_some() {}
        let mut watch = pods.watch_packed(&WatchParams::default(), "0").await.unwrap();
        while watch.next().await.is_some() {}
        let watch = pods.watch(&WatchParams::default(), "0").await.unwrap();
        watch.count().await;
        pods.list(&ListParams::default()).await.unwrap().items.len()
    });
    assert_eq!(task.await.unwrap(), 1);
}

#[test]
fn a_client_is_made_outside_a_runtime() {
    let (client, _) = client(Answer::json(POD));
    assert_eq!(client.default_namespace(), "home");
}

#[tokio::test]
async fn a_watch_prints_kubes_url_and_decodes_across_pieces() {
    let body = concat!(
        r#"{"type":"ADDED","object":{"metadata":{"name":"a"}}}"#,
        "\n",
        r#"{"type":"MODIFIED","object":{"metadata":{"name":"a"},"spec":7}}"#,
        "\n",
        r#"{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"9"}}}"#,
        "\n",
        r#"{"type":"ERROR","object":{"kind":"Status","status":"Failure","code":410,"reason":"Expired","message":"old"}}"#,
    );
    for size in [1, 7, 64, 4096] {
        let (client, asked) = client(Answer::json(body).cut(size));
        let pods: Api<Pod> = Api::namespaced(client, "ns");
        let events: Vec<_> = pods.watch(&WatchParams::default(), "0").await.unwrap().collect().await;
        let url =
            "GET /api/v1/namespaces/ns/pods?&watch=true&timeoutSeconds=290&allowWatchBookmarks=true&resourceVersion=0";
        expect(&asked.take(), url, EITHER, "", "");
        let [added, wrong, bookmark, error] = &events[..] else { panic!("{events:?}") };
        assert!(matches!(added, Ok(WatchEvent::Added(pod)) if pod.metadata.name.as_deref() == Some("a")));
        assert!(matches!(wrong, Err(Error::SerdeError(_))), "one bad object does not end the watch");
        assert!(matches!(bookmark, Ok(WatchEvent::Bookmark(mark)) if mark.metadata.resource_version == "9"));
        assert!(matches!(error, Ok(WatchEvent::Error(status)) if status.code == 410));
    }
}

#[tokio::test]
async fn a_metadata_watch_asks_for_metadata() {
    let (client, asked) = client(Answer::json(""));
    let pods: Api<Pod> = Api::namespaced(client, "ns");
    let events: Vec<_> = pods.watch_metadata(&WatchParams::default(), "7").await.unwrap().try_collect().await.unwrap();
    assert!(events.is_empty());
    let url =
        "GET /api/v1/namespaces/ns/pods?&watch=true&timeoutSeconds=290&allowWatchBookmarks=true&resourceVersion=7";
    expect(&asked.take(), url, META, JSON, "");
}

#[tokio::test]
async fn text_is_given_as_it_is() {
    let (good, _) = client(Answer::json("ok").content_type(Some("text/plain")));
    let request = || Request::get("/livez").body(Vec::new()).unwrap();
    assert_eq!(good.request_text(request()).await.unwrap(), "ok");
    let (bad, _) = client(Answer { pieces: vec![vec![0xff]], ..Answer::json("") });
    assert!(matches!(bad.request_text(request()).await, Err(Error::FromUtf8(_))));
}
