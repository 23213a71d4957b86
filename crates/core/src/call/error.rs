//! Why a call cannot be made or understood.
//!
//! Making fails with what the caller said; parsing with what the other side sent. A server keeps the two kinds of
//! parse errors apart: what is none of the API's paths, and what is one but cannot be answered.

use http::method::Method;

/// Why a call cannot be made or understood.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
    /// The path is none of the API's.
    #[error("{0:?} is not a path of the Kubernetes API")]
    NotAnApiPath(String),
    /// The path is one of the API's, but the method means nothing there.
    #[error("{method} is not possible on {path}")]
    Method {
        /// The HTTP method.
        method: Method,
        /// The path.
        path: String,
    },
    /// A patch of an unknown kind.
    #[error("{0:?} is not a known kind of patch")]
    PatchKind(String),
    /// None of the media types asked for can be served.
    #[error("none of the media types in {0:?} can be served")]
    NotAcceptable(String),
    /// A query parameter has a value that is none.
    #[error("invalid value {value:?} of query parameter {parameter}: {expected} expected")]
    Query {
        /// Which one.
        parameter: &'static str,
        /// What it said.
        value: String,
        /// What it should have said.
        expected: &'static str,
    },
}
