//! The `Document` operator: keeps a ConfigMap with the rendered text of every `Document`.
//!
//! ```text
//!   Document (title, content) ──reconcile──► ConfigMap `<name>-rendered`, owned by the Document
//!            ▲                                   │
//!            └── status: phase, configMap ◄──────┘
//! ```
//!
//! `document --crd` prints the definition to install first: `document --crd | kubectl create -f -`.
//! Deleting a Document runs the clean-up once before the object is removed; the ConfigMap is garbage collected with its owner.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "what it does is shown on the terminal")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, ObjectMeta, Patch, PatchParams, PostParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::finalizer::{Event, finalizer};
use kube::runtime::watcher;
use kube::{Client, CustomResource, CustomResourceExt, Resource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A text to be rendered.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Document")]
#[kube(namespaced, status = "DocumentStatus", shortname = "doc")]
pub struct DocumentSpec {
    /// The heading.
    pub title: String,
    /// The text below it.
    pub content: String,
}

/// The observed state of a `Document`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentStatus {
    /// `Rendered` once the ConfigMap exists.
    pub phase: String,
    /// The name of that ConfigMap.
    pub config_map: String,
}

/// What every reconcile shares.
struct Context {
    client: Client,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Kube(#[from] kube::Error),
    #[error("the finalizer could not be kept: {0}")]
    Finalizer(#[source] Box<kube::runtime::finalizer::Error<Error>>),
    #[error("a Document without {0} did not come from the API server")]
    Incomplete(&'static str),
}

/// The finalizer of this operator: its clean-up runs before a Document is removed.
const FINALIZER: &str = "documents.example.com/cleanup";

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    if std::env::args().any(|argument| argument == "--crd") {
        println!("{}", serde_json::to_string_pretty(&Document::crd())?);
        return Ok(());
    }
    let client = Client::try_default().await?;
    let documents = Api::<Document>::all(client.clone());
    let config_maps = Api::<ConfigMap>::all(client.clone());
    Controller::new(documents, watcher::Config::default())
        .owns(config_maps, watcher::Config::default())
        .shutdown_on_signal()
        .run(reconcile, error_policy, Arc::new(Context { client }))
        .for_each(|result| async move {
            match result {
                Ok((document, _)) => println!("reconciled {document}"),
                Err(error) => eprintln!("{error}"),
            }
        })
        .await;
    Ok(())
}

async fn reconcile(document: Arc<Document>, context: Arc<Context>) -> Result<Action, Error> {
    let namespace = document.namespace().ok_or(Error::Incomplete("a namespace"))?;
    let documents = Api::<Document>::namespaced(context.client.clone(), &namespace);
    let handle = |event| async {
        match event {
            Event::Apply(document) => apply(&document, &namespace, &context).await,
            Event::Cleanup(document) => Ok(clean_up(&document)),
        }
    };
    finalizer(&documents, FINALIZER, document, handle).await.map_err(|error| Error::Finalizer(Box::new(error)))
}

async fn apply(document: &Document, namespace: &str, context: &Context) -> Result<Action, Error> {
    let config_maps = Api::<ConfigMap>::namespaced(context.client.clone(), namespace);
    let desired = rendered(document)?;
    let name = desired.name_any();
    match config_maps.get_opt(&name).await? {
        None => {
            config_maps.create(&PostParams::default(), &desired).await?;
        }
        Some(current) if current.data != desired.data => {
            let patch = Patch::Merge(json!({ "data": desired.data }));
            config_maps.patch(&name, &PatchParams::default(), &patch).await?;
        }
        Some(_) => {}
    }
    set_status(document, namespace, context, DocumentStatus { phase: "Rendered".to_owned(), config_map: name }).await?;
    Ok(Action::requeue(Duration::from_secs(300)))
}

// Only a status that differs is written: a write that changes nothing is still a request.
async fn set_status(
    document: &Document,
    namespace: &str,
    context: &Context,
    status: DocumentStatus,
) -> Result<(), Error> {
    if document.status.as_ref() != Some(&status) {
        let documents = Api::<Document>::namespaced(context.client.clone(), namespace);
        let patch = Patch::Merge(json!({ "status": status }));
        documents.patch_status(&document.name_any(), &PatchParams::default(), &patch).await?;
    }
    Ok(())
}

fn rendered(document: &Document) -> Result<ConfigMap, Error> {
    let owner = document.controller_owner_ref(&()).ok_or(Error::Incomplete("a name and a uid"))?;
    let text = format!("# {}\n\n{}\n", document.spec.title, document.spec.content);
    Ok(ConfigMap {
        metadata: ObjectMeta {
            name: Some(format!("{}-rendered", document.name_any())),
            namespace: document.namespace(),
            owner_references: Some(vec![owner]),
            ..ObjectMeta::default()
        },
        data: Some(BTreeMap::from([("document.md".to_owned(), text)])),
        ..ConfigMap::default()
    })
}

// The ConfigMap is not deleted here: garbage collection does it. Clean up what is outside the cluster here.
fn clean_up(document: &Document) -> Action {
    println!("cleaned up after {}", document.name_any());
    Action::await_change()
}

#[expect(clippy::needless_pass_by_value, reason = "the controller asks for this signature")]
fn error_policy(document: Arc<Document>, error: &Error, _: Arc<Context>) -> Action {
    eprintln!("{}: {error}", document.name_any());
    Action::requeue(Duration::from_secs(5))
}
