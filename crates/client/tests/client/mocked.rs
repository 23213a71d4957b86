//! A `tower_test` mock under the client, as programs written for kube test themselves: the test answers each request.

use http::{Request, Response};
use k8s_openapi::api::core::v1::Pod;
use pintle_client::api::{Api, PostParams, WatchParams};
use pintle_client::client::Body;
use pintle_client::core::{PartialObjectMeta, ResourceExt, WatchEvent};
use pintle_client::{Client, Error};
use serde_json::{Value, json};

type Mock = tower_test::mock::Handle<Request<Body>, Response<Body>>;

fn mocked() -> (Client, Mock) {
    let (service, handle) = tower_test::mock::pair::<Request<Body>, Response<Body>>();
    (Client::new(service, "home"), handle)
}

fn answer(body: &Value) -> Response<Body> {
    Response::new(Body::from(body.to_string().into_bytes()))
}

#[tokio::test]
async fn a_mock_answers_requests_one_by_one() {
    let (client, mut handle) = mocked();
    let server = tokio::spawn(async move {
        let (request, send) = handle.next_request().await.expect("a get");
        assert_eq!(
            (request.method().as_str(), request.uri().to_string().as_str()),
            ("GET", "/api/v1/namespaces/home/pods/a")
        );
        send.send_response(answer(&json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}})));
        let (request, send) = handle.next_request().await.expect("a create");
        assert_eq!(request.uri().to_string(), "/api/v1/namespaces/home/pods?");
        let sent: Value = serde_json::from_slice(&request.into_body().collect_bytes().await.unwrap()).unwrap();
        send.send_response(answer(&sent));
        let (_, send) = handle.next_request().await.expect("another get");
        send.send_error(std::io::Error::from(std::io::ErrorKind::ConnectionReset));
    });
    let pods: Api<Pod> = Api::default_namespaced(client);
    assert_eq!(pods.get("a").await.unwrap().name_any(), "a");
    let pod: Pod = serde_json::from_value(json!({"metadata": {"name": "b"}})).unwrap();
    assert_eq!(pods.create(&PostParams::default(), &pod).await.unwrap().name_any(), "b");
    // A mock is asked once: what it answers is the answer.
    assert!(matches!(pods.get("a").await, Err(Error::Service(_))));
    server.await.unwrap();
}

#[tokio::test]
async fn a_watch_is_read_whatever_its_content_type_says() {
    let (client, mut handle) = mocked();
    tokio::spawn(async move {
        let (_, send) = handle.next_request().await.unwrap();
        let event = json!({"type": "ADDED", "object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}});
        let mut response = answer(&event);
        response.headers_mut().insert("content-type", "text/plain; charset=utf-8".parse().unwrap());
        send.send_response(response);
    });
    let pods: Api<Pod> = Api::default_namespaced(client);
    let mut events = Box::pin(pods.watch(&WatchParams::default(), "0").await.unwrap());
    let event = futures::TryStreamExt::try_next(&mut events).await.unwrap();
    assert!(matches!(event, Some(WatchEvent::Added(pod)) if pod.name_any() == "a"));
}

#[tokio::test]
async fn an_api_of_metadata_asks_for_metadata_alone() {
    use pintle_client::api::{ListParams, Patch, PatchParams};
    let (client, mut handle) = mocked();
    let server = tokio::spawn(async move {
        for _ in 0..5 {
            let (request, send) = handle.next_request().await.unwrap();
            let accept = request.headers()["accept"].to_str().unwrap().to_owned();
            let what = format!("{} {}", request.method(), request.uri());
            assert!(accept.contains("as=PartialObjectMetadata"), "{what}: {accept}");
            let meta =
                json!({"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": {"name": "a"}});
            let list = json!({"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": {}, "items": [meta]});
            let is_list = accept.contains("PartialObjectMetadataList") && !what.contains("watch");
            send.send_response(answer(if is_list { &list } else { &meta }));
        }
    });
    let pods: Api<PartialObjectMeta<Pod>> = Api::default_namespaced(client);
    assert_eq!(pods.get("a").await.unwrap().name_any(), "a");
    assert!(pods.get_opt("a").await.unwrap().is_some());
    assert_eq!(pods.list(&ListParams::default()).await.unwrap().items.len(), 1);
    pods.patch("a", &PatchParams::default(), &Patch::Merge(json!({}))).await.unwrap();
    drop(pods.watch(&WatchParams::default(), "0").await.unwrap());
    server.await.unwrap();
}
