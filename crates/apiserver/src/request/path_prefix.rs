//! The beginning of a path behind which a server is found, where it shares an address with others.
//!
//! It is taken off before a request is routed, and left among the request's extensions for the few answers that name a path from
//! the root of the host.

use std::sync::Arc;

use http::request::Parts;

/// The beginning of a path, such as `/workspaces/a`.
#[derive(Clone, Debug)]
pub(crate) struct PathPrefix(pub(crate) Arc<str>);

impl PathPrefix {
    /// That of a request; empty where there is none.
    pub(crate) fn of(parts: &Parts) -> &str {
        parts.extensions.get::<PathPrefix>().map_or("", |prefix| &prefix.0)
    }
}
