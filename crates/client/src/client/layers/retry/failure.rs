//! What an error says about the tries that failed before the last one.

use std::fmt;

use http::Response;
use thiserror::Error;
use tower::BoxError;

use crate::error_chain::error_chain;

/// The last try failed, and so did others before.
#[derive(Debug, Error)]
#[error("{tries} tries failed: {}{}", error_chain(last.as_ref()), Before(earlier))]
pub(in crate::client) struct GaveUp {
    tries: u32,
    /// What the tries before came to, where that was something else.
    earlier: Vec<String>,
    #[source]
    last: BoxError,
}

impl GaveUp {
    pub(super) fn new(tries: u32, mut earlier: Vec<String>, last: BoxError) -> Self {
        let said = error_chain(last.as_ref());
        earlier.retain(|text| *text != said);
        earlier.dedup();
        Self { tries, earlier, last }
    }

    pub(in crate::client) fn last(&self) -> &BoxError {
        &self.last
    }
}

/// What came before the last try.
struct Before<'a>(&'a [String]);

impl fmt::Display for Before<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " (before that: {})", self.0.join("; ")) }
    }
}

/// What a try came to, in one line.
pub(super) fn describe<R>(result: &Result<Response<R>, BoxError>) -> String {
    match result {
        Ok(response) => format!("the server answered {}", response.status()),
        Err(error) => error_chain(error.as_ref()),
    }
}
