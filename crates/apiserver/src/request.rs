//! One request, from its URI to its response.
//!
//! ```text
//!  http::Request ─► info ─► faults ─┬─► health, discovery, OpenAPI            paths without objects
//!                                   └─► Call ─► resolve ─► decode ─► handlers ─► registry, storage
//!                                                  │                    └─► response
//!                                                  └─► refused: no such kind, verb or scope
//! ```
//! In: an HTTP request, and the [`User`] that authentication found. Out: a response, always. A feature that is missing is
//! refused by name. Reading order: `info` (what a request says of itself), `resolve` (which kind and scope), `decode` (its
//! body), `write_options`, `handlers` (one function per verb).

mod component_statuses;
pub(crate) mod decode;
mod handlers;
mod health;
pub(crate) mod info;
pub(crate) mod resolve;
pub(crate) mod user;
mod write_options;

use std::sync::Arc;

use bytes::Buf;
use http::request::Parts;
use http::{Method, Request, Response, Uri};
use pintle_core::call::Call;
use pintle_core::call::{Error, Target, Verb};

use crate::faults::injection::{ActiveFaults, Injection, Start};

use crate::catalog::{discovery, openapi};
use crate::faults::trace::TraceEvent;
use crate::registry::patch::CUSTOM_TYPES;
use crate::request::user::User;
use crate::response;
use crate::response::body::{Body, Interrupted};
use crate::response::status::{Refusal, bad_request, no_such_method, refuse_plainly, unsupported_media_type};
use crate::response::{metadata_v1beta1, negotiation, protobuf_watch, table};
use crate::server::{BoxError, State};

/// Answers a request; it fails only where a fault breaks the connection.
pub(crate) async fn answer<B>(state: &State, request: Request<B>) -> Result<Response<Body>, Interrupted>
where
    B: http_body::Body + Send + 'static,
    B::Data: Buf + Send,
    B::Error: Into<BoxError>,
{
    state.watches.going().await;
    let (mut parts, body) = request.into_parts();
    if let Some(uri) = resolve::without_last_slash(&parts.uri) {
        parts.uri = uri;
    }
    let is_read = matches!(parts.method, Method::GET | Method::HEAD);
    match resolve::plain_watch(&parts.uri).filter(|_| is_read) {
        None => {}
        Some(Ok(uri)) => parts.uri = uri,
        Some(Err(refusal)) => return Ok(response::refusal(&refusal)),
    }
    let injection = Injection::new(state, &parts);
    let (number, info) = (injection.number, injection.info.clone());
    let done = under_the_rules(state, injection, parts, body).await;
    let what =
        done.as_ref().map_or(TraceEvent::Interrupted, |response| TraceEvent::Answered(response.status().as_u16()));
    state.log.write(number, &info, what);
    done
}

async fn under_the_rules<B>(
    state: &State,
    injection: Injection,
    mut parts: Parts,
    body: B,
) -> Result<Response<Body>, Interrupted>
where
    B: http_body::Body + Send + 'static,
    B::Data: Buf + Send,
    B::Error: Into<BoxError>,
{
    let is_head = parts.method == Method::HEAD;
    let mut faults = match injection.enter(&mut parts).await? {
        Start::Answered(response) => return Ok(response),
        Start::Proceed(faults) => faults,
    };
    if injection.info.verb == Some(Verb::Watch) {
        faults.open = Some(state.watches.open(injection.number, injection.info.clone()));
    }
    let open = faults.open.clone();
    let (headers, query) = (parts.headers.clone(), parts.uri.query().map(str::to_owned));
    let table = table::TableOptions::of(state, &parts);
    let mut response = route(state, parts, body, faults).await;
    if let Some(table) = table {
        response = table.apply(response).await?;
    }
    if metadata_v1beta1::is_wanted(&headers) {
        response = metadata_v1beta1::renamed(response);
    }
    let is_stream = injection.info.verb == Some(Verb::Watch) && response.status().is_success();
    if injection.info.verb.is_some() && !is_stream {
        response = negotiation::negotiate(&headers, query.as_deref(), response).await?;
    }
    if is_head {
        *response.body_mut() = Body::empty();
    }
    let is_watch = injection.info.verb == Some(Verb::Watch);
    let left = injection.leave(response, open).await?;
    Ok(if is_watch && negotiation::wants_protobuf_alone(&headers) { protobuf_watch::in_protobuf(left) } else { left })
}

async fn route<B>(state: &State, parts: Parts, body: B, faults: ActiveFaults) -> Response<Body>
where
    B: http_body::Body + Send + 'static,
    B::Data: Buf + Send,
    B::Error: Into<BoxError>,
{
    if let Some(response) = without_objects(state, &parts) {
        return response;
    }
    let mut call = match Call::parse(&resolve::of_collection(state, &parts)) {
        Ok(call) => call,
        Err(Error::NotAnApiPath(_)) => return resolve::nowhere(&parts.uri),
        Err(Error::PatchKind(_)) => return unknown_patch(state, &parts.uri),
        Err(Error::Method { method, .. }) => return response::refusal(&no_such_verb(state, &method, &parts.uri)),
        Err(Error::NotAcceptable(accept)) => return response::refusal(&not_acceptable(&parts, &accept)),
        Err(error) => return response::refusal(&misunderstood(error)),
    };
    faults.rewrite(&mut call.query);
    if let Err(refusal) = resolve::check_timeout(parts.uri.query()) {
        return response::refusal(&refusal);
    }
    if is_about_the_latest(&call) {
        drop(state.settled());
    }
    let Some(target) = resolve::target(&state.catalog(), &call, &parts.headers) else {
        return resolve::nowhere(&parts.uri);
    };
    if parts.method == Method::HEAD && !target.kind.is_custom() {
        // kube-apiserver has no such route for its own kinds; the handler of custom ones takes it as a GET.
        return response::refusal(&no_such_method());
    }
    if let Err(refusal) = resolve::check(&target, &call, &parts.headers) {
        return response::refusal(&refusal);
    }
    let deprecation = target.kind.deprecation.clone();
    let done = handlers::perform(state, target, call, &parts.headers, &User::of(&parts), body, faults).await;
    let mut response = done.unwrap_or_else(|refusal| response::refusal(&refusal));
    if let Some(deprecation) = deprecation {
        response::warn_first(response.headers_mut(), &deprecation);
    }
    response
}

/// Whether a call must see everything that follows from the writes before it. A watch, and a read that takes any version,
/// see what there is, as they do while the controllers of a real cluster are still busy.
fn is_about_the_latest(call: &Call) -> bool {
    match call.verb {
        Verb::Watch => false,
        Verb::Get | Verb::List => call.query.resource_version.as_deref().unwrap_or_default().is_empty(),
        _ => true,
    }
}

/// What is not about objects. Whether the server is well can be asked with any method, everything else is only read.
fn without_objects(state: &State, parts: &Parts) -> Option<Response<Body>> {
    if let Some(response) = health::answer(&parts.uri) {
        return Some(response);
    }
    let catalog = Arc::clone(&state.settled().catalog);
    let found = openapi::answer(&catalog, parts).or_else(|| discovery::answer(&catalog, parts));
    let is_read = matches!(parts.method, Method::GET | Method::HEAD);
    found.map(|response| if is_read { response } else { response::refusal(&no_such_method()) })
}

/// A patch in a media type nobody knows; custom resources say which ones they take.
fn unknown_patch(state: &State, uri: &Uri) -> Response<Body> {
    let target = Target::parse(uri.path()).ok();
    match target.and_then(|it| state.catalog().kind(&it.group, &it.version, &it.plural)) {
        None => resolve::nowhere(uri),
        Some(kind) if kind.is_custom() => response::refusal(&unsupported_media_type(CUSTOM_TYPES)),
        Some(_) => response::refusal(&refuse_plainly(415, "UnsupportedMediaType", "415: Unsupported Media Type")),
    }
}

/// A method that means nothing on this path. One handler serves all paths of custom resources, and misses the name only
/// when it needs it.
fn no_such_verb(state: &State, method: &Method, uri: &Uri) -> Refusal {
    let target = Target::parse(uri.path()).ok();
    let kind = target.and_then(|it| state.catalog().kind(&it.group, &it.version, &it.plural));
    match (kind, method) {
        (Some(kind), &Method::PUT | &Method::PATCH) if kind.is_custom() => bad_request("name must be provided"),
        _ => no_such_method(),
    }
}

/// Nothing that the client takes. It can be a form that nobody knows, in an encoding that is known; or no encoding, of which a
/// collection, which can be watched, has two more.
fn not_acceptable(parts: &Parts, accept: &str) -> Refusal {
    if negotiation::is_known(accept) {
        return resolve::accepted_only(resolve::ACCEPTED);
    }
    let is_collection = Target::parse(parts.uri.path()).is_ok_and(|target| target.name.is_none());
    let streams = if is_collection && parts.method == Method::GET {
        ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
    } else {
        ""
    };
    let why = format!(
        "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, \
         application/vnd.kubernetes.protobuf{streams}"
    );
    refuse_plainly(406, "NotAcceptable", &why)
}

fn misunderstood(error: Error) -> Refusal {
    match error {
        Error::Query { value, .. } => bad_request(format!("strconv.ParseInt: parsing {value:?}: invalid syntax")),
        other => bad_request(other.to_string()),
    }
}

/// The path of a request, without its query.
pub(crate) fn segments(uri: &Uri) -> Vec<&str> {
    uri.path().split('/').filter(|segment| !segment.is_empty()).collect()
}
