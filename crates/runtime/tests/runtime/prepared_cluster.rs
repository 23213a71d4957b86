//! A cluster of ConfigMaps whose answers are bytes from before anything is counted.
//!
//! In: requests, and what is to happen on the watch. Out: the same list each time, and the frames of the watch. Serving them
//! allocates the response and nothing for an object.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures::StreamExt;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use pintle_client::Client;
use pintle_client::client::Body;
use serde_json::{Value, json};

/// How many objects there are.
pub(crate) const OBJECTS: usize = 200;

/// The cluster; cloning shares it.
#[derive(Clone)]
pub(crate) struct PreparedCluster {
    list: Bytes,
    watches: Arc<Mutex<Vec<UnboundedSender<Bytes>>>>,
}

impl PreparedCluster {
    pub(crate) fn new() -> Self {
        let list = json!({
            "kind": "ConfigMapList", "apiVersion": "v1", "metadata": { "resourceVersion": "5000" },
            "items": (0..OBJECTS).map(|index| config_map(index, 1000)).collect::<Vec<_>>(),
        });
        Self { list: list.to_string().into(), watches: Arc::default() }
    }

    pub(crate) fn client(&self) -> Client {
        let cluster = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            std::future::ready(Ok::<_, Infallible>(cluster.answer(request.uri().query().unwrap_or_default())))
        });
        Client::new(service, "default")
    }

    /// How many watches have been opened so far.
    pub(crate) fn watches(&self) -> usize {
        self.watches.lock().unwrap().len()
    }

    /// Sends frames on the last watch.
    pub(crate) fn send(&self, frames: impl IntoIterator<Item = Bytes>) {
        let watches = self.watches.lock().unwrap();
        frames.into_iter().for_each(|frame| watches.last().unwrap().unbounded_send(frame).unwrap());
    }

    fn answer(&self, query: &str) -> Response<UnsyncBoxBody<Bytes, Infallible>> {
        let body = if query.contains("watch=") {
            let (sender, frames) = unbounded();
            self.watches.lock().unwrap().push(sender);
            StreamBody::new(frames.map(|frame| Ok(Frame::data(frame)))).boxed_unsync()
        } else {
            Full::new(self.list.clone()).boxed_unsync()
        };
        let mut response = Response::new(body);
        response.headers_mut().insert(http::header::CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
        response
    }
}

/// A change of every object.
pub(crate) fn changes() -> Vec<Bytes> {
    let frame = |index| json!({ "type": "MODIFIED", "object": config_map(index, 6000) });
    (0..OBJECTS).map(|index| format!("{}\n", frame(index)).into()).collect()
}

/// The end of a watch whose version is too old: a list is due.
pub(crate) fn expired() -> Bytes {
    let status = json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "reason": "Expired", "code": 410 });
    format!("{}\n", json!({ "type": "ERROR", "object": status })).into()
}

fn config_map(index: usize, versions_from: usize) -> Value {
    let data = |key: &str| format!("the value of {key} in number {index}, with some text as settings have it");
    json!({
        "kind": "ConfigMap", "apiVersion": "v1",
        "metadata": {
            "name": format!("settings-{index:05}"), "namespace": "default", "uid": format!("0f3b1b2a-5c1d-4e8f-9a6b-{index:012}"),
            "resourceVersion": (versions_from + index).to_string(), "labels": { "app": "web", "tier": "front" },
        },
        "data": { "one": data("one"), "two": data("two"), "three": data("three") },
    })
}
