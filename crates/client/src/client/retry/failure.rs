//! What is told about the tries that failed before the last one.

use http::Response;
use thiserror::Error;
use tower::BoxError;

use crate::config::explain;

/// The last try failed, and so did others before.
#[derive(Debug, Error)]
#[error("gave up after {tries} tries; before the last one: {}", earlier.join("; "))]
pub(super) struct GaveUp {
    tries: u32,
    earlier: Vec<String>,
    #[source]
    last: BoxError,
}

impl GaveUp {
    pub(super) fn new(tries: u32, mut earlier: Vec<String>, last: BoxError) -> Self {
        earlier.dedup();
        Self { tries, earlier, last }
    }
}

/// What a try came to, in one line.
pub(super) fn describe<R>(result: &Result<Response<R>, BoxError>) -> String {
    match result {
        Ok(response) => format!("the server answered {}", response.status()),
        Err(error) => explain(error.as_ref()),
    }
}
