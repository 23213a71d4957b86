//! Where a behaviour plays: a namespace and an API group of its own.
//!
//! In: paths and bodies in which `{ns}` and `{group}` stand for them. Out: answers. What is made outside the namespace is
//! noted and removed at the end.

use std::sync::Mutex;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http::header::{ACCEPT, CONTENT_TYPE};
use pintle::Client;
use pintle::client::Body;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::watch::Watch;

/// A corner of a cluster.
pub(crate) struct Place {
    client: Client,
    namespace: String,
    group: String,
    /// Paths of what was made outside the namespace.
    elsewhere: Mutex<Vec<String>>,
}

/// A request that is being put together.
pub(crate) struct Ask<'a> {
    place: &'a Place,
    builder: http::request::Builder,
    body: Vec<u8>,
}

impl Place {
    /// Makes a namespace with a new name.
    pub(crate) async fn open(client: Client) -> Self {
        let word: String = std::iter::repeat_with(fastrand::lowercase).take(10).collect();
        let place = Self {
            client,
            namespace: format!("suite-{word}"),
            group: format!("{word}.suite.example"),
            elsewhere: Mutex::default(),
        };
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "{ns}"}});
        place.post("/api/v1/namespaces", namespace).await.value(201);
        // What controllers put into it would otherwise appear in the middle of a behaviour; and no pod can be made before.
        for default in ["serviceaccounts/default", "configmaps/kube-root-ca.crt"] {
            let path = format!("/api/v1/namespaces/{{ns}}/{default}");
            place.eventually(default, &path, |answer| answer.code == 200).await;
        }
        place
    }

    /// Removes everything that was made here.
    pub(crate) async fn close(&self) {
        let elsewhere = std::mem::take(&mut *self.elsewhere.lock().expect("nothing panics while holding it"));
        for path in elsewhere {
            drop(self.delete(&path).await);
        }
        drop(self.delete("/api/v1/namespaces/{ns}").await);
    }

    pub(crate) fn namespace(&self) -> &str {
        &self.namespace
    }

    /// `text` with the names of this place.
    pub(crate) fn named(&self, text: &str) -> String {
        text.replace("{ns}", &self.namespace).replace("{group}", &self.group)
    }

    /// Notes an object outside the namespace, to be removed at the end.
    pub(crate) fn remove_later(&self, path: &str) {
        self.elsewhere.lock().expect("nothing panics while holding it").push(path.to_owned());
    }

    pub(crate) fn ask(&self, method: &str, path: &str) -> Ask<'_> {
        let builder = Request::builder().method(method).uri(self.named(path));
        Ask { place: self, builder, body: Vec::new() }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path).send().await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.ask("POST", path).json(&body).send().await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Answer {
        self.ask("PUT", path).json(&body).send().await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.ask("DELETE", path).send().await
    }

    pub(crate) async fn delete_with(&self, path: &str, options: Value) -> Answer {
        self.ask("DELETE", path).json(&options).send().await
    }

    /// A merge patch.
    pub(crate) async fn merge(&self, path: &str, patch: Value) -> Answer {
        self.ask("PATCH", path).typed("application/merge-patch+json", &patch).send().await
    }

    /// A JSON patch.
    pub(crate) async fn operate(&self, path: &str, operations: Value) -> Answer {
        self.ask("PATCH", path).typed("application/json-patch+json", &operations).send().await
    }

    /// A strategic merge patch.
    pub(crate) async fn strategic(&self, path: &str, patch: Value) -> Answer {
        self.ask("PATCH", path).typed("application/strategic-merge-patch+json", &patch).send().await
    }

    /// A server-side apply; the path names the manager.
    pub(crate) async fn apply(&self, path: &str, configuration: Value) -> Answer {
        self.ask("PATCH", path).typed("application/apply-patch+yaml", &configuration).send().await
    }

    /// Opens a watch, which must be granted.
    pub(crate) async fn watch(&self, path: &str) -> Watch {
        self.ask("GET", path).watch().await
    }

    /// Creates a config map with `data` and gives it back.
    pub(crate) async fn config_map(&self, name: &str, data: Value) -> Value {
        self.post(CONFIG_MAPS, config_map(name, data)).await.value(201)
    }

    /// Creates an object; the collection's path is given.
    pub(crate) async fn create(&self, path: &str, object: Value) -> Value {
        self.post(path, object).await.value(201)
    }

    /// Asks again until `holds`, for what a cluster's controllers do in their own time.
    pub(crate) async fn eventually(&self, what: &str, path: &str, holds: impl Fn(&Answer) -> bool) -> Answer {
        self.send_until(what, || self.ask("GET", path), holds).await
    }

    /// Posts again until `holds`, for what a server notices in its own time; nothing may be left behind by a try.
    pub(crate) async fn post_until(
        &self,
        what: &str,
        path: &str,
        body: &Value,
        holds: impl Fn(&Answer) -> bool,
    ) -> Answer {
        self.send_until(what, || self.ask("POST", path).json(body), holds).await
    }

    /// Sends a merge patch again until `holds`.
    pub(crate) async fn merge_until(
        &self,
        what: &str,
        path: &str,
        patch: &Value,
        holds: impl Fn(&Answer) -> bool,
    ) -> Answer {
        self.send_until(what, || self.ask("PATCH", path).typed("application/merge-patch+json", patch), holds).await
    }

    async fn send_until<'a>(
        &'a self,
        what: &str,
        ask: impl Fn() -> Ask<'a>,
        holds: impl Fn(&Answer) -> bool,
    ) -> Answer {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let answer = ask().send().await;
            if holds(&answer) {
                return answer;
            }
            assert!(tokio::time::Instant::now() < deadline, "never came true: {what}; last: {answer}");
            tokio::time::sleep(GLANCE).await;
        }
    }

    /// Defines a kind with the given versions (see [`version`]) and waits until it is served. Its collection in the
    /// namespace is `/apis/{group}/VERSION/namespaces/{ns}/PLURAL`.
    pub(crate) async fn define(&self, kind: &str, versions: Value) -> Value {
        let definition = definition(kind, versions);
        self.define_as(definition).await
    }

    /// Defines a kind as given, and waits until it is served.
    pub(crate) async fn define_as(&self, definition: Value) -> Value {
        let path = format!("{DEFINITIONS}/{}", self.named(definition["metadata"]["name"].as_str().unwrap_or_default()));
        self.post(DEFINITIONS, definition).await.value(201);
        self.remove_later(&path);
        let established = self.eventually("the definition is established", &path, |answer| {
            let conditions = answer.json()["status"]["conditions"].clone();
            let is_established = |c: &Value| c["type"] == "Established" && c["status"] == "True";
            conditions.as_array().is_some_and(|conditions| conditions.iter().any(is_established))
        });
        let established = established.await.value(200);
        let names = &established["spec"]["names"];
        let served = established["spec"]["versions"].as_array().into_iter().flatten();
        for version in served.filter(|version| version["served"] == true) {
            let (version, plural) = (version["name"].as_str().unwrap_or_default(), names["plural"].as_str());
            let path = format!("/apis/{{group}}/{version}/{}?limit=1", plural.unwrap_or_default());
            self.eventually("the kind is served", &path, |answer| answer.code == 200).await;
        }
        established
    }
}

impl Ask<'_> {
    pub(crate) fn header(mut self, name: impl AsRef<str>, value: &str) -> Self {
        self.builder = self.builder.header(name.as_ref(), value);
        self
    }

    pub(crate) fn accept(self, value: &str) -> Self {
        self.header(ACCEPT, value)
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.typed("application/json", body)
    }

    pub(crate) fn typed(self, content_type: &str, body: &Value) -> Self {
        self.text(content_type, &body.to_string())
    }

    pub(crate) fn text(mut self, content_type: &str, body: &str) -> Self {
        self.body = self.place.named(body).into_bytes();
        self.header(CONTENT_TYPE, content_type)
    }

    pub(crate) fn bytes(mut self, content_type: &str, body: &[u8]) -> Self {
        self.body = body.to_vec();
        self.header(CONTENT_TYPE, content_type)
    }

    pub(crate) async fn send(self) -> Answer {
        let (place, response) = (self.place, self.response());
        let response = response.await;
        let (head, body) = response.into_parts();
        let body = body.collect_bytes().await.unwrap_or_else(|error| panic!("the answer broke off: {error}"));
        Answer::new(head, body, (&place.namespace, &place.group))
    }

    pub(crate) async fn watch(self) -> Watch {
        let response = self.response().await;
        let code = response.status().as_u16();
        if code != 200 {
            let body =
                response.into_body().collect_bytes().await.unwrap_or_else(|error| Bytes::from(error.to_string()));
            panic!("the watch is refused with {code}: {}", String::from_utf8_lossy(&body));
        }
        Watch::new(response)
    }

    async fn response(self) -> http::Response<Body> {
        let request = self.builder.body(Body::from(self.body)).expect("the behaviour's own path and headers are valid");
        let path = request.uri().to_string();
        self.place.client.send(request).await.unwrap_or_else(|error| panic!("{path}: {error}"))
    }
}

/// A config map to create.
pub(crate) fn config_map(name: &str, data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

/// A definition in the place's group; the plural is the lower-case kind and an `s`.
pub(crate) fn definition(kind: &str, versions: Value) -> Value {
    let singular = kind.to_lowercase();
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{singular}s.{{group}}")},
        "spec": {
            "group": "{group}",
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": format!("{singular}s"), "singular": singular},
            "versions": versions,
        },
    })
}

/// One served and stored version of a definition, whose `spec` has these properties.
pub(crate) fn version(name: &str, spec: Value) -> Value {
    json!({
        "name": name,
        "served": true,
        "storage": true,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {
            "spec": {"type": "object", "properties": spec},
            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        }}},
    })
}

pub(crate) const CONFIG_MAPS: &str = "/api/v1/namespaces/{ns}/configmaps";
pub(crate) const PODS: &str = "/api/v1/namespaces/{ns}/pods";
pub(crate) const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/{ns}/deployments";
pub(crate) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// A real server holds back the first object of a new kind for 2 s, and removes a namespace in several steps; on a busy machine
/// its controllers have been seen to take 40 s for their first steps.
const PATIENCE: Duration = Duration::from_secs(60);
const GLANCE: Duration = Duration::from_millis(50);
