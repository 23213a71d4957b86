//! Adds the span of one try of a call, counts it, and takes the warnings that come with its answer.
//!
//! Inside of retry and credentials, so that it sees each answer as the server sent it, those that are tried again too.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::FutureExt;
use http::Request;
use http::header::{HeaderMap, WARNING};
use tokio::time::Instant;
use tracing::Instrument;

use crate::client::body::Body;
use crate::client::layers::retry::Retry;
use crate::client::layers::wrapped::{Answer, Inner, WrapsCalls};
use crate::client::reporter::{Outcome, Reporter};
use crate::client::request::info::RequestInfo;
use crate::config::{Warning, WarningHandler};
use crate::error_chain::error_chain;

/// How many texts are remembered as logged. A cluster has a few dozen; one that makes them up must not fill the memory.
const LOGGED_MAX: usize = 1000;

/// Puts each try of a call into a span.
#[derive(Clone)]
pub(in crate::client) struct AttemptLayer {
    warnings: Arc<Warnings>,
    reporter: Arc<Reporter>,
}

impl AttemptLayer {
    pub(in crate::client) fn new(handler: WarningHandler, reporter: Arc<Reporter>) -> Self {
        reporter.note_layers();
        Self { warnings: Arc::new(Warnings::new(handler)), reporter }
    }
}

impl WrapsCalls for AttemptLayer {
    fn call<S: Inner>(&self, inner: &mut S, request: Request<Body>) -> Answer {
        let span = tracing::trace_span!("attempt");
        let AttemptLayer { warnings, reporter } = self.clone();
        let (call, class) = (reporter.name(&request), RequestInfo::of(&request).class());
        let labels = reporter.metrics().labels(&request);
        let is_retry = request.extensions().get::<Retry>().is_some();
        let answer = span.in_scope(|| inner.call(request));
        async move {
            let started = Instant::now();
            let answer = answer.await;
            let code = answer.as_ref().ok().map(|response| response.status().as_u16());
            reporter.metrics().ended(&labels, class, code, started.elapsed());
            if is_retry {
                reporter.metrics().retried(&labels, code);
            }
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

/// What is done with warnings, and which were logged already.
struct Warnings {
    handler: WarningHandler,
    logged: Mutex<HashSet<String>>,
}

impl Warnings {
    fn new(handler: WarningHandler) -> Self {
        Self { handler, logged: Mutex::default() }
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
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        logged.len() < LOGGED_MAX && logged.insert(text.to_owned())
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
    fn a_text_is_logged_once_and_endless_new_ones_are_not_remembered() {
        let warnings = Warnings::new(WarningHandler::LogOnce);
        assert!(warnings.is_new("a") && !warnings.is_new("a") && warnings.is_new("b"));
        for number in 0..2 * LOGGED_MAX {
            warnings.is_new(&number.to_string());
        }
        assert_eq!(warnings.logged.lock().unwrap().len(), LOGGED_MAX);
    }
}
