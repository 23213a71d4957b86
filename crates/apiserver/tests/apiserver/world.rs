//! A server and the few words with which the tests talk to it.

use std::collections::BTreeMap;
use std::pin::Pin;

use bytes::Bytes;
use futures::FutureExt;
use http::{HeaderMap, Request};
use http_body_util::{BodyExt, Full};
use pintle_apiserver::{Body, Interrupted, Server};
use serde_json::{Value, json};
use tower::ServiceExt;

/// Where configmaps of the default namespace live.
pub(crate) const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// Where the definitions of custom resources live.
pub(crate) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// Where documents of the default namespace live, once defined.
pub(crate) const DOCUMENTS: &str = "/apis/example.com/v1/namespaces/default/documents";

/// The spec of a pod, with what every pod has to have.
pub(crate) fn pod_spec(mut spec: Value) -> Value {
    spec["containers"] = json!([{"name": "c", "image": "i"}]);
    spec
}

/// A body that says it is a document where it goes to the documents: custom resources have to.
fn of_its_kind(path: &str, mut body: Value) -> Value {
    let is_silent = body.is_object() && body.get("kind").is_none();
    if path.starts_with("/apis/example.com/") && path.contains("/documents") && is_silent && !path.ends_with("/scale") {
        let version = path.split('/').nth(3).unwrap_or_default();
        body["apiVersion"] = format!("example.com/{version}").into();
        body["kind"] = "Document".into();
    }
    body
}

pub(crate) struct World {
    pub(crate) server: Server,
}

pub(crate) struct Reply {
    pub(crate) code: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    pub(crate) fn message(&self) -> String {
        self.json()["message"].as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    #[track_caller]
    pub(crate) fn expect(self, code: u16) -> Value {
        assert_eq!(self.code, code, "{}", self.text);
        self.json()
    }
}

impl World {
    pub(crate) fn new() -> World {
        World { server: Server::builder().seed(7).build() }
    }

    pub(crate) async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Reply {
        self.try_send(method, path, headers, body).await.unwrap()
    }

    /// Sends a request that a fault may interrupt.
    pub(crate) async fn try_send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> Result<Reply, Interrupted> {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(Bytes::from(body))).unwrap();
        let (parts, body) = self.server.clone().oneshot(request).await?.into_parts();
        let text = String::from_utf8(body.collect().await?.to_bytes().to_vec()).unwrap();
        Ok(Reply { code: parts.status.as_u16(), headers: parts.headers, text })
    }

    /// Sends a request whose answer need not be text.
    pub(crate) async fn bytes(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> (http::response::Parts, Bytes) {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = self.server.clone().oneshot(request.body(Full::new(Bytes::from(body))).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        (parts, body.collect().await.unwrap().to_bytes())
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], Vec::new()).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Reply {
        let body = of_its_kind(path, body);
        self.send("POST", path, &[], body.to_string().into_bytes()).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Reply {
        let body = of_its_kind(path, body.clone());
        self.send("PUT", path, &[], body.to_string().into_bytes()).await
    }

    pub(crate) async fn merge(&self, path: &str, patch: Value) -> Reply {
        self.patch(path, "application/merge-patch+json", &patch).await
    }

    pub(crate) async fn patch(&self, path: &str, content_type: &str, patch: &Value) -> Reply {
        self.send("PATCH", path, &[("content-type", content_type)], patch.to_string().into_bytes()).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Reply {
        self.send("DELETE", path, &[], Vec::new()).await
    }

    pub(crate) async fn delete_with(&self, path: &str, options: Value) -> Reply {
        self.send("DELETE", path, &[], options.to_string().into_bytes()).await
    }

    /// Creates a configmap and returns its resourceVersion.
    pub(crate) async fn map(&self, name: &str) -> String {
        let created = self.post(MAPS, json!({"metadata": {"name": name, "labels": {"app": name}}})).await.expect(201);
        version(&created)
    }

    /// Defines documents, with a status subresource.
    pub(crate) async fn define(&self) {
        self.post(DEFINITIONS, definition()).await.expect(201);
    }

    pub(crate) async fn watch(&self, path: &str) -> Watch {
        self.watch_as(path, "application/json").await
    }

    pub(crate) async fn watch_as(&self, path: &str, accept: &str) -> Watch {
        let request = Request::builder().uri(path).header("accept", accept).body(Full::new(Bytes::new())).unwrap();
        let response = self.server.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), 200);
        Watch { body: Box::pin(response.into_body()), text: String::new(), broken: false }
    }
}

pub(crate) fn definition() -> Value {
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "documents.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"plural": "documents", "kind": "Document", "shortNames": ["doc"]},
            "scope": "Namespaced",
            "versions": [
                {"name": "v1beta1", "served": true, "storage": false, "schema": schema, "subresources": {"status": {}}},
                {"name": "v1", "served": true, "storage": true, "schema": schema, "subresources": {"status": {}}},
            ],
        },
    })
}

pub(crate) fn version(object: &Value) -> String {
    object["metadata"]["resourceVersion"].as_str().unwrap_or_default().to_owned()
}

pub(crate) fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap();
    items.iter().map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}

/// The objects of a list by name, each with the kind and version that the list says for all of them.
pub(crate) fn state_of(list: &Value) -> BTreeMap<String, Value> {
    let kind = list["kind"].as_str().unwrap().strip_suffix("List").unwrap();
    let named = |item: &Value| {
        let mut object = item.clone();
        object["apiVersion"] = list["apiVersion"].clone();
        object["kind"] = kind.into();
        (item["metadata"]["name"].as_str().unwrap().to_owned(), object)
    };
    list["items"].as_array().unwrap().iter().map(named).collect()
}

/// An open watch.
pub(crate) struct Watch {
    body: Pin<Box<Body>>,
    /// What has arrived and is not a whole event yet.
    pub(crate) text: String,
    /// Whether the connection broke.
    pub(crate) broken: bool,
}

impl Watch {
    /// The next event; `None` when the watch has ended.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((line, rest)) = self.text.split_once('\n') {
                let event = serde_json::from_str(line).unwrap();
                self.text = rest.to_owned();
                return Some(event);
            }
            let Ok(frame) = self.body.frame().await? else {
                self.broken = true;
                return None;
            };
            self.text.push_str(std::str::from_utf8(&frame.into_data().unwrap()).unwrap());
        }
    }

    /// The next event as `TYPE name@version`.
    pub(crate) async fn line(&mut self) -> String {
        let Some(event) = self.next().await else {
            return if self.broken { "BROKEN" } else { "END" }.to_owned();
        };
        let metadata = &event["object"]["metadata"];
        let name = metadata["name"].as_str().unwrap_or_default();
        format!(
            "{} {name}@{}",
            event["type"].as_str().unwrap(),
            metadata["resourceVersion"].as_str().unwrap_or_default()
        )
    }

    /// Whether nothing is there to be read now.
    pub(crate) fn is_quiet(&mut self) -> bool {
        self.next().now_or_never().is_none()
    }
}
