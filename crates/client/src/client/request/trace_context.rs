//! Which trace a request belongs to, said to the server in headers.
//!
//! The client knows no tracing system: the program gives a function that writes the headers, such as W3C's `traceparent`.
//! It is called within the span of the call, so that the server's spans become its children.

use std::fmt;
use std::sync::Arc;

use http::{HeaderMap, Request};

/// Writes the headers that name the current trace.
#[derive(Clone)]
pub(in crate::client) struct TraceContext(Arc<dyn Fn(&mut HeaderMap) + Send + Sync>);

impl TraceContext {
    pub(in crate::client) fn new(write: impl Fn(&mut HeaderMap) + Send + Sync + 'static) -> Self {
        Self(Arc::new(write))
    }

    /// Writes the headers of the current span. Once more within the span of the call, where there is one: that replaces
    /// what was written before.
    pub(in crate::client) fn write_into<B>(&self, request: &mut Request<B>) {
        (self.0)(request.headers_mut());
    }

    /// Writes them if the request's client asked for it.
    pub(in crate::client) fn write_if_asked<B>(request: &mut Request<B>) {
        if let Some(context) = request.extensions().get::<Self>().cloned() {
            context.write_into(request);
        }
    }
}

impl fmt::Debug for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceContext").finish_non_exhaustive()
    }
}
