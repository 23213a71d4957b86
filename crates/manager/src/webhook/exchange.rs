//! The HTTP around a review: what may come in, for how long it may take, and how it is refused.

use std::time::Duration;

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Body;

pub(super) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The largest body that is read: what controller-runtime reads, and more than twice the largest object that etcd takes, because
/// a review may hold two.
pub const BODY_MAX: usize = 7 * 1024 * 1024;

/// A request that is not answered with a review: the API server treats it as a call that failed.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) code: StatusCode,
    pub(super) why: String,
}

impl Refusal {
    pub(super) fn bad_request(why: impl Into<String>) -> Self {
        Self { code: StatusCode::BAD_REQUEST, why: why.into() }
    }

    pub(super) fn into_response(self, path: &str) -> Response<Full<Bytes>> {
        tracing::warn!("a request for {path} is answered with {}: {}", self.code.as_u16(), self.why);
        let mut response = Response::new(Full::from(format!("{}\n", self.why)));
        *response.status_mut() = self.code;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        if self.code == StatusCode::METHOD_NOT_ALLOWED {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
        }
        response
    }
}

/// A review that is answered.
pub(super) fn json(review: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(review));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Whether a request can be one for a review, by its head.
pub(super) fn check_head<B>(request: &Request<B>) -> Result<(), Refusal> {
    if request.method() != Method::POST {
        let why = format!("a webhook is called by POST, not by {}", request.method());
        return Err(Refusal { code: StatusCode::METHOD_NOT_ALLOWED, why });
    }
    let content_type = request.headers().get(CONTENT_TYPE);
    let said = content_type.and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = said.split(';').next().unwrap_or_default().trim();
    if media_type.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let why = format!("a review is sent as application/json, and this came as {said:?}");
    Err(Refusal { code: StatusCode::UNSUPPORTED_MEDIA_TYPE, why })
}

pub(super) async fn read<B>(body: B) -> Result<Bytes, Refusal>
where
    B: Body + Send,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    let failed = |error: BoxError| {
        if error.is::<LengthLimitError>() {
            let why = format!("the review is larger than {} MiB", BODY_MAX / 1024 / 1024);
            return Refusal { code: StatusCode::PAYLOAD_TOO_LARGE, why };
        }
        Refusal::bad_request(format!("the body could not be read: {error}"))
    };
    Ok(Limited::new(body, BODY_MAX).collect().await.map_err(failed)?.to_bytes())
}

/// How long a request may take: what its caller waits (`?timeout=10s`) less a tenth, so that the answer arrives in time.
pub(super) fn time_limit(uri: &Uri) -> Duration {
    let query = uri.query().unwrap_or_default().as_bytes();
    let named = form_urlencoded::parse(query).find(|(name, _)| name == "timeout");
    let asked = named.and_then(|(_, value)| value.parse::<pintle_core::Duration>().ok());
    let asked = asked.filter(|asked| !asked.is_negative()).map_or(TIMEOUT_MAX, Duration::from).min(TIMEOUT_MAX);
    asked - (asked / 10).min(MARGIN_MAX)
}

/// The longest that an API server waits for a webhook, and what is assumed of a caller that does not say.
const TIMEOUT_MAX: Duration = Duration::from_secs(30);
/// An answer within a cluster needs no longer to arrive.
const MARGIN_MAX: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_limit_is_what_the_caller_waits_less_a_margin() {
        for (uri, milliseconds) in [
            ("/a?timeout=10s", 9_000),
            ("/a?timeout=1s", 900),
            ("/a?timeout=1m", 29_000),
            ("/a", 29_000),
            ("/a?timeout=x", 29_000),
            ("/a?timeout=-3s", 29_000),
        ] {
            assert_eq!(time_limit(&uri.parse().unwrap()), Duration::from_millis(milliseconds), "{uri}");
        }
    }
}
