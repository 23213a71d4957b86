//! Errors taken apart the way callers do: without a wildcard, so that a variant more or less does not compile.

use kube::core::{DynamicObject, Status, request};
use kube::runtime::reflector::ObjectRef;
use kube::runtime::{controller, finalizer, watcher};

/// Whether trying again may help.
pub fn sort(error: controller::Error<finalizer::Error<kube::Error>, watcher::Error>) -> bool {
    match error {
        controller::Error::ObjectNotFound(object) => named(&object),
        controller::Error::ReconcilerFailed(error, object) => named(&object) && reconcile(error),
        controller::Error::QueueError(error) => watch(error),
        controller::Error::RunnerError(error) => !error.to_string().is_empty(),
    }
}

fn named(object: &ObjectRef<DynamicObject>) -> bool {
    !object.name.is_empty()
}

fn reconcile(error: finalizer::Error<kube::Error>) -> bool {
    match error {
        finalizer::Error::ApplyFailed(error)
        | finalizer::Error::CleanupFailed(error)
        | finalizer::Error::AddFinalizer(error)
        | finalizer::Error::RemoveFinalizer(error) => call(error),
        finalizer::Error::UnnamedObject | finalizer::Error::InvalidFinalizer => false,
    }
}

fn watch(error: watcher::Error) -> bool {
    match error {
        watcher::Error::InitialListFailed(error)
        | watcher::Error::WatchStartFailed(error)
        | watcher::Error::WatchFailed(error) => call(error),
        watcher::Error::WatchError(status) => refused(&status),
        watcher::Error::NoResourceVersion => false,
    }
}

fn refused(status: &Status) -> bool {
    status.is_conflict() || status.code == 429
}

fn call(error: kube::Error) -> bool {
    match error {
        kube::Error::Api(status) => refused(&status),
        kube::Error::BuildRequest(request::Error::Validation(why)) => why.is_empty(),
        kube::Error::SerdeError(error) => error.is_eof(),
        kube::Error::ReadEvents(error) => error.kind() == std::io::ErrorKind::UnexpectedEof,
        other => other.to_string().contains("timeout"),
    }
}
