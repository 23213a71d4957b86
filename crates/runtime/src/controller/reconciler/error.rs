//! The errors of a controller's stream.

use std::fmt;
use std::time::Duration;

use pintle_core::DynamicObject;
use pintle_core::reference::ObjectRef;

use crate::controller::reconciler::boxed_error::BoxedError;
use crate::controller::reconciler::panics::Panic;
use crate::reflector::WriterDropped;
use crate::watcher;

/// Why a reconcile did not succeed, or what stood in its way. The controller goes on after every one of them.
#[derive(Debug, thiserror::Error)]
pub enum Error<ReconcilerErr: 'static, QueueErr: 'static = watcher::Error> {
    /// The object is not in the store.
    #[error("tried to reconcile object {0} that was not found in local store")]
    ObjectNotFound(Box<ObjectRef<DynamicObject>>),
    /// The reconciler returned an error.
    #[error("reconciler for object {1} failed: {0}")]
    ReconcilerFailed(#[source] ReconcilerErr, Box<ObjectRef<DynamicObject>>),
    /// A watch had trouble.
    #[error("event queue error: {0}")]
    QueueError(#[source] QueueErr),
    /// The reconciler could not be run to its end.
    #[error("runner error: {0}")]
    RunnerError(#[source] RunnerError),
}

/// Why a reconciler could not be run to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The store will never be ready.
    #[error("readiness gate failed to become ready: {0}")]
    Readiness(#[source] WriterDropped),
    /// It panicked, or a function that names whom to reconcile did on this object. A reconcile is tried again as after
    /// an error.
    #[error("the reconciler, or a function it depends on, panicked on object {0}: {1}")]
    Panicked(Box<ObjectRef<DynamicObject>>, Panic),
    /// It ran into its deadline and was ended; it is tried again as after an error.
    #[error("the reconciler did not end on object {0} within {1:?}: see Config::deadline")]
    TimedOut(Box<ObjectRef<DynamicObject>>, Duration),
    /// The controller stopped before it ended; nothing of it goes on.
    #[error(
        "the reconciler was cut off on object {0} because the controller stopped: see Controller::graceful_shutdown_timeout"
    )]
    CutOff(Box<ObjectRef<DynamicObject>>),
}

/// An error that trying again cannot fix: an invalid spec, a missing setting. Where the backoff would try again, an
/// error that is or wraps one (anywhere in its chain of `source()`s) waits for the object to change instead.
///
/// ```
/// # use pintle_runtime::controller::TerminalError;
/// #[derive(Debug, thiserror::Error)]
/// enum Error {
///     #[error("the spec makes no sense")]
///     Invalid(#[source] TerminalError),
/// }
/// let error = Error::Invalid(TerminalError::new("replicas must not be negative"));
/// ```
#[derive(Debug)]
pub struct TerminalError(Mark);

/// What a [`TerminalError`] is known by, as its source: an error that boxes another one under a type of its own, as
/// anyhow's does, has the sources of what it boxes.
#[derive(Debug)]
struct Mark(Box<dyn std::error::Error + Send + Sync>);

impl TerminalError {
    /// Says that trying again cannot fix `error`.
    pub fn new(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(Mark(error.into()))
    }
}

impl fmt::Display for TerminalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.0.fmt(f)
    }
}

impl std::error::Error for TerminalError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("trying again cannot fix it")
    }
}

impl std::error::Error for Mark {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

/// Whether a [`TerminalError`] is at the bottom of `error`.
pub(in crate::controller) fn is_terminal(error: &(dyn std::error::Error + 'static)) -> bool {
    let error = error.downcast_ref::<BoxedError>().map_or(error, |boxed| boxed.get());
    std::iter::successors(Some(error), |error| error.source()).any(<dyn std::error::Error>::is::<Mark>)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("outer")]
    struct Outer<E: std::error::Error + 'static>(#[source] E);

    /// As anyhow hands out what it was made from.
    #[derive(Debug, thiserror::Error)]
    #[error(transparent)]
    struct Disguised(TerminalError);

    #[test]
    fn a_terminal_error_is_found_however_deep() {
        let terminal = || TerminalError::new("no");
        assert!(is_terminal(&terminal()));
        assert!(is_terminal(&Outer(Outer(terminal()))));
        assert!(!is_terminal(&Outer(std::io::Error::other("disk"))));
        assert!(is_terminal(&BoxedError::new(terminal())));
        assert!(is_terminal(&BoxedError::new(Disguised(terminal()))), "boxed under a type that hides it");
        assert_eq!(terminal().to_string(), "no");
    }

    #[test]
    fn every_error_prints_its_object_and_its_cause_once() {
        use crate::watcher;
        let object = || Box::new(ObjectRef::<DynamicObject>::new_with("a", pods()).within("prod"));
        let cause = || Outer(std::io::Error::other("disk"));
        let status = || pintle_core::Status::failure("pods is forbidden", "Forbidden").with_code(403).boxed();
        let errors: [(Error<_, watcher::Error>, &str); 5] = [
            (Error::ReconcilerFailed(cause(), object()), "reconciler for object Pod.v1./a.prod failed: outer"),
            (
                Error::QueueError(watcher::Error::WatchError(status())),
                "event queue error: error returned by apiserver during watch: pods is forbidden: Forbidden",
            ),
            (
                Error::RunnerError(RunnerError::Readiness(WriterDropped)),
                "runner error: readiness gate failed to become ready: the Writer was dropped before the store became ready: nothing fills this store",
            ),
            (
                Error::RunnerError(RunnerError::Panicked(object(), Panic::unknown())),
                "runner error: the reconciler, or a function it depends on, panicked on object Pod.v1./a.prod: a panic without a message",
            ),
            (
                Error::RunnerError(RunnerError::CutOff(object())),
                "runner error: the reconciler was cut off on object Pod.v1./a.prod because the controller stopped: see Controller::graceful_shutdown_timeout",
            ),
        ];
        for (error, printed) in errors {
            assert_eq!(error.to_string(), printed);
        }
    }

    fn pods() -> pintle_core::ApiResource {
        pintle_core::ApiResource::erase::<k8s_openapi::api::core::v1::Pod>(&())
    }
}
