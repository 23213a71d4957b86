//! The small cluster around the server: what its controllers do, with time that the test moves.

#![expect(clippy::needless_pass_by_value, reason = "a call reads best with its JSON in place")]

mod batch;
#[cfg(feature = "serve")]
mod certificates;
mod daemons;
mod pods;
#[cfg(feature = "serve")]
mod processes;
mod rollouts;
mod services;
mod stateful;

use std::time::Duration;

use super::world::{World, names};
use pintle_apiserver::{Controllers, Server};
use serde_json::{Value, json};

pub(super) const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
pub(super) const SETS: &str = "/apis/apps/v1/namespaces/default/replicasets";
pub(super) const PODS: &str = "/api/v1/namespaces/default/pods";
pub(super) const JOBS: &str = "/apis/batch/v1/namespaces/default/jobs";
pub(super) const EVENTS: &str = "/api/v1/namespaces/default/events";

/// A server with all controllers.
pub(super) fn cluster() -> World {
    World { server: Server::builder().seed(7).controllers(Controllers::all()).build() }
}

/// A pod template with annotations.
pub(super) fn template(image: &str, annotations: Value) -> Value {
    json!({
        "metadata": {"labels": {"app": "web"}, "annotations": annotations},
        "spec": {"containers": [{"name": "main", "image": image, "ports": [{"name": "http", "containerPort": 8080}]}]},
    })
}

pub(super) fn condition<'a>(object: &'a Value, kind: &str) -> &'a str {
    let conditions = object["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    conditions.iter().find(|it| it["type"] == kind).and_then(|it| it["status"].as_str()).unwrap_or_default()
}

pub(super) fn reason<'a>(object: &'a Value, kind: &str) -> &'a str {
    let conditions = object["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    conditions.iter().find(|it| it["type"] == kind).and_then(|it| it["reason"].as_str()).unwrap_or_default()
}

impl World {
    pub(super) async fn items(&self, path: &str) -> Vec<Value> {
        self.get(path).await.expect(200)["items"].as_array().cloned().unwrap_or_default()
    }

    pub(super) async fn names_at(&self, path: &str) -> Vec<String> {
        names(&self.get(path).await.expect(200))
    }

    /// Lets time pass; the server's own timers come due on the way.
    pub(super) async fn pass(&self, seconds: u64) {
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        self.server.settle().await;
    }

    /// The reasons of the events about an object.
    pub(super) async fn reasons(&self, name: &str) -> Vec<String> {
        let events = self.items(EVENTS).await;
        let of = events.iter().filter(|event| event["involvedObject"]["name"] == name);
        let mut reasons: Vec<String> = of.map(|event| event["reason"].as_str().unwrap().to_owned()).collect();
        reasons.sort();
        reasons.dedup();
        reasons
    }
}
