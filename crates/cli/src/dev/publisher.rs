//! The sample controller: every Document owns a ConfigMap with its content, and its status says so.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, ObjectMeta, Patch, PatchParams, PostParams};
use pintle::runtime::controller::{Action, Config};
use pintle::runtime::finalizer::{self, Event, finalizer};
use pintle::runtime::{Controller, watcher};
use pintle::{Client, Resource, ResourceExt};
use serde_json::json;

use super::document::{Document, DocumentStatus};
use crate::narrator::Narrator;
use crate::stop::Stop;

/// What the reconciler needs besides the object.
struct Context {
    client: Client,
    narrator: Narrator,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Api(#[from] pintle::Error),
    #[error("a Document must live in a namespace")]
    NoNamespace,
    #[error(transparent)]
    Finalizer(#[from] Box<finalizer::Error<Error>>),
}

/// Holds a Document until what was published is taken back.
const FINALIZER: &str = "example.com/unpublish";
/// A look without a reason, in case something outside was missed.
const ANOTHER_LOOK: Duration = Duration::from_secs(300);

/// Runs the controller until it is time to stop.
pub(super) async fn run(client: Client, stop: Stop, narrator: &Narrator) {
    let everything = watcher::Config::default();
    let context = Arc::new(Context { client: client.clone(), narrator: narrator.clone() });
    Controller::new(Api::<Document>::all(client.clone()), everything.clone())
        .owns(Api::<ConfigMap>::all(client), everything)
        .graceful_shutdown_on(stop.wait())
        // The lines below say it.
        .with_config(Config::default().log_failures(false))
        .run(reconcile, |_, _, _| Action::backoff(), context)
        .for_each(async |result| {
            if let Err(error) = result {
                narrator.say("trouble", error);
            }
        })
        .await;
    narrator.say("controller", "stopped");
}

async fn reconcile(document: Arc<Document>, context: Arc<Context>) -> Result<Action, Error> {
    let namespace = document.namespace().ok_or(Error::NoNamespace)?;
    let documents: Api<Document> = Api::namespaced(context.client.clone(), &namespace);
    let act = async |event| match event {
        Event::Apply(document) => publish(&document, &documents, &context).await,
        Event::Cleanup(document) => Ok(unpublish(&document, &context)),
    };
    Ok(finalizer(&documents, FINALIZER, document, act).await.map_err(Box::new)?)
}

async fn publish(document: &Document, documents: &Api<Document>, context: &Context) -> Result<Action, Error> {
    let name = document.name_any();
    let namespace = document.namespace().ok_or(Error::NoNamespace)?;
    let maps: Api<ConfigMap> = Api::namespaced(context.client.clone(), &namespace);
    let wanted = config_map(document);
    let map_outcome = match maps.get_opt(&name).await? {
        None => {
            maps.create(&PostParams::default(), &wanted).await?;
            "created its ConfigMap"
        }
        Some(found) if found.data != wanted.data => {
            let patch = Patch::Merge(json!({ "data": wanted.data }));
            maps.patch(&name, &PatchParams::default(), &patch).await?;
            "updated its ConfigMap"
        }
        Some(_) => "its ConfigMap is right",
    };
    let status = DocumentStatus {
        phase: "Published".into(),
        config_map: name.clone(),
        words: document.spec.content.split_whitespace().count(),
    };
    let status_outcome = if document.status.as_ref() == Some(&status) {
        "its status too"
    } else {
        let patch = Patch::Merge(json!({ "status": status }));
        documents.patch_status(&name, &PatchParams::default(), &patch).await?;
        "wrote its status"
    };
    context.narrator.say("reconcile", format_args!("{namespace}/{name}: {map_outcome}, {status_outcome}"));
    Ok(Action::requeue(ANOTHER_LOOK))
}

/// Nothing lives outside the cluster here, and the ConfigMap goes with its owner.
fn unpublish(document: &Document, context: &Context) -> Action {
    let namespace = document.namespace().unwrap_or_default();
    context.narrator.say("reconcile", format_args!("{namespace}/{}: cleaned up, it may go", document.name_any()));
    Action::await_change()
}

fn config_map(document: &Document) -> ConfigMap {
    let data = [("title", &document.spec.title), ("content", &document.spec.content)];
    ConfigMap {
        metadata: ObjectMeta {
            name: document.metadata.name.clone(),
            owner_references: Some(document.controller_owner_ref(&()).into_iter().collect()),
            ..ObjectMeta::default()
        },
        data: Some(data.into_iter().map(|(key, value)| (key.to_owned(), value.clone())).collect()),
        ..ConfigMap::default()
    }
}
