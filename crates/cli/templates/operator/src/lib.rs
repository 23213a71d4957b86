//! An operator for `Database`s.
//!
//! ```text
//!   Database (image, replicas) ──reconcile──► Deployment of the same name, owned by it
//!        ▲                                        │ number of available replicas
//!        └── status.conditions: Ready ◄───────────┘
//! ```
//!
//! A reconcile compares the current state with the desired state and closes the gap. It receives
//! the object, not what happened to it: it may run twice, late, or after a restart, with the same
//! outcome.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{Container, PodSpec, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, LabelSelector};
use pintle::api::{Api, ObjectMeta, Patch, PatchParams};
use pintle::manager::Manager;
use pintle::runtime::controller::Action;
use pintle::runtime::finalizer::{self, Event, finalizer};
use pintle::runtime::status::{condition, set_condition};
use pintle::runtime::watcher;
use pintle::{Client, CustomResource, Resource, ResourceExt};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

// deploy/crd.yaml is generated from these types and their documentation, which `kubectl explain`
// shows. After a change, update it with `UPDATE_DEPLOY=1 cargo test deploy`.

/// The desired state.
#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1alpha1", kind = "Database", plural = "databases")]
#[kube(namespaced, status = "DatabaseStatus")]
#[kube(printcolumn = r#"{"name": "Image", "type": "string", "jsonPath": ".spec.image"}"#)]
#[kube(printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"}"#)]
#[kube(printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#)]
pub struct DatabaseSpec {
    /// The image to run.
    #[schemars(length(min = 1))]
    pub image: String,
    /// The number of pods.
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 100))]
    pub replicas: i32,
}

fn one() -> i32 {
    1
}

/// The observed state.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct DatabaseStatus {
    /// `Ready` is true while all replicas are available and up to date.
    #[serde(default)]
    #[schemars(schema_with = "conditions_schema")]
    pub conditions: Vec<Condition>,
}

/// Identifies the fields that this operator has set, in `metadata.managedFields`.
const FIELD_MANAGER: &str = "database-operator";

/// Keeps an object until [`clean_up`] has succeeded.
const FINALIZER: &str = "databases.example.com/clean-up";

pub type Error = finalizer::Error<pintle::Error>;

/// Adds this operator to `manager`. The binary and the tests both call this, so they run the same
/// code.
pub fn add_to(manager: &Manager) {
    let client = manager.client();
    let controller = manager
        .controller(Api::<Database>::all(client.clone()), watcher::Config::default())
        // A change of a Deployment, or its deletion, reconciles its owner.
        .owns(Api::<Deployment>::all(client.clone()), watcher::Config::default())
        // An error is logged, counted, and retried with growing delays.
        .run(reconcile, |_, _, _| Action::backoff(), Arc::new(client));
    manager.add_controller(controller);
}

async fn reconcile(object: Arc<Database>, client: Arc<Client>) -> Result<Action, Error> {
    let client = Client::clone(&client);
    let namespace = object.namespace().unwrap_or_default();
    let objects = Api::<Database>::namespaced(client.clone(), &namespace);
    let deployments = Api::<Deployment>::namespaced(client, &namespace);
    finalizer(&objects, FINALIZER, object, async |event| match event {
        Event::Apply(object) => apply(&object, &objects, &deployments).await,
        Event::Cleanup(object) => clean_up(&object).await,
    })
    .await
}

async fn apply(
    object: &Database,
    objects: &Api<Database>,
    deployments: &Api<Deployment>,
) -> Result<Action, pintle::Error> {
    let name = object.name_any();
    // Server-side apply creates or updates it, and leaves the fields of others alone. If nothing
    // differs, nothing is written, so this does not trigger another reconcile.
    let params = PatchParams::apply(FIELD_MANAGER).force();
    let deployment = deployments.patch(&name, &params, &Patch::Apply(deployment(object))).await?;

    let mut status = object.status.clone().unwrap_or_default();
    if set_condition(&mut status.conditions, ready(object, &deployment)) {
        let patch = Patch::Merge(json!({ "status": status }));
        objects.patch_status(&name, &PatchParams::default(), &patch).await?;
    }
    // A change of either triggers the next reconcile; `Action::requeue` is for what is not watched.
    Ok(Action::await_change())
}

/// Delete here what is outside the cluster: a DNS record, a bucket, an account. The object stays
/// until this succeeds, so it may run more than once. The Deployment has an owner reference: the
/// garbage collector deletes it.
async fn clean_up(object: &Database) -> Result<Action, pintle::Error> {
    tracing::info!(object = object.name_any(), "cleaned up");
    Ok(Action::await_change())
}

/// The desired Deployment, with only the fields that this operator sets.
fn deployment(object: &Database) -> Deployment {
    let labels = BTreeMap::from([
        ("app.kubernetes.io/managed-by".to_owned(), FIELD_MANAGER.to_owned()),
        ("app.kubernetes.io/instance".to_owned(), object.name_any()),
    ]);
    let container = Container {
        name: "main".to_owned(),
        image: Some(object.spec.image.clone()),
        ..Container::default()
    };
    Deployment {
        metadata: ObjectMeta {
            name: object.metadata.name.clone(),
            namespace: object.metadata.namespace.clone(),
            labels: Some(labels.clone()),
            owner_references: object.controller_owner_ref(&()).map(|owner| vec![owner]),
            ..ObjectMeta::default()
        },
        spec: DeploymentSpec {
            replicas: Some(object.spec.replicas),
            selector: LabelSelector {
                match_labels: Some(labels.clone()),
                ..LabelSelector::default()
            },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta { labels: Some(labels), ..ObjectMeta::default() }),
                spec: Some(PodSpec { containers: vec![container], ..PodSpec::default() }),
            },
            ..DeploymentSpec::default()
        },
        ..Deployment::default()
    }
}

/// The condition `Ready`, for this generation of the object.
fn ready(object: &Database, deployment: &Deployment) -> Condition {
    let wanted = object.spec.replicas;
    let status = deployment.status.clone().unwrap_or_default();
    // Until its controller has seen the newest generation, a Deployment reports on the one before.
    let is_current = status.observed_generation >= deployment.metadata.generation;
    let available = status.available_replicas.unwrap_or(0);
    let is_updated = status.updated_replicas.unwrap_or(0) == wanted;
    let is_ready = is_current && is_updated && available == wanted;
    let reason = if is_ready { "Available" } else { "Progressing" };
    let message = format!("{available} of {wanted} replicas are available");
    let mut ready = condition("Ready", is_ready, reason, &message);
    ready.observed_generation = object.metadata.generation;
    ready
}

/// The schema that Kubernetes has for conditions: a map by type, so that writers of different types
/// do not overwrite each other.
fn conditions_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
        "items": {
            "type": "object",
            "required": ["type", "status", "lastTransitionTime", "reason", "message"],
            "properties": {
                "type": { "type": "string", "maxLength": 316 },
                "status": { "type": "string", "enum": ["True", "False", "Unknown"] },
                "observedGeneration": { "type": "integer", "format": "int64", "minimum": 0 },
                "lastTransitionTime": { "type": "string", "format": "date-time" },
                "reason": { "type": "string", "minLength": 1, "maxLength": 1024 },
                "message": { "type": "string", "maxLength": 32768 },
            },
        },
    })
}
