//! What a failed try means: was the request executed, and may it be sent again.

use std::time::Duration;

use http::header::RETRY_AFTER;
use http::{Request, Response, StatusCode};
use serde::Deserialize;
use tower::BoxError;

use super::Rules;
use crate::client::body::Body;
use crate::client::request::class::RequestClass;
use crate::client::request::info::RequestInfo;
use crate::client::request::raw_watch::{RawWatch, is_probable_end};
use crate::error::{ErrorKind, kind_of_service};

/// The longest that a server can make a client wait at once. It is past every budget.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(24 * 3600);

/// How long client-go waits before it opens a watch again whose connection broke.
const OPEN_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// What a try came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is an answer, good or bad.
    Final,
    /// The server did nothing with it.
    NotExecuted(Option<Duration>),
    /// The server may have done it.
    MaybeExecuted(Option<Duration>),
}

impl Verdict {
    pub(super) fn of<R>(request: &Request<Body>, result: &Result<Response<R>, BoxError>, rules: Rules) -> Self {
        let (info, is_raw_watch) = (RequestInfo::of(request), RawWatch::is(request));
        if rules == Rules::Renewal || (info.class() != RequestClass::Plain && !is_raw_watch) {
            return Self::Final;
        }
        match result {
            Ok(response) => Self::of_answer(&info, response, rules),
            Err(_) if rules == Rules::Kube => Self::Final,
            Err(error) if is_raw_watch => Self::of_broken_opening(error),
            Err(error) => Self::of_failure(error),
        }
    }

    /// Whether `request` may be sent again.
    pub(super) fn is_repeatable(self, request: &Request<Body>) -> bool {
        match self {
            Self::Final => false,
            Self::NotExecuted(_) => true,
            Self::MaybeExecuted(_) => can_be_executed_twice(request),
        }
    }

    pub(super) fn retry_after(self) -> Option<Duration> {
        match self {
            Self::Final => None,
            Self::NotExecuted(after) | Self::MaybeExecuted(after) => after,
        }
    }

    fn of_answer<R>(info: &RequestInfo, response: &Response<R>, rules: Rules) -> Self {
        let seconds = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let after = seconds.map(|seconds| Duration::from_secs(seconds).min(RETRY_AFTER_MAX));
        match response.status() {
            // A disruption budget says no with a 429, and the caller wants to know.
            StatusCode::TOO_MANY_REQUESTS if info.is_eviction() => Self::Final,
            StatusCode::TOO_MANY_REQUESTS => Self::NotExecuted(after),
            StatusCode::SERVICE_UNAVAILABLE if after.is_some() => Self::NotExecuted(after),
            StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT if rules == Rules::Kube => {
                Self::MaybeExecuted(after)
            }
            StatusCode::INTERNAL_SERVER_ERROR | StatusCode::GATEWAY_TIMEOUT if after.is_some() => {
                Self::MaybeExecuted(after)
            }
            _ => Self::Final,
        }
    }

    /// A watch that is not repaired is opened again where its connection was there and broke; a server that is not there is
    /// for the caller to know at once.
    fn of_broken_opening(error: &BoxError) -> Self {
        if is_probable_end(error.as_ref()) || was_refused_unprocessed(error.as_ref()) {
            return Self::MaybeExecuted(Some(OPEN_AGAIN_AFTER));
        }
        Self::Final
    }

    fn of_failure(error: &BoxError) -> Self {
        if was_refused_unprocessed(error.as_ref()) {
            return Self::NotExecuted(None);
        }
        if error.is::<crate::Error>() {
            // Credentials, or something else that this client itself says no to.
            return Self::Final;
        }
        match kind_of_service(error.as_ref()) {
            ErrorKind::Unreachable => Self::NotExecuted(None),
            ErrorKind::Interrupted => Self::MaybeExecuted(None),
            // Another try meets the same certificate, or does not understand the same answer.
            _ => Self::Final,
        }
    }
}

/// Whether an HTTP/2 server said that it did not look at the request: a refused stream, or one behind a GOAWAY.
pub(crate) fn was_refused_unprocessed(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<h2::Error>() {
            let is_refused = error.reason() == Some(h2::Reason::REFUSED_STREAM);
            return error.is_remote() && (is_refused || error.is_go_away());
        }
        cause = error.source();
    }
    false
}

/// Reads; and applies that name no version, because the second one changes nothing.
fn can_be_executed_twice(request: &Request<Body>) -> bool {
    if request.method().is_safe() {
        return true;
    }
    RequestInfo::of(request).is_apply() && request.body().whole().is_some_and(names_no_version)
}

#[derive(Deserialize)]
struct Versioned {
    metadata: Option<VersionedMeta>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VersionedMeta {
    resource_version: Option<String>,
}

fn names_no_version(body: &[u8]) -> bool {
    // What is not JSON may be YAML, which is not read here: better not sent twice.
    let Ok(object) = serde_json::from_slice::<Versioned>(body) else {
        return false;
    };
    object.metadata.and_then(|metadata| metadata.resource_version).is_none_or(|version| version.is_empty())
}
