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
//! Both changes are JSON patches that first test what they saw, so somebody else's finalizer is never lost.

use std::fmt::Debug;
use std::sync::Arc;

use futures::future::{TryFuture, TryFutureExt};
use json_patch::jsonptr::PointerBuf;
use json_patch::{AddOperation, PatchOperation, RemoveOperation, TestOperation};
use pintle_client::Api;
use pintle_core::params::{Patch, PatchParams};
use pintle_core::{Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::controller::Action;

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
    #[error("failed to apply object")]
    ApplyFailed(#[source] ReconcileErr),
    /// Cleaning up failed; the object stays until it succeeds.
    #[error("failed to clean up object")]
    CleanupFailed(#[source] ReconcileErr),
    /// The finalizer could not be added, so nothing was applied.
    #[error("failed to add finalizer")]
    AddFinalizer(#[source] pintle_client::Error),
    /// The finalizer could not be removed; clean-up will be run again.
    #[error("failed to remove finalizer")]
    RemoveFinalizer(#[source] pintle_client::Error),
    /// The object has no name.
    #[error("object has no name")]
    UnnamedObject,
    /// The finalizer's name cannot be written into a patch.
    #[error("invalid finalizer")]
    InvalidFinalizer,
}

/// Calls `reconcile` with what is to be done, with the finalizer `finalizer_name` in place while anything needs
/// cleaning up. The name should be of the form `example.com/clean-up`.
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
    let place = obj.finalizers().iter().position(|finalizer| finalizer == finalizer_name);
    let is_deleting = obj.meta().deletion_timestamp.is_some();
    match (place, is_deleting) {
        (Some(_), false) => TryFutureExt::into_future(reconcile(Event::Apply(obj))).await.map_err(Error::ApplyFailed),
        (Some(place), true) => {
            let action =
                TryFutureExt::into_future(reconcile(Event::Cleanup(obj))).await.map_err(Error::CleanupFailed)?;
            let patch = removal(place, finalizer_name);
            match api.patch::<K>(&name, &PatchParams::default(), &Patch::Json(patch)).await {
                Ok(_) => Ok(action),
                // Somebody else removed it, and the object with it.
                Err(pintle_client::Error::Api(status)) if status.is_not_found() => Ok(action),
                Err(error) => Err(Error::RemoveFinalizer(error)),
            }
        }
        (None, false) => {
            let patch = addition(obj.finalizers(), finalizer_name);
            let params = PatchParams::default();
            api.patch::<K>(&name, &params, &Patch::Json(patch)).await.map_err(Error::AddFinalizer)?;
            Ok(Action::await_change())
        }
        (None, true) => Ok(Action::await_change()),
    }
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
