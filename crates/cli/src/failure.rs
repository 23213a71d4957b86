//! Why the command ends with 1.

use std::error::Error;
use std::fmt;

/// What could not be done, and why: an error of Pintle says its causes itself.
#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    why: Box<dyn Error + Send + Sync>,
}

impl Failure {
    pub(crate) fn new(what: impl Into<String>, why: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { what: what.into(), why: why.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)
    }
}
