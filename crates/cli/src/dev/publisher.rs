//! The sample controller: every Document owns a ConfigMap with its content, and its status says so.
//!
//! It can crash, with everything that runs in it, and be started again.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use pintle::api::{Api, ObjectMeta, Patch, PatchParams, PostParams};
use pintle::runtime::controller::{Action, Config, Error as ControllerError, Readiness, Watched};
use pintle::runtime::events::{Event as KubeEvent, EventType, Recorder};
use pintle::runtime::finalizer::{self, Event, finalizer};
use pintle::runtime::status::{condition, set_condition};
use pintle::runtime::{Controller, watcher};
use pintle::{Client, Resource, ResourceExt};
use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::document::{Document, DocumentStatus};
use crate::narrator::Narrator;
use crate::stop::Stop;

/// The controller, running or not.
pub(super) struct Publisher {
    client: Client,
    narrator: Narrator,
    stop: Stop,
    running: Option<Running>,
}

struct Running {
    task: JoinHandle<()>,
    readiness: Readiness,
}

/// What the reconciler needs besides the object.
struct Context {
    client: Client,
    recorder: Recorder,
    narrator: Narrator,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Api(#[from] pintle::Error),
    #[error("a Document must live in a namespace")]
    NoNamespace,
    #[error("its content is empty: there is nothing to publish")]
    Empty,
    #[error(transparent)]
    Finalizer(#[from] Box<finalizer::Error<Error>>),
}

/// Holds a Document until what was published is taken back.
const FINALIZER: &str = "example.com/unpublish";
/// A look without a reason, in case something outside was missed.
const ANOTHER_LOOK: Duration = Duration::from_secs(60);

impl Publisher {
    /// One that is running; it finishes when it is time to `stop`.
    pub(super) fn started(client: Client, stop: Stop, narrator: Narrator) -> Self {
        let mut publisher = Self { client, narrator, stop, running: None };
        publisher.start();
        publisher
    }

    pub(super) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    pub(super) fn start(&mut self) {
        let everything = watcher::Config::default();
        let context = Arc::new(Context {
            client: self.client.clone(),
            recorder: Recorder::new(self.client.clone(), "example.com/documents".into()),
            narrator: self.narrator.clone(),
        });
        let controller = Controller::new(Api::<Document>::all(self.client.clone()), everything.clone())
            .owns(Api::<ConfigMap>::all(self.client.clone()), everything)
            .graceful_shutdown_on(self.stop.clone().wait())
            // The narrator says it.
            .with_config(Config::default().log_failures(false));
        let (readiness, narrator) = (controller.readiness(), self.narrator.clone());
        let items = controller.run(reconcile, |_, _, _| Action::backoff(), context);
        let task = tokio::spawn(items.for_each(move |result| {
            match result {
                // The reconciler has reported its own failures.
                Ok(_) | Err(ControllerError::ReconcilerFailed(..)) => {}
                // The view has them with the watches.
                Err(error @ ControllerError::QueueError(_)) => narrator.say_in_lines("trouble", error),
                Err(error) => narrator.trouble("trouble", error),
            }
            std::future::ready(())
        }));
        self.running = Some(Running { task, readiness });
    }

    /// Drops it, with all its watches and whatever it is doing.
    pub(super) fn crash(&mut self) {
        if let Some(running) = self.running.take() {
            running.task.abort();
        }
    }

    /// How its watches are doing; none while it does not run.
    pub(super) fn watches(&self) -> Vec<Watched> {
        self.running.as_ref().map(|running| running.readiness.watches()).unwrap_or_default()
    }

    /// Waits for its end, once it is time to stop.
    pub(super) async fn stop(self) {
        if let Some(running) = self.running {
            drop(running.task.await);
            self.narrator.say("controller", "stopped");
        }
    }
}

/// Reconciles, and reports how that ended.
async fn reconcile(document: Arc<Document>, context: Arc<Context>) -> Result<Action, Error> {
    let began = Instant::now();
    let namespace = document.namespace().ok_or(Error::NoNamespace)?;
    let path = format!("{namespace}/{}", document.name_any());
    let outcome = OnceLock::new();
    let documents: Api<Document> = Api::namespaced(context.client.clone(), &namespace);
    let act = async |event| {
        let (done, action) = match event {
            Event::Apply(document) => {
                (publish(&document, &documents, &namespace, &context).await?, Action::requeue(ANOTHER_LOOK))
            }
            // Nothing lives outside the cluster here, and the ConfigMap goes with its owner.
            Event::Cleanup(_) => ("cleaned up, it may go".to_owned(), Action::await_change()),
        };
        context.narrator.say_in_lines("reconcile", format_args!("{path}: {done}"));
        drop(outcome.set(done));
        Ok(action)
    };
    let done = finalizer(&documents, FINALIZER, document, act).await.map_err(Box::new);
    let result = match &done {
        Ok(_) => Ok(outcome.get().map_or("added its finalizer", String::as_str)),
        Err(error) => Err(in_short(error)),
    };
    context.narrator.reconciled(&path, began.elapsed(), result);
    Ok(done?)
}

/// What went wrong, without the words about where: who reads it knows that.
fn in_short(error: &finalizer::Error<Error>) -> String {
    let cause = match error {
        finalizer::Error::ApplyFailed(cause) | finalizer::Error::CleanupFailed(cause) => cause,
        other => return other.to_string(),
    };
    match cause {
        Error::Api(pintle::Error::Api(status)) => format!("{} {}", status.code, status.message),
        other => other.to_string(),
    }
}

/// Makes ConfigMap and status what they should be, and says what there was to do.
async fn publish(
    document: &Document,
    documents: &Api<Document>,
    namespace: &str,
    context: &Context,
) -> Result<String, Error> {
    if document.spec.content.trim().is_empty() {
        write_status(document, documents, &rejected(document)).await?;
        context.emit(document, EventType::Warning, "Rejected", "its content is empty");
        return Err(Error::Empty);
    }
    let name = document.name_any();
    let maps: Api<ConfigMap> = Api::namespaced(context.client.clone(), namespace);
    let wanted = config_map(document);
    let map_outcome = match maps.get_opt(&name).await? {
        None => {
            maps.create(&PostParams::default(), &wanted).await?;
            context.emit(document, EventType::Normal, "Published", "its ConfigMap was created");
            "created its ConfigMap"
        }
        Some(found) if found.data != wanted.data => {
            let patch = Patch::Merge(json!({ "data": wanted.data }));
            maps.patch(&name, &PatchParams::default(), &patch).await?;
            context.emit(document, EventType::Normal, "Published", "its ConfigMap was updated");
            "updated its ConfigMap"
        }
        Some(_) => "its ConfigMap is right",
    };
    let is_written = write_status(document, documents, &published(document)).await?;
    let status_outcome = if is_written { "wrote its status" } else { "its status too" };
    Ok(format!("{map_outcome}, {status_outcome}"))
}

/// Writes the status if it is another one, and says whether it was.
async fn write_status(document: &Document, documents: &Api<Document>, status: &DocumentStatus) -> Result<bool, Error> {
    if document.status.as_ref() == Some(status) {
        return Ok(false);
    }
    let patch = Patch::Merge(json!({ "status": status }));
    documents.patch_status(&document.name_any(), &PatchParams::default(), &patch).await?;
    Ok(true)
}

fn published(document: &Document) -> DocumentStatus {
    let words = document.spec.content.split_whitespace().count();
    status(document, "Published", words, condition("Ready", true, "Published", "the ConfigMap holds the content"))
}

fn rejected(document: &Document) -> DocumentStatus {
    status(document, "Rejected", 0, condition("Ready", false, "EmptyContent", "give it a content"))
}

fn status(document: &Document, phase: &str, words: usize, ready: Condition) -> DocumentStatus {
    let mut conditions = document.status.as_ref().map(|status| status.conditions.clone()).unwrap_or_default();
    set_condition(&mut conditions, Condition { observed_generation: document.metadata.generation, ..ready });
    DocumentStatus { phase: phase.into(), config_map: document.name_any(), words, conditions }
}

impl Context {
    fn emit(&self, document: &Document, type_: EventType, reason: &str, note: &str) {
        let event = KubeEvent {
            type_,
            reason: reason.to_owned(),
            note: Some(note.to_owned()),
            action: "Publish".to_owned(),
            secondary: None,
        };
        self.recorder.emit(&event, &document.object_ref(&()));
    }
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
