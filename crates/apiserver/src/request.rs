//! One request, from its URI to its response.
//!
//! ```text
//!  http::Request ─► access ─► router ─► faults ─┬─► health, discovery, OpenAPI            paths without objects
//!                                               └─► Call ─► resolve ─► decode ─► handlers ─► registry, storage
//!                                                              │                    └─► response
//!                                                              └─► refused: no such kind, verb or scope
//! ```
//! In: an HTTP request, and the [`User`] that authentication found. Out: a response, always. A feature that is missing is
//! refused by name. Reading order: `info` (what a request says of itself), `access` (who asks, and may they), `router`
//! and `resolve` (which kind and scope), `decode` (its body), `write_options`, `handlers` (one function per verb).

mod access;
mod component_statuses;
pub(crate) mod decode;
mod handlers;
mod health;
pub(crate) mod info;
pub(crate) mod resolve;
mod router;
pub(crate) mod user;
mod write_options;

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;

use bytes::{Buf, Bytes};
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{Method, Request, Response, Uri};
use pintle_core::call::Call;
use pintle_core::call::{Error, Target, Verb};

use crate::faults::injection::{ActiveFaults, Injection, Start};

use crate::catalog::{discovery, openapi};
use crate::faults::trace::{AuditAnnotations, TraceEvent};
use crate::registry::patch::CUSTOM_TYPES;
use crate::request::user::User;
use crate::response;
use crate::response::body::{Body, Interrupted};
use crate::response::status::{Answer, Refusal, bad_request, no_such_method, refuse_plainly, unsupported_media_type};
use crate::response::{metadata_v1beta1, negotiation, protobuf_watch, table};
use crate::server::{BoxError, State};
use router::Routed;

/// Answers a request; it fails only where a fault breaks the connection.
pub(crate) async fn answer<B>(
    state: &State,
    holder: Arc<User>,
    request: Request<B>,
) -> Result<Response<Body>, Interrupted>
where
    B: http_body::Body + Send + 'static,
    B::Data: Buf + Send,
    B::Error: Into<BoxError>,
{
    state.watches.going().await;
    let (mut parts, body) = request.into_parts();
    // How long it may take is asked before who asks.
    let access = resolve::check_timeout(&parts)
        .and_then(|()| access::check(&state.authorizer, &state.access_log, holder, &parts));
    // It is routed first, so that rules and the trace know it as what it is; whether it goes on, they decide before.
    let routed = router::route(&state.catalog(), &mut parts);
    let routed = match access {
        Err(refusal) => refusal.into(),
        Ok(user) => {
            parts.extensions.insert(user);
            routed
        }
    };
    let watch = if matches!(routed, Routed::Objects) { resolve::plain_watch(&parts.uri) } else { None };
    let routed = match watch {
        None => routed,
        Some(Ok(uri)) => {
            parts.uri = uri;
            routed
        }
        Some(Err(refusal)) => refusal.into(),
    };
    let injection = Injection::new(state, &parts);
    let (number, info) = (injection.number, injection.info.clone());
    let mut done = under_the_rules(state, injection, routed, parts, body).await;
    let what =
        done.as_ref().map_or(TraceEvent::Interrupted, |response| TraceEvent::Answered(response.status().as_u16()));
    let noted = done.as_mut().ok().and_then(|response| response.extensions_mut().remove::<AuditAnnotations>());
    state.log.write_answer(number, &info, what, noted.map_or_else(Vec::new, |noted| noted.0));
    done
}

async fn under_the_rules<B>(
    state: &State,
    injection: Injection,
    routed: Routed,
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
    if injection.info.verb == Some(Verb::Watch) && !matches!(routed, Routed::Refused(_)) {
        faults.open = Some(state.watches.open(injection.number, injection.info.clone()));
    }
    let open = faults.open.clone();
    let (headers, query) = (parts.headers.clone(), parts.uri.query().map(str::to_owned));
    let table = table::TableOptions::of(state, &parts);
    let mut response = match routed {
        Routed::Refused(response) => {
            drain(body).await;
            response
        }
        Routed::Document => {
            drain(body).await;
            document(state, &parts)
        }
        // The body is always read: a client that is still sending would not receive the answer.
        Routed::Objects => route(state, parts, decode::read(body).await, faults).await,
    };
    if let Some(table) = table {
        response = table.apply(response).await?;
    }
    if metadata_v1beta1::is_wanted(&headers) {
        response = metadata_v1beta1::renamed(response);
    }
    let is_stream = injection.info.verb == Some(Verb::Watch) && response.status().is_success();
    if (injection.info.verb.is_some() || !response.status().is_success()) && !is_stream {
        response = negotiation::negotiate(&headers, query.as_deref(), response).await?;
    }
    if is_head {
        *response.body_mut() = Body::empty();
    }
    let is_watch = injection.info.verb == Some(Verb::Watch);
    let left = injection.leave(response, open).await?;
    Ok(if is_watch && negotiation::wants_protobuf_alone(&headers) { protobuf_watch::in_protobuf(left) } else { left })
}

async fn route(state: &State, parts: Parts, body: Answer<Bytes>, faults: ActiveFaults) -> Response<Body> {
    let mut call = match Call::parse(&parts) {
        Ok(call) => call,
        Err(Error::NotAnApiPath(_)) => return resolve::nowhere(&parts.uri),
        Err(Error::PatchKind(_)) => return unknown_patch(state, &parts.uri),
        Err(Error::Method { method, .. }) => return response::refusal(&no_such_verb(state, &method, &parts)),
        Err(Error::NotAcceptable(accept)) => return response::refusal(&not_acceptable(&parts, &accept)),
        Err(error) => return response::refusal(&misunderstood(error)),
    };
    faults.rewrite(&mut call.query);
    if is_about_the_latest(&call) {
        drop(state.settled());
    }
    let Some(target) = resolve::target(&state.catalog(), &call, &parts.headers) else {
        return resolve::nowhere(&parts.uri);
    };
    if let Err(refusal) = resolve::check(&target, &call, &parts.headers) {
        return response::refusal(&refusal);
    }
    let (kind, verb, form) = (Arc::clone(&target.kind), call.verb, call.form);
    let done = handlers::perform(state, target, call, &parts.headers, &User::of_request(&parts), body, faults).await;
    let done = done.and_then(|response| {
        resolve::check_form(&kind, verb, form, &parts.headers)?;
        Ok(response)
    });
    let mut response = done.unwrap_or_else(|refusal| response::refusal(&refusal));
    if let Some(deprecation) = &kind.deprecation {
        response::warn_first(response.headers_mut(), deprecation);
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

/// What is not about objects.
fn document(state: &State, parts: &Parts) -> Response<Body> {
    if parts.uri.path().starts_with("//") {
        return response::no_page();
    }
    if let Some(response) = health::answer(&parts.uri) {
        return response;
    }
    let catalog = Arc::clone(&state.settled().catalog);
    let found = openapi::answer(&catalog, parts).or_else(|| discovery::answer(&catalog, parts));
    found.unwrap_or_else(|| resolve::nowhere(&parts.uri))
}

/// Reads and drops a body that is not wanted, if it is not long, so that its connection can go on.
async fn drain(body: impl http_body::Body) {
    let mut body = pin!(body);
    let mut left = DRAINED_MAX;
    while let Some(Ok(frame)) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        let size = frame.data_ref().map_or(0, Buf::remaining);
        if size > left {
            break;
        }
        left -= size;
    }
}

/// As much as Go reads of an unused body before it closes the connection.
const DRAINED_MAX: usize = 256 * 1024;

/// A patch in an unknown media type; custom resources say which ones they take.
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
fn no_such_verb(state: &State, method: &Method, parts: &Parts) -> Refusal {
    let target = Target::parse(parts.uri.path()).ok();
    let kind = target.and_then(|it| state.catalog().kind(&it.group, &it.version, &it.plural));
    match (kind, method) {
        (Some(kind), &Method::PATCH) if kind.is_custom() && !is_custom_patch(parts) => {
            unsupported_media_type(CUSTOM_TYPES)
        }
        (Some(kind), &Method::PUT | &Method::PATCH) if kind.is_custom() => bad_request("name must be provided"),
        _ => no_such_method(),
    }
}

fn is_custom_patch(parts: &Parts) -> bool {
    let said = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    CUSTOM_TYPES.contains(&said.split(';').next().unwrap_or_default().trim())
}

/// Nothing that the client takes. Either the encoding is known and the form in it is not, or the encoding is unknown.
/// The answer for a collection lists two more encodings, because it can be watched.
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
    resolve::no_representation(&format!("{}{streams}", resolve::ACCEPTED))
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
