//! What is refused, and with which words.

use super::world::{DOCUMENTS, MAPS, World, pod_spec};
use serde_json::json;

#[tokio::test]
async fn what_is_not_built_yet_is_refused_by_name() {
    let world = World::new();
    let pods = "/api/v1/namespaces/default/pods";
    let addresses = json!([{"type": "InternalIP", "address": "192.0.2.1"}]);
    world.post("/api/v1/nodes", json!({"metadata": {"name": "n"}})).await.expect(201);
    world.merge("/api/v1/nodes/n/status", json!({"status": {"addresses": addresses}})).await.expect(200);
    world.post(pods, json!({"metadata": {"name": "p"}, "spec": pod_spec(json!({"nodeName": "n"}))})).await.expect(201);
    let address = json!({"status": {"podIP": "192.0.2.2", "podIPs": [{"ip": "192.0.2.2"}]}});
    world.merge(&format!("{pods}/p/status"), address).await.expect(200);
    let table = [
        ("GET", "/api/v1/nodes/n/proxy".to_owned(), "nodes/proxy"),
        ("GET", format!("{pods}/p/log"), "pods/log"),
        ("POST", format!("{pods}/p/exec"), "pods/exec"),
        ("GET", format!("{pods}/p/proxy"), "pods/proxy"),
    ];
    for (method, path, feature) in table {
        let reply = world.send(method, &path, &[], b"{}".to_vec()).await;
        assert_eq!(reply.code, 501, "{method} {path}: {}", reply.text);
        assert_eq!(reply.json()["reason"], "NotImplemented");
        assert!(
            reply.message().contains(feature) && reply.message().ends_with("is not implemented by this server yet"),
            "{}",
            reply.text
        );
    }
}

#[tokio::test]
async fn a_way_to_a_container_ends_where_kube_apiserver_finds_no_further() {
    let world = World::new();
    let (pods, services) = ("/api/v1/namespaces/default/pods", "/api/v1/namespaces/default/services");
    world.post("/api/v1/nodes", json!({"metadata": {"name": "n"}})).await.expect(201);
    let two = json!([{"name": "c", "image": "i"}, {"name": "d", "image": "i"}]);
    for (name, spec) in [
        ("waiting", pod_spec(json!({}))),
        ("lost", pod_spec(json!({"nodeName": "gone"}))),
        ("placed", pod_spec(json!({"nodeName": "n"}))),
        ("two", json!({"containers": two})),
    ] {
        world.post(pods, json!({"metadata": {"name": name}, "spec": spec})).await.expect(201);
    }
    world.post(services, json!({"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}})).await.expect(201);
    let table = [
        (format!("{pods}/none/log"), 404, "pods \"none\" not found"),
        (format!("{pods}/waiting/log?tailLines=-1"), 422, "tailLines: Invalid value: -1"),
        (format!("{pods}/waiting/log?container=x"), 400, "container x is not valid for pod waiting"),
        (format!("{pods}/two/log"), 400, "a container name must be specified for pod two, choose one of: [c d]"),
        (format!("{pods}/lost/log"), 404, "pods \"gone\" not found"),
        (format!("{pods}/placed/log"), 500, "no preferred addresses found; known addresses: []"),
        (format!("{pods}/waiting/exec?command=ls"), 400, "pod waiting does not have a host assigned"),
        (format!("{pods}/waiting/portforward"), 400, "pod waiting does not have a host assigned"),
        (format!("{pods}/waiting:80/proxy/x"), 400, "address not allowed"),
        (format!("{pods}/ftp:waiting:80/proxy/x"), 400, "invalid pod request \"ftp:waiting:80\""),
        (format!("{pods}/waiting/proxy?dryRun=All"), 400, "dryRun is not supported"),
        (format!("{services}/s/proxy/"), 503, "no endpoints available for service \"s\""),
        (format!("{services}/s:81/proxy/"), 503, "no service port 81 found for service \"s\""),
        (format!("{services}/none:80/proxy/"), 404, "services \"none\" not found"),
        ("/api/v1/nodes/n/proxy/metrics".to_owned(), 500, "no preferred addresses found; known addresses: []"),
    ];
    for (path, code, words) in table {
        let reply = world.get(&path).await;
        assert!(reply.code == code && reply.message().contains(words), "{path}: {}", reply.text);
    }
    let nothing = world.get(&format!("{pods}/waiting/log")).await;
    assert_eq!((nothing.code, nothing.text.as_str()), (204, ""));
}

#[tokio::test]
async fn verbs_and_paths_that_mean_nothing_are_refused() {
    let world = World::new();
    world.define().await;
    let table = [
        ("GET", "/apis/authentication.k8s.io/v1/tokenreviews", 405, "the server does not allow this method"),
        ("DELETE", "/api/v1/namespaces", 405, "the server does not allow this method on the requested resource"),
        ("PUT", MAPS, 405, "the server does not allow this method on the requested resource"),
        (
            "GET",
            "/apis/example.com/v1/namespaces/default/documents/a/scale",
            404,
            "documents.example.com \"a\" not found",
        ),
        (
            "GET",
            "/api/v1/namespaces/default/configmaps/a?timeout=soon",
            400,
            "invalid timeout specified in the request URL - time: invalid duration \"soon\"",
        ),
        (
            "GET",
            "/api/v1/namespaces/default/configmaps?limit=many",
            400,
            "strconv.ParseInt: parsing \"many\": invalid syntax",
        ),
    ];
    for (method, path, code, message) in table {
        let reply = world.send(method, path, &[], vec![]).await;
        assert_eq!(reply.code, code, "{path}: {}", reply.text);
        assert!(reply.message().contains(message), "{}", reply.text);
    }
    for path in ["/api/v1/namespaces/default/nodes", "/api/v1/configmaps/a", "/api/v1/unheard"] {
        assert!(world.get(path).await.message().contains("could not find the requested resource"), "{path}");
    }
    assert_eq!(world.get("/apis/example.com/v1/documents/a").await.text, "404 page not found\n");
}

#[tokio::test]
async fn bodies_are_json_of_a_limited_size() {
    let world = World::new();
    for content_type in ["application/cbor", "text/plain"] {
        let reply = world.send("POST", MAPS, &[("content-type", content_type)], b"k8s\0".to_vec()).await;
        assert_eq!(reply.code, 415);
        assert!(reply.message().starts_with(
            "the body of the request was in an unknown format - accepted media types include: application/json"
        ));
    }
    let status = world.send("POST", MAPS, &[], vec![b' '; 3 * 1024 * 1024 + 1]).await.expect(413);
    assert_eq!(
        (&status["reason"], &status["message"]),
        (&json!("RequestEntityTooLarge"), &json!("Request entity too large: limit is 3145728"))
    );
    assert_eq!(world.send("POST", MAPS, &[("content-type", "application/json")], b"{".to_vec()).await.code, 400);
    let labels = world.post(MAPS, json!({"metadata": {"name": "a", "labels": {"x": 1}}})).await;
    assert_eq!(labels.code, 400, "{}", labels.text);
    let accept = world.send("GET", MAPS, &[("accept", "application/cbor")], vec![]).await;
    assert_eq!(accept.code, 406, "{}", accept.text);
    let operations: Vec<_> = (0..10_001).map(|_| json!({"op": "remove", "path": "/x"})).collect();
    assert_eq!(world.patch(&format!("{MAPS}/a"), "application/json-patch+json", &json!(operations)).await.code, 413);
}

#[tokio::test]
async fn a_head_request_is_a_get_without_a_body_except_of_built_in_kinds() {
    let world = World::new();
    world.define().await;
    for (path, code) in [
        (MAPS.to_owned(), 405),
        (DOCUMENTS.to_owned(), 200),
        (format!("{DOCUMENTS}/none"), 404),
        ("/version".to_owned(), 405),
    ] {
        let reply = world.send("HEAD", &path, &[], vec![]).await;
        assert_eq!((reply.code, reply.text.as_str()), (code, ""), "{path}");
    }
}

#[tokio::test]
async fn a_not_found_status_is_byte_for_byte_kube_apiservers() {
    let reply = World::new().get("/apis/apps/v1/namespaces/default/deployments/x").await;
    assert_eq!(reply.code, 404);
    assert_eq!(
        reply.text,
        r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"deployments.apps \"x\" not found","reason":"NotFound","details":{"name":"x","group":"apps","kind":"deployments"},"code":404}"#
    );
}

#[tokio::test]
async fn only_reads_go_across_namespaces() {
    let world = World::new();
    world.define().await;
    world.map("a").await;
    let body = || b"{\"metadata\":{\"name\":\"b\"}}".to_vec();
    for (path, code) in [("/api/v1/configmaps", 405), ("/apis/example.com/v1/documents", 404)] {
        for method in ["POST", "DELETE"] {
            let reply = world.send(method, path, &[], body()).await;
            assert_eq!(reply.code, code, "{method} {path}: {}", reply.text);
        }
        assert_eq!(world.get(path).await.code, 200);
    }
    assert_eq!(world.get(&format!("{MAPS}/a")).await.code, 200, "and nothing was deleted");
}
