//! What a controller tells of besides its reconciles.

use std::fmt;
use std::time::Duration;

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
    #[error("the reconciler, or a function it depends on, panicked on object {0}")]
    Panicked(Box<ObjectRef<DynamicObject>>),
    /// It ran into its deadline and was ended; it is tried again as after an error.
    #[error("the reconciler did not end on object {0} within {1:?}: see Config::deadline")]
    TimedOut(Box<ObjectRef<DynamicObject>>, Duration),
}

/// An error that trying again cannot mend: an invalid spec, a missing setting. Where the backoff would try again, an
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
pub struct TerminalError(Box<dyn std::error::Error + Send + Sync>);

impl TerminalError {
    /// Says that trying again cannot mend `error`.
    pub fn new(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}

impl fmt::Display for TerminalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for TerminalError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

/// Whether a [`TerminalError`] is at the bottom of `error`.
pub(super) fn is_terminal(error: &(dyn std::error::Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| error.source()).any(<dyn std::error::Error>::is::<TerminalError>)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("outer")]
    struct Outer<E: std::error::Error + 'static>(#[source] E);

    #[test]
    fn a_terminal_error_is_found_however_deep() {
        let terminal = || TerminalError::new("no");
        assert!(is_terminal(&terminal()));
        assert!(is_terminal(&Outer(Outer(terminal()))));
        assert!(!is_terminal(&Outer(std::io::Error::other("disk"))));
        assert_eq!(terminal().to_string(), "no");
    }
}
