//! The error of a reconciler that returns whatever can be boxed.

use std::error::Error;
use std::fmt;

/// What a reconciler returned that was run by [`Controller::run_boxed`](crate::controller::Controller::run_boxed). It prints as the
/// error it was made from, and has that one's source.
pub struct BoxedError(Box<dyn Error + Send + Sync>);

impl BoxedError {
    pub(in crate::controller) fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(error.into())
    }

    /// The error it was made from, to be downcast.
    pub fn get(&self) -> &(dyn Error + Send + Sync + 'static) {
        self.0.as_ref()
    }

    /// The same, taken out.
    pub fn into_inner(self) -> Box<dyn Error + Send + Sync> {
        self.0
    }
}

impl fmt::Display for BoxedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for BoxedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Error for BoxedError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}
