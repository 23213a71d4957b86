//! What a controller tells of besides its reconciles.

use pintle_core::{DynamicObject, ObjectRef};

use crate::reflector::WriterDropped;
use crate::watcher;

/// Why a reconcile did not succeed, or what stood in its way. The controller goes on after every one of them.
#[derive(Debug, thiserror::Error)]
pub enum Error<ReconcilerErr: 'static, QueueErr: 'static = watcher::Error> {
    /// The object is not in the store.
    #[error("tried to reconcile object {0} that was not found in local store")]
    ObjectNotFound(Box<ObjectRef<DynamicObject>>),
    /// The reconciler returned an error.
    #[error("reconciler for object {1} failed")]
    ReconcilerFailed(#[source] ReconcilerErr, Box<ObjectRef<DynamicObject>>),
    /// A watch had trouble.
    #[error("event queue error")]
    QueueError(#[source] QueueErr),
    /// The reconciler could not be run to its end.
    #[error("runner error")]
    RunnerError(#[source] RunnerError),
}

/// Why a reconciler could not be run to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The store will never be ready.
    #[error("readiness gate failed to become ready")]
    Readiness(#[source] WriterDropped),
    /// It panicked; it will be tried again as after an error.
    #[error("the reconciler panicked on object {0}")]
    Panicked(Box<ObjectRef<DynamicObject>>),
}
