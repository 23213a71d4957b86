//! Both servers, asked the same at the same time.
//!
//! In: requests. Out: a recording of each server, masked together, so that step by step one can compare.

use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http_body_util::Full;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::manifests::Manifest;
use crate::endpoint::Endpoint;
use crate::exchange::{Answer, Exchange};
use crate::run::{Recording, Stream, encode};
use crate::script::{Needs, Reading};
use crate::server::{Running, Which};

/// Real Kubernetes and the embedded server.
pub(super) struct Pair {
    kube: Running,
    embedded: Running,
}

/// A request, before it is known whom it is for.
#[derive(Clone)]
pub(super) struct Ask {
    pub(super) title: &'static str,
    method: &'static str,
    target: String,
    accept: &'static str,
    media_type: &'static str,
    body: Option<Value>,
}

impl Ask {
    pub(super) fn get(target: &str) -> Ask {
        Ask { title: "get", method: "GET", target: target.to_owned(), accept: JSON, media_type: JSON, body: None }
    }

    pub(super) fn post(target: &str, body: Value) -> Ask {
        Ask { title: "create", method: "POST", body: Some(body), ..Ask::get(target) }
    }

    pub(super) fn put(target: &str, body: Value) -> Ask {
        Ask { title: "replace", method: "PUT", body: Some(body), ..Ask::get(target) }
    }

    pub(super) fn patch(target: &str, media_type: &'static str, body: Value) -> Ask {
        Ask { title: "patch", method: "PATCH", media_type, body: Some(body), ..Ask::get(target) }
    }

    pub(super) fn delete(target: &str, body: Value) -> Ask {
        Ask { title: "delete", method: "DELETE", body: Some(body), ..Ask::get(target) }
    }

    pub(super) fn titled(self, title: &'static str) -> Ask {
        Ask { title, ..self }
    }

    pub(super) fn into_table(self) -> Ask {
        Ask { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json", ..self }
    }

    fn http(&self) -> Result<http::Request<Full<Bytes>>, String> {
        let body = self.body.as_ref().map(Value::to_string).unwrap_or_default();
        let mut request = http::Request::builder().method(self.method).uri(encode(&self.target));
        request = request.header(USER_AGENT, "twin/1").header(ACCEPT, self.accept);
        if self.body.is_some() {
            request = request.header(CONTENT_TYPE, self.media_type);
        }
        request
            .body(Full::from(body))
            .map_err(|error| format!("{} {} cannot be sent: {error}", self.method, self.target))
    }
}

/// When a watch has seen all.
pub(super) enum WatchEnd {
    /// Once the object is gone.
    Deleted,
    /// At no event: the object stays.
    Stays,
    /// At once: nothing was written.
    Nothing,
}

/// One server in the course of one object, and what it has answered.
pub(super) struct Course<'a> {
    endpoint: &'a Endpoint,
    watch: Option<Stream>,
    exchanges: Vec<Exchange>,
}

impl<'a> Course<'a> {
    /// Sends a request and records its answer, which it returns, too.
    pub(super) async fn ask(&mut self, ask: &Ask) -> Result<Answer, String> {
        let answer = send(self.endpoint, ask).await?;
        self.record(ask.title, ask.method.to_owned(), answer.clone());
        Ok(answer)
    }

    /// Sends a request whose answer is not compared.
    pub(super) async fn ask_aside(&self, ask: &Ask) -> Result<Answer, String> {
        send(self.endpoint, ask).await
    }

    /// Opens a watch, whose events are recorded at the end.
    pub(super) async fn watch(&mut self, target: &str) -> Result<(), String> {
        let (answer, stream) = Stream::open(self.endpoint, Ask::get(target).http()?).await?;
        self.watch = (answer.status == Some(200)).then_some(stream);
        Ok(())
    }

    /// Records what the watch has seen.
    pub(super) async fn end_watch(&mut self, end: WatchEnd) {
        let Some(mut stream) = self.watch.take() else { return };
        match end {
            WatchEnd::Deleted => stream.read_until(EVENTS_MAX, |event| event["type"] == "DELETED").await,
            WatchEnd::Stays => drop(stream.read(Reading::For(EVENTS_MAX)).await),
            WatchEnd::Nothing => drop(stream.read(Reading::For(Duration::ZERO)).await),
        }
        let mut body = stream.take();
        body.drop_passing_bookmarks();
        self.record("watch", "WATCH".to_owned(), Answer { body, ..Answer::default() });
    }

    fn record(&mut self, title: &str, asked: String, mut answer: Answer) {
        fold_warnings(&mut answer.headers);
        let whole = answer.body.clone();
        self.exchanges.push(Exchange { title: title.to_owned(), asked, answer, whole });
    }

    pub(super) fn recording(self) -> Recording {
        Recording { namespace: NO_NAMESPACE.to_owned(), passing: Vec::new(), exchanges: self.exchanges }
    }
}

impl Pair {
    pub(super) async fn start() -> Result<Pair, String> {
        let start = |which| async move { Running::start(&which, Needs::default(), "twin").await };
        let (kube, embedded) = tokio::try_join!(start(Which::Kube), start(Which::Embedded))?;
        Ok(Pair { kube, embedded })
    }

    pub(super) async fn stop(self) {
        self.kube.stop().await;
        self.embedded.stop().await;
    }

    /// A course on each: real Kubernetes first.
    pub(super) fn courses(&self) -> [Course<'_>; 2] {
        [&self.kube, &self.embedded].map(|server| Course {
            endpoint: &server.endpoint,
            watch: None,
            exchanges: Vec::new(),
        })
    }

    /// What real Kubernetes answers.
    pub(super) async fn kube(&self, ask: &Ask) -> Result<Answer, String> {
        send(&self.kube.endpoint, ask).await
    }

    /// Makes the namespaces that manifests name, where they are missing.
    pub(super) async fn make_namespaces(&self, manifests: &[Manifest]) -> Result<(), String> {
        let names: std::collections::BTreeSet<&str> = manifests
            .iter()
            .map(|manifest| manifest.text("/metadata/namespace"))
            .filter(|name| !name.is_empty())
            .collect();
        for name in names {
            let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
            let ask = Ask::post("/api/v1/namespaces", body);
            tokio::try_join!(send(&self.kube.endpoint, &ask), send(&self.embedded.endpoint, &ask))?;
        }
        Ok(())
    }

    /// Waits until both answer with 200.
    pub(super) async fn await_success(&self, target: &str) -> Result<(), String> {
        for server in [&self.kube, &self.embedded] {
            for _ in 0..READY_TRIES {
                if send(&server.endpoint, &Ask::get(target)).await?.status == Some(200) {
                    break;
                }
                sleep(READY_PAUSE).await;
            }
        }
        Ok(())
    }
}

async fn send(endpoint: &Endpoint, ask: &Ask) -> Result<Answer, String> {
    let (mut answer, mut stream) = Stream::open(endpoint, ask.http()?).await?;
    stream.read(Reading::ToTheEnd).await;
    answer.body = stream.take();
    Ok(answer)
}

/// Masking sorts headers; the order of warnings is compared, so they become one.
fn fold_warnings(headers: &mut Vec<(String, String)>) {
    let warnings: Vec<String> =
        headers.iter().filter(|(name, _)| name == "warning").map(|(_, value)| value.clone()).collect();
    headers.retain(|(name, _)| name != "warning");
    if !warnings.is_empty() {
        headers.push(("warning".to_owned(), warnings.join("\n")));
    }
}

const JSON: &str = "application/json";

/// Manifests name their namespaces, which are not masked; no name holds this.
const NO_NAMESPACE: &str = "\0";

/// A new kind is served within moments, by the real server too.
const READY_TRIES: usize = 100;
const READY_PAUSE: Duration = Duration::from_millis(100);

/// An event that is due comes within milliseconds; one that does not come shows a difference.
const EVENTS_MAX: Duration = Duration::from_secs(2);
