//! A program of the cluster that is asked about writes, in this process.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{Request, Response};
use http_body_util::BodyExt;
use pintle_apiserver::{Body, Builder, Server};
use serde_json::{Value, json};

use crate::apiserver::world::World;

/// What it makes of the path and the body of a request: the `response` of a review.
type Answer = dyn Fn(&str, &Value) -> Value + Send + Sync;

/// A webhook, and everything it was asked.
#[derive(Clone)]
pub(crate) struct Program {
    answer: Arc<Answer>,
    slow: BTreeMap<String, Duration>,
    is_jittered: bool,
    reviews: Arc<Mutex<Vec<Review>>>,
}

/// One question.
#[derive(Debug, Clone)]
pub(crate) struct Review {
    pub(crate) url: String,
    pub(crate) body: Value,
}

impl Program {
    pub(crate) fn new(answer: impl Fn(&str, &Value) -> Value + Send + Sync + 'static) -> Program {
        Program { answer: Arc::new(answer), slow: BTreeMap::new(), is_jittered: false, reviews: Arc::default() }
    }

    /// Takes its time on a path.
    pub(crate) fn slow(mut self, path: &str, seconds: u64) -> Program {
        self.slow.insert(path.to_owned(), Duration::from_secs(seconds));
        self
    }

    /// Takes some milliseconds for each answer, so that requests overtake each other.
    pub(crate) fn jittered(mut self) -> Program {
        self.is_jittered = true;
        self
    }

    /// A server that asks it.
    pub(crate) fn world(&self) -> World {
        World { server: self.on(Server::builder().seed(7)).build() }
    }

    pub(crate) fn on(&self, builder: Builder) -> Builder {
        let program = self.clone();
        let service = move |request: Request<Body>| {
            let program = program.clone();
            async move { Ok::<_, Infallible>(program.respond(request).await) }
        };
        builder.webhook_service("https://hooks.test", tower::service_fn(service))
    }

    pub(crate) fn reviews(&self) -> Vec<Review> {
        self.reviews.lock().unwrap().clone()
    }

    pub(crate) async fn respond<B>(&self, request: Request<B>) -> Response<String>
    where
        B: http_body::Body,
        B::Error: std::fmt::Debug,
    {
        let (parts, body) = request.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let review: Value = serde_json::from_slice(&bytes).unwrap();
        self.reviews.lock().unwrap().push(Review { url: parts.uri.to_string(), body: review.clone() });
        if let Some(time) = self.slow.get(parts.uri.path()) {
            tokio::time::sleep(*time).await;
        }
        if self.is_jittered {
            let number = self.reviews.lock().unwrap().len() as u64;
            tokio::time::sleep(Duration::from_millis(number * 7 % 5)).await;
        }
        let answer = (self.answer)(parts.uri.path(), &review);
        let mut whole = answer
            .get("whole")
            .cloned()
            .unwrap_or_else(|| json!({"apiVersion": review["apiVersion"], "kind": review["kind"], "response": answer}));
        if let Some(response) = whole.get_mut("response").and_then(Value::as_object_mut) {
            response.entry("uid").or_insert_with(|| review["request"]["uid"].clone());
        }
        let text = whole.as_str().map_or_else(|| whole.to_string(), str::to_owned);
        let code = answer.get("http").and_then(Value::as_u64).unwrap_or(200);
        let response =
            Response::builder().status(u16::try_from(code).unwrap()).header("content-type", "application/json");
        response.body(text).unwrap()
    }
}

/// A webhook that is asked about every write of a ConfigMap.
pub(crate) fn hook(name: &str) -> Value {
    json!({
        "name": format!("{name}.example.com"),
        "clientConfig": {"url": format!("https://hooks.test/{name}")},
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["*"]}],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    })
}

pub(crate) fn mutating(name: &str, hooks: &[Value]) -> Value {
    json!({"metadata": {"name": name}, "webhooks": hooks})
}

pub(crate) fn validating(name: &str, hooks: &[Value]) -> Value {
    json!({"metadata": {"name": name}, "webhooks": hooks})
}

/// The answer that patches an object.
pub(crate) fn patch(operations: &Value) -> Value {
    use base64::Engine as _;
    let patch = base64::engine::general_purpose::STANDARD.encode(operations.to_string());
    json!({"allowed": true, "patchType": "JSONPatch", "patch": patch})
}
