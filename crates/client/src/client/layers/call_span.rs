//! Adds the span of a call, and the call's name to whatever goes wrong.
//!
//! Outside of retry, so that the span holds all tries and the error is about the call as a whole.
//!
//! Everything logged below happens inside a span with verb and URL: kube's by name, with the fields that OpenTelemetry has
//! for a call by HTTP. The query is left out: the arguments of an exec stand there. An error, also one in the middle of the
//! answer, says which call it belongs to and what to do. A call that waits for its answer is logged once.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::future::FutureExt;
use http::Request;
use http_body::{Body as HttpBody, Frame, SizeHint};
use thiserror::Error;
use tower::BoxError;
use tracing::Instrument;

use crate::client::body::Body;
use crate::client::layers::wrapped::{Answer, Inner, WrapsCalls};
use crate::client::reporter::call_name::CallName;
use crate::client::reporter::remedy::remedy;
use crate::client::reporter::{Reporter, WAITING_AFTER};
use crate::client::request::class::RequestClass;
use crate::client::request::info::RequestInfo;
use crate::client::request::trace_context::TraceContext;
use crate::error::{Error, kind_of_service};
use crate::error_chain::error_chain;

/// A call that got no answer, or only the beginning of one.
#[derive(Debug, Error)]
#[error("{call} {}: {}{}", how(*has_begun), error_chain(cause.as_ref()), advice(cause))]
pub(crate) struct Unanswered {
    call: Arc<CallName>,
    has_begun: bool,
    #[source]
    cause: BoxError,
}

impl Unanswered {
    /// A call that its caller has given up.
    pub(in crate::client) fn new(call: CallName, cause: BoxError) -> Self {
        Self { call: Arc::new(call), has_begun: false, cause }
    }

    /// Whether the call would change something.
    pub(crate) fn is_write(&self) -> bool {
        !self.call.method().is_safe()
    }

    /// Whether the server had begun to answer: then it has done what it was asked.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun
    }

    pub(in crate::client) fn cause(&self) -> &BoxError {
        &self.cause
    }
}

fn how(has_begun: bool) -> &'static str {
    if has_begun { "got an answer that broke off" } else { "got no answer" }
}

fn advice(cause: &BoxError) -> String {
    remedy(cause.as_ref()).map_or_else(String::new, |remedy| format!(" ({remedy})"))
}

/// Errors of this crate say themselves what is wrong, and are matched by variant.
fn explain(call: &Arc<CallName>, error: BoxError, has_begun: bool) -> BoxError {
    if error.is::<Error>() {
        return error;
    }
    Box::new(Unanswered { call: call.clone(), has_begun, cause: error })
}

/// Puts calls into spans.
#[derive(Clone)]
pub(in crate::client) struct CallSpanLayer {
    reporter: Arc<Reporter>,
}

impl CallSpanLayer {
    pub(in crate::client) fn new(reporter: Arc<Reporter>) -> Self {
        Self { reporter }
    }
}

impl WrapsCalls for CallSpanLayer {
    fn call<S: Inner>(&self, inner: &mut S, mut request: Request<Body>) -> Answer {
        let (call, class) = (Arc::new(self.reporter.name(&request)), RequestInfo::of(&request).class());
        let span = span(&call, &request);
        let answer = span.in_scope(|| {
            TraceContext::write_if_asked(&mut request);
            inner.call(request)
        });
        let (entered, reporter) = (span.clone(), self.reporter.clone());
        async move {
            let answer = watched(answer, class, &call, &reporter).await;
            let response = answer.map_err(|error| {
                failed(&entered, kind_of_service(error.as_ref()).label());
                explain(&call, error, false)
            })?;
            entered.record("http.response.status_code", response.status().as_u16());
            if response.status().is_client_error() || response.status().is_server_error() {
                failed(&entered, response.status().as_str());
            }
            Ok(response.map(|body| Body::wrap_body(NamedBody { body, call })))
        }
        .instrument(span)
        .boxed()
    }
}

/// kube's span by its name, with the fields of OpenTelemetry's semantic conventions for HTTP clients.
fn span(call: &CallName, request: &Request<Body>) -> tracing::Span {
    let span = tracing::debug_span!(
        "HTTP",
        http.request.method = %call.method(),
        url.full = %call.url(),
        server.address = tracing::field::Empty,
        server.port = tracing::field::Empty,
        http.response.status_code = tracing::field::Empty,
        error.type = tracing::field::Empty,
        otel.name = request.extensions().get::<&'static str>().copied().unwrap_or("HTTP"),
        otel.kind = "client",
        otel.status_code = tracing::field::Empty,
    );
    if let Some((host, port)) = call.address() {
        span.record("server.address", host);
        port.map(|port| span.record("server.port", port));
    }
    span
}

fn failed(span: &tracing::Span, why: &str) {
    span.record("otel.status_code", "ERROR");
    span.record("error.type", why);
}

/// Waits for an answer, and logs it where that takes long. What is open for as long as its reader likes may take its time
/// to begin, too.
async fn watched<T>(answer: impl Future<Output = T>, class: RequestClass, call: &CallName, reporter: &Reporter) -> T {
    if matches!(class, RequestClass::Follow | RequestClass::Upgrade) {
        return answer.await;
    }
    let mut answer = std::pin::pin!(answer);
    match tokio::time::timeout(WAITING_AFTER, answer.as_mut()).await {
        Ok(answer) => answer,
        Err(_) => {
            reporter.waits(call);
            answer.await
        }
    }
}

/// A body whose errors say which call they belong to.
struct NamedBody {
    body: Body,
    call: Arc<CallName>,
}

impl HttpBody for NamedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        Pin::new(&mut self.body).poll_frame(context).map(|frame| {
            frame.map(|frame| {
                frame.map_err(|error| match error {
                    Error::Service(cause) => explain(&self.call, cause, true),
                    Error::HyperError(cause) => explain(&self.call, cause.into(), true),
                    error => error.into(),
                })
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
