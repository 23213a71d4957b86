//! The span of one try of a call, and the warnings that come with its answer.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures::future::{BoxFuture, FutureExt};
use http::header::{HeaderMap, WARNING};
use http::{Request, Response};
use tokio::time::Instant;
use tower::{BoxError, Service};
use tracing::Instrument;

use super::body::Body;
use super::reporter::{Outcome, Reporter};
use crate::config::{Warning, WarningHandler};
use crate::error_chain::error_chain;

/// How many texts are remembered as told. A cluster has a few dozen; one that makes them up must not fill the memory.
const TOLD_MAX: usize = 1000;

/// The service around one try.
#[derive(Clone)]
pub(super) struct Attempted<S> {
    pub(super) inner: S,
    pub(super) warnings: Arc<Warnings>,
    pub(super) reporter: Arc<Reporter>,
}

impl<S> Service<Request<Body>> for Attempted<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = BoxError>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Response<Body>, BoxError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let span = tracing::trace_span!("attempt");
        let (warnings, reporter, call) = (self.warnings.clone(), self.reporter.clone(), self.reporter.name(&request));
        let answer = span.in_scope(|| self.inner.call(request));
        async move {
            let started = Instant::now();
            let answer = answer.await;
            match &answer {
                Ok(response) => {
                    tracing::debug!(status = response.status().as_u16(), elapsed = ?started.elapsed(), "answered");
                    warnings.take(response.headers());
                }
                Err(error) => {
                    let error = error.as_ref();
                    tracing::debug!(error = error_chain(error), elapsed = ?started.elapsed(), "failed");
                    reporter.failed(&call, error, Outcome::Try);
                }
            }
            answer
        }
        .instrument(span)
        .boxed()
    }
}

/// What is done with warnings, and which were told already.
pub(super) struct Warnings {
    handler: WarningHandler,
    told: Mutex<HashSet<String>>,
}

impl Warnings {
    pub(super) fn new(handler: WarningHandler) -> Self {
        Self { handler, told: Mutex::default() }
    }

    fn take(&self, headers: &HeaderMap) {
        for value in headers.get_all(WARNING) {
            let Some(warning) = value.to_str().ok().and_then(parse) else { continue };
            match &self.handler {
                WarningHandler::Call(handle) => handle(&warning),
                WarningHandler::LogOnce if self.is_new(&warning.text) => tracing::warn!("{}", warning.text),
                WarningHandler::LogOnce | WarningHandler::Ignore => {}
            }
        }
    }

    fn is_new(&self, text: &str) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.len() < TOLD_MAX && told.insert(text.to_owned())
    }
}

/// `299 - "text"`: a code, who says it, and a quoted text, which may be followed by a date.
fn parse(header: &str) -> Option<Warning> {
    let (code, rest) = header.trim().split_once(' ')?;
    let (agent, rest) = rest.trim_start().split_once(' ')?;
    let mut letters = rest.trim_start().strip_prefix('"')?.chars();
    let mut text = String::new();
    loop {
        match letters.next()? {
            '"' => break,
            '\\' => text.push(letters.next()?),
            letter => text.push(letter),
        }
    }
    // What a server says ends up on terminals.
    text.retain(|letter| !letter.is_control());
    Some(Warning::new(code.parse().ok()?, agent, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_a_code_an_agent_and_a_quoted_text() {
        let cases = [
            (r#"299 - "v1beta1 is deprecated""#, Some((299, "-", "v1beta1 is deprecated"))),
            (r#"299 api "say \"hello\" \\" "Mon, 01 Jan 2026 00:00:00 GMT""#, Some((299, "api", r#"say "hello" \"#))),
            (r#"299 - "open"#, None),
            ("299 - text", None),
            ("x - \"text\"", None),
            ("299 - \"a\u{1b}[31mb\"", Some((299, "-", "a[31mb"))),
        ];
        for (header, expected) in cases {
            let expected = expected.map(|(code, agent, text)| Warning::new(code, agent, text));
            assert_eq!(parse(header), expected, "{header}");
        }
    }

    #[test]
    fn a_text_is_told_once_and_endless_new_ones_are_not_remembered() {
        let warnings = Warnings::new(WarningHandler::LogOnce);
        assert!(warnings.is_new("a") && !warnings.is_new("a") && warnings.is_new("b"));
        for number in 0..2 * TOLD_MAX {
            warnings.is_new(&number.to_string());
        }
        assert_eq!(warnings.told.lock().unwrap().len(), TOLD_MAX);
    }
}
