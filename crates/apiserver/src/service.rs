//! One request from its first byte to its response: which path it is, what it asks, who answers.
//!
//! In: an HTTP request. Out: a response, always. Paths without objects (discovery, health, version, OpenAPI) are
//! answered first; everything else is a [`Call`], resolved to a [`Subject`] and handed to the verb. A feature that
//! is missing is refused by name.

mod options;
mod resolve;
mod verbs;

use bytes::Buf;
use http::{Method, Request, Response, Uri};
use pintle_core::Call;
use pintle_core::call::{Error, Target};

use crate::body::Body;
use crate::reply;
use crate::server::{BoxError, State};
use crate::status::{Refusal, bad_request, no_such_method, refuse, refuse_plainly, unsupported_media_type};
use crate::write::patch::CUSTOM_TYPES;
use crate::{discovery, health, openapi};

/// Answers a request.
pub(crate) async fn answer<B>(state: &State, request: Request<B>) -> Response<Body>
where
    B: http_body::Body + Send + 'static,
    B::Data: Buf + Send,
    B::Error: Into<BoxError>,
{
    let is_head = request.method() == Method::HEAD;
    let mut response = route(state, request).await;
    if is_head {
        *response.body_mut() = Body::empty();
    }
    response
}

async fn route<B>(state: &State, request: Request<B>) -> Response<Body>
where
    B: http_body::Body + Send + 'static,
    B::Data: Buf + Send,
    B::Error: Into<BoxError>,
{
    let (mut parts, body) = request.into_parts();
    if matches!(parts.method, Method::GET | Method::HEAD) {
        if let Some(uri) = resolve::plain_watch(&parts.uri) {
            parts.uri = uri;
        }
        if let Some(response) = without_objects(state, &parts) {
            return response;
        }
    }
    let call = match Call::parse(&parts) {
        Ok(call) => call,
        Err(Error::NotAnApiPath(_)) => return resolve::nowhere(&parts.uri),
        Err(Error::PatchKind(_)) => return unknown_patch(state, &parts.uri),
        Err(error) => return reply::refusal(&misunderstood(error)),
    };
    if let Err(refusal) = resolve::check_timeout(parts.uri.query()) {
        return reply::refusal(&refusal);
    }
    let subject = {
        let cluster = state.cluster();
        match resolve::subject(&cluster, &call) {
            Some(subject) => subject,
            None => return resolve::nowhere(&parts.uri),
        }
    };
    let done = match resolve::check(&subject, &call, &parts.headers) {
        Ok(()) => verbs::perform(state, subject, call, &parts.headers, body).await,
        Err(refusal) => Err(refusal),
    };
    done.unwrap_or_else(|refusal| reply::refusal(&refusal))
}

/// What is not about objects.
fn without_objects(state: &State, parts: &http::request::Parts) -> Option<Response<Body>> {
    health::answer(&parts.uri)
        .or_else(|| openapi::answer(&state.cluster().definitions, parts))
        .or_else(|| discovery::answer(&state.cluster().definitions, parts))
}

/// A patch in a media type nobody knows; custom resources say which ones they take.
fn unknown_patch(state: &State, uri: &Uri) -> Response<Body> {
    let target = Target::parse(uri.path()).ok();
    match target.and_then(|it| state.cluster().kind(&it.group, &it.version, &it.plural)) {
        None => resolve::nowhere(uri),
        Some(kind) if kind.is_custom() => reply::refusal(&unsupported_media_type(CUSTOM_TYPES)),
        Some(_) => reply::refusal(&refuse_plainly(415, "UnsupportedMediaType", "415: Unsupported Media Type")),
    }
}

fn misunderstood(error: Error) -> Refusal {
    match error {
        Error::Method { .. } => no_such_method(),
        Error::Query { value, .. } => bad_request(format!("strconv.ParseInt: parsing {value:?}: invalid syntax")),
        Error::NotAcceptable(_) => {
            refuse(406, "NotAcceptable", "only the following media types are accepted: application/json")
        }
        other => bad_request(other.to_string()),
    }
}

/// The path of a request, without its query.
pub(crate) fn segments(uri: &Uri) -> Vec<&str> {
    uri.path().split('/').filter(|segment| !segment.is_empty()).collect()
}
