//! Why a request cannot be made.
//!
//! Printing a [`Call`](crate::call::Call) and parsing one fail in different ways; these are the ways of printing, under
//! kube's path and with kube's variants, because callers match on them. Parsing has [`call::Error`].

use crate::call;

/// Why a request cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request could not be put together.
    #[error("failed to build request: {0}")]
    BuildRequest(#[source] http::Error),
    /// The body could not be written as JSON.
    #[error("failed to serialize body: {0}")]
    SerializeBody(#[source] serde_json::Error),
    /// The params contradict each other or lack something.
    #[error("failed to validate request: {0}")]
    Validation(String),
}

impl From<call::Error> for Error {
    fn from(error: call::Error) -> Self {
        match error {
            call::Error::BuildRequest(error) => Self::BuildRequest(error),
            call::Error::SerializeBody(error) => Self::SerializeBody(error),
            call::Error::Validation(why) => Self::Validation(why),
            // Only parsing says these.
            parsing => Self::Validation(parsing.to_string()),
        }
    }
}
