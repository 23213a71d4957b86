//! Clean-up that cannot be missed.
//!
//! ```text
//!   finalizer? │ deleting? │ what happens
//!   no         │ no        │ the finalizer is added; the change wakes the reconciler again
//!   yes        │ no        │ Event::Apply
//!   yes        │ yes       │ Event::Cleanup, then the finalizer is removed
//!   no         │ yes       │ nothing: already cleaned up
//! ```
//!
//! Both changes are JSON patches that first test what they saw, so another finalizer is never lost. In one
//! process a clean-up runs once at a time for each object; one that keeps failing is reported by log and Event, and
//! [`failing_cleanups`] lists them with their age.

mod cleanups;

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::{TryFuture, TryFutureExt};
use json_patch::jsonptr::PointerBuf;
use json_patch::{AddOperation, PatchOperation, RemoveOperation, TestOperation};
use k8s_openapi::api::core::v1::ObjectReference;
use pintle_client::Api;
use pintle_core::params::{Patch, PatchParams};
use pintle_core::{Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::controller::Action;
use crate::events::{self, EventType, Recorder, Reporter};
use crate::reflector::Key;
pub use cleanups::FailingCleanup;
use cleanups::{Running, Which};

/// What to do about an object.
#[derive(Clone, Debug)]
pub enum Event<K> {
    /// Bring it about.
    Apply(Arc<K>),
    /// Clean up after it; it goes once this succeeds.
    Cleanup(Arc<K>),
}

/// Why an object was neither applied nor cleaned up.
#[derive(Debug, thiserror::Error)]
pub enum Error<ReconcileErr>
where
    ReconcileErr: std::error::Error + 'static,
{
    /// Applying failed.
    #[error("failed to apply object: {0}")]
    ApplyFailed(#[source] ReconcileErr),
    /// Cleaning up failed; the object stays until it succeeds.
    #[error("failed to clean up object: {0}")]
    CleanupFailed(#[source] ReconcileErr),
    /// The finalizer could not be added, so nothing was applied.
    #[error("failed to add finalizer: {0}")]
    AddFinalizer(#[source] pintle_client::Error),
    /// The finalizer could not be removed; clean-up will be run again.
    #[error("failed to remove finalizer: {0}")]
    RemoveFinalizer(#[source] pintle_client::Error),
    /// The object has no name.
    #[error("object has no name")]
    UnnamedObject,
    /// The finalizer's name cannot be written into a patch.
    #[error("invalid finalizer")]
    InvalidFinalizer,
}

/// How soon to look again at an object whose clean-up is running elsewhere.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Calls `reconcile` with what is to be done, with the finalizer `finalizer_name` in place while anything needs
/// cleaning up. The name should be of the form `example.com/clean-up`; another is used as it is and warned about once.
///
/// While the clean-up of an object runs, calling this for it again waits a second with [`Action::requeue`] instead of
/// cleaning up twice at once. A clean-up that has failed three times, a minute after the deletion was asked for, is reported
/// in the log and as an Event `CleanupFailing` of the object, and again whenever the age has doubled.
///
/// # Errors
/// When `reconcile` fails, or the finalizer cannot be added or removed.
pub async fn finalizer<K, ReconcileFut>(
    api: &Api<K>,
    finalizer_name: &str,
    obj: Arc<K>,
    reconcile: impl FnOnce(Event<K>) -> ReconcileFut,
) -> Result<Action, Error<ReconcileFut::Error>>
where
    K: Resource + Clone + DeserializeOwned + Serialize + Debug,
    ReconcileFut: TryFuture<Ok = Action>,
    ReconcileFut::Error: std::error::Error + 'static,
{
    let name = obj.meta().name.clone().ok_or(Error::UnnamedObject)?;
    if let Some(advice) = advice(finalizer_name) {
        tracing::warn!(finalizer = finalizer_name, "{advice}");
    }
    let place = obj.finalizers().iter().position(|finalizer| finalizer == finalizer_name);
    let is_deleting = obj.meta().deletion_timestamp.is_some();
    match (place, is_deleting) {
        (Some(_), false) => TryFutureExt::into_future(reconcile(Event::Apply(obj))).await.map_err(Error::ApplyFailed),
        (Some(place), true) => clean_up(api, finalizer_name, place, &name, obj, reconcile).await,
        (None, false) => {
            let patch = addition(obj.finalizers(), finalizer_name);
            let params = PatchParams::default();
            api.patch::<K>(&name, &params, &Patch::Json(patch)).await.map_err(Error::AddFinalizer)?;
            Ok(Action::await_change())
        }
        (None, true) => Ok(Action::await_change()),
    }
}

/// The clean-ups of this process that have failed and not succeeded since, with the age of each deletion: a metric, and
/// what a person wants to know who waits for something to go.
pub fn failing_cleanups() -> Vec<FailingCleanup> {
    cleanups::register().failing(tokio::time::Instant::now())
}

async fn clean_up<K, ReconcileFut>(
    api: &Api<K>,
    finalizer_name: &str,
    place: usize,
    name: &str,
    obj: Arc<K>,
    reconcile: impl FnOnce(Event<K>) -> ReconcileFut,
) -> Result<Action, Error<ReconcileFut::Error>>
where
    K: Resource + Clone + DeserializeOwned + Serialize + Debug,
    ReconcileFut: TryFuture<Ok = Action>,
    ReconcileFut::Error: std::error::Error + 'static,
{
    let Some(running) = Running::begin(which(api, finalizer_name, name, obj.as_ref()), age(obj.as_ref())) else {
        return Ok(Action::requeue(LOOK_AGAIN));
    };
    let action = match TryFutureExt::into_future(reconcile(Event::Cleanup(Arc::clone(&obj)))).await {
        Ok(action) => action,
        Err(error) => {
            if let Some(failing) = running.failed() {
                report(api, obj.as_ref(), &failing);
            }
            return Err(Error::CleanupFailed(error));
        }
    };
    let patch = removal(place, finalizer_name);
    let removed = api.patch::<K>(name, &PatchParams::default(), &Patch::Json(patch)).await;
    match removed {
        Ok(_) => {}
        // Another client removed it, and the object with it.
        Err(pintle_client::Error::Api(status)) if status.is_not_found() => {}
        Err(error) => return Err(Error::RemoveFinalizer(error)),
    }
    running.succeeded();
    Ok(action)
}

fn which<K: Resource>(api: &Api<K>, finalizer: &str, name: &str, object: &K) -> Which {
    let namespace = object.meta().namespace.as_deref().map(Into::into);
    Which {
        // The plural is what a type known only at run time knows here.
        kind: api.resource_url().rsplit('/').next().unwrap_or_default().to_owned(),
        key: Key { namespace, name: name.into() },
        uid: object.meta().uid.clone(),
        finalizer: finalizer.to_owned(),
    }
}

/// How long ago the deletion was asked for.
fn age<K: Resource>(object: &K) -> Duration {
    let deleted = object.meta().deletion_timestamp.as_ref().map(|time| time.0);
    let age = deleted.map(|deleted| jiff::Timestamp::now().duration_since(deleted)).unwrap_or_default();
    // A clock that is behind the server's makes it negative.
    Duration::try_from(age).unwrap_or_default()
}

/// Reports to people that an object cannot go. The error itself is the reconciler's to report: it may hold a secret.
fn report<K: Resource + Clone + Serialize>(api: &Api<K>, object: &K, failing: &FailingCleanup) {
    let FailingCleanup { kind, key, finalizer, failures, age } = failing;
    let seconds = age.as_secs();
    tracing::warn!(
        kind,
        %key,
        finalizer,
        failures,
        seconds,
        "an object cannot go because its clean-up keeps failing: fix what the reconciler's errors say, or remove the \
         finalizer by hand if nothing is left to clean up"
    );
    let (Some(name), Some(uid)) = (&object.meta().name, &object.meta().uid) else { return };
    let reference = ObjectReference {
        name: Some(name.clone()),
        namespace: object.meta().namespace.clone(),
        uid: Some(uid.clone()),
        ..type_of(object)
    };
    let event = events::Event {
        type_: EventType::Warning,
        reason: "CleanupFailing".into(),
        note: Some(format!(
            "clean-up for {finalizer} has failed {failures} times in {seconds} s; the object cannot go"
        )),
        action: "Cleanup".into(),
        secondary: None,
    };
    Recorder::new(api.clone().into_client(), Reporter::from(finalizer.as_str())).emit(&event, &reference);
}

/// The kind of an object, as it is written; nothing else names it here for a type known only at run time.
fn type_of<K: Serialize>(object: &K) -> ObjectReference {
    let written = serde_json::to_value(object).unwrap_or_default();
    let text = |field: &str| written.get(field).and_then(|it| it.as_str()).map(str::to_owned);
    ObjectReference { api_version: text("apiVersion"), kind: text("kind"), ..ObjectReference::default() }
}

/// What to say about a finalizer's name, once: servers warn about one without a domain, and two programs that choose
/// the same word clean up for each other.
fn advice(finalizer: &str) -> Option<&'static str> {
    static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let is_qualified = finalizer
        .split_once('/')
        .is_some_and(|(domain, name)| domain.contains('.') && !name.is_empty() && !name.contains('/'));
    if is_qualified || !SEEN.lock().unwrap_or_else(PoisonError::into_inner).insert(finalizer.to_owned()) {
        return None;
    }
    Some(
        "this finalizer's name is not of the form domain/name, as in example.com/clean-up, so another program may use it",
    )
}

fn addition(present: &[String], finalizer: &str) -> json_patch::Patch {
    let list = PointerBuf::from_tokens(["metadata", "finalizers"]);
    let (seen, add) = if present.is_empty() {
        (serde_json::Value::Null, AddOperation { path: list.clone(), value: vec![finalizer].into() })
    } else {
        let end = PointerBuf::from_tokens(["metadata", "finalizers", "-"]);
        (present.into(), AddOperation { path: end, value: finalizer.into() })
    };
    let test = TestOperation { path: list, value: seen };
    json_patch::Patch(vec![PatchOperation::Test(test), PatchOperation::Add(add)])
}

fn removal(place: usize, finalizer: &str) -> json_patch::Patch {
    let path = PointerBuf::from_tokens(["metadata", "finalizers", &place.to_string()]);
    json_patch::Patch(vec![
        PatchOperation::Test(TestOperation { path: path.clone(), value: finalizer.into() }),
        PatchOperation::Remove(RemoveOperation { path }),
    ])
}
