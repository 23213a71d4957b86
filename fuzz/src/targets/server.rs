//! Requests to the embedded server: its router, its readers, and every kind of patch.
//!
//! An input is a request: a line with method and path, a line with the media type, the body. For every input: there is an
//! answer; one that refuses is a `Status` with the code of the answer; and afterwards the server still lists what it holds.

use std::sync::LazyLock;

use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use pintle_apiserver::Server;
use serde_json::Value;
use tower::ServiceExt;

use crate::target::{Print, Target};

pub(crate) fn target() -> Target {
    Target {
        name: "server",
        claim: "a request is answered, its refusal is a Status, and the server goes on",
        seeds,
        words: WORDS,
        run,
    }
}

const WORDS: &[&str] = &[
    "GET ",
    "PUT ",
    "POST ",
    "PATCH ",
    "DELETE ",
    "/api/v1/namespaces/default/configmaps/a",
    "/api/v1/namespaces/default/pods/p",
    "/apis/example.com/v1/namespaces/default/things/t",
    "/status",
    "/scale",
    "/eviction",
    "?labelSelector=",
    "?fieldSelector=metadata.name%3D",
    "?limit=1&continue=",
    "?dryRun=All",
    "?fieldValidation=Strict",
    "?fieldManager=f&force=true",
    "?propagationPolicy=Foreground",
    "application/json",
    "application/yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
    "{\"metadata\":",
    "\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",",
    "\"finalizers\":[\"x/y\"]",
    "\"ownerReferences\":[{}]",
    "\"managedFields\":[{}]",
    "\"$patch\":\"replace\"",
    "\"$retainKeys\":[]",
    "\"$setElementOrder/containers\":[{\"name\":\"c\"}]",
    "\"$deleteFromPrimitiveList/finalizers\":[]",
    "{\"op\":\"copy\",\"from\":\"/data\",\"path\":\"/data/x\"}",
    "null",
    "\\ud800",
    "1e999",
    "[[[[[[[[",
    "- a: *b\n",
];

fn seeds() -> Vec<Vec<u8>> {
    let maps = "/api/v1/namespaces/default/configmaps";
    let (pod, thing) = ("/api/v1/namespaces/default/pods/p", "/apis/example.com/v1/namespaces/default/things/t");
    [
        format!("POST {maps}\napplication/json\n{{\"metadata\":{{\"name\":\"b\",\"labels\":{{\"x\":\"y\"}}}}}}"),
        format!("PUT {maps}/a\napplication/yaml\nmetadata:\n  name: a\ndata: {{k: w}}\n"),
        format!("PATCH {maps}/a\napplication/merge-patch+json\n{{\"data\":{{\"k\":null}}}}"),
        format!("PATCH {maps}/a\napplication/json-patch+json\n[{{\"op\":\"test\",\"path\":\"/data/k\",\"value\":\"v\"}}]"),
        format!(
            "PATCH {pod}\napplication/strategic-merge-patch+json\n\
             {{\"spec\":{{\"containers\":[{{\"name\":\"c\",\"image\":\"j\"}}]}}}}"
        ),
        format!(
            "PATCH {thing}?fieldManager=f\napplication/apply-patch+yaml\n\
             {{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\",\"metadata\":{{\"name\":\"t\"}},\"spec\":{{\"size\":2}}}}"
        ),
        format!("PATCH {thing}\napplication/merge-patch+json\n{{\"spec\":{{\"size\":\"large\"}}}}"),
        format!("DELETE {maps}/a\napplication/json\n{{\"propagationPolicy\":\"Orphan\"}}"),
        format!("DELETE {maps}?labelSelector=a%20in%20(b)\n\n"),
        format!("GET {maps}?labelSelector=a%3Db,c&limit=1\n\n"),
        format!("GET {pod}/status?pretty=true\n\n"),
        "GET /apis\n\n".to_owned(),
    ]
    .map(String::into_bytes)
    .into()
}

/// A server that holds an object of each sort; each run has a copy.
static WORLD: LazyLock<Server> =
    LazyLock::new(|| Server::builder().seed(1).build_with(MANIFEST).expect("the manifest is in order"));

fn run(input: &[u8]) -> Print {
    let mut lines = input.splitn(3, |byte| *byte == b'\n');
    let (line, media_type, body) = (text(lines.next()), text(lines.next()), lines.next().unwrap_or_default());
    let (method, path) = line.split_once(' ').unwrap_or(("GET", &line));
    let Ok(method) = method.parse::<Method>() else { return Print::of("no method") };
    let request = Request::builder().method(method.clone()).uri(path).header("content-type", &*media_type);
    let Ok(request) = request.body(Full::from(body.to_vec())) else { return Print::of("no request") };
    if request.uri().query().is_some_and(|query| query.contains("watch")) || path.contains("/watch/") {
        // A watch goes on until it is ended; the framer has a target of its own.
        return Print::of("a watch");
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime without I/O").block_on(async {
        let server = WORLD.fork();
        let (code, reason) = answer(&server, request).await;
        let list = Request::get("/api/v1/namespaces/default/configmaps").body(Full::default());
        let (still, _) = answer(&server, list.expect("a plain request")).await;
        assert_eq!(still, 200, "the server goes on");
        Print::of((code, reason, method.as_str(), WORDS.iter().position(|known| *known == media_type)))
    })
}

/// The code of an answer, and of a refusal its reason.
async fn answer(server: &Server, request: Request<Full<bytes::Bytes>>) -> (u16, String) {
    let response = server.clone().oneshot(request).await.expect("no fault interrupts it");
    let code = response.status().as_u16();
    let is_json = response.headers().get("content-type").is_some_and(|value| value == "application/json");
    let body = response.into_body().collect().await.expect("no fault interrupts it").to_bytes();
    if !is_json || body.is_empty() {
        return (code, String::new());
    }
    let value: Value = serde_json::from_slice(&body).expect("an answer in JSON is JSON");
    if code >= 400 {
        assert_eq!((&value["kind"], &value["code"]), (&"Status".into(), &code.into()), "a refusal is a Status");
        assert!(value["message"].is_string(), "a refusal says why");
    }
    (code, value["reason"].as_str().unwrap_or_default().to_owned())
}

fn text(line: Option<&[u8]>) -> String {
    String::from_utf8_lossy(line.unwrap_or_default()).trim().to_owned()
}

const MANIFEST: &str = r"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                size: {type: integer, minimum: 0, default: 1}
                parts: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}
            status: {type: object, properties: {size: {type: integer}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: default, labels: {a: b}, finalizers: [example.com/f]}
data: {k: v}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default}
spec: {containers: [{name: c, image: i, env: [{name: A, value: '1'}]}]}
---
apiVersion: example.com/v1
kind: Thing
metadata: {name: t, namespace: default}
spec: {size: 1, parts: [{name: x}]}
";
