//! One request, from its URI to its response.
//!
//! ```text
//!  http::Request ─► access ─► router ─► faults ─┬─► health, discovery, OpenAPI            paths without objects
//!                                               └─► call ─► decode ─► handlers ─► registry, storage    objects
//!                                                     └─► connections └─► response
//! ```
//! In: an HTTP request, and the [`User`] that authentication found. Out: a response, always. A feature that is missing is
//! refused by name. Reading order: `info` (what a request says of itself), `access` (who asks, and may they), `router`
//! and `resolve` (which kind and scope), `call` (what is asked before anything is looked up), `decode` (its body),
//! `write_options`, `handlers` (one function per verb).

mod access;
mod call;
mod component_statuses;
pub(crate) mod connections;
pub(crate) mod decode;
mod handlers;
mod health;
pub(crate) mod health_checks;
pub(crate) mod info;
pub(crate) mod path_prefix;
pub(crate) mod resolve;
mod router;
pub(crate) mod user;
mod write_options;

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;

use bytes::{Buf, Bytes};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode, Uri};
use pintle_core::call::{Call, Form, Query, Target, Verb};

use crate::catalog::{discovery, openapi};
use crate::cluster::ResolvedTarget;
use crate::faults::injection::{ActiveFaults, Injection, Start};
use crate::faults::trace::{AuditAnnotations, TraceEvent};
use crate::managed_fields;
use crate::observation::Seen;
use crate::request::user::User;
use crate::response;
use crate::response::body::{Body, Interrupted};
use crate::response::negotiation::accept::{self, Accepted};
use crate::response::status::Answer;
use crate::response::table::TableOptions;
use crate::response::{metadata_v1beta1, negotiation, protobuf_watch};
use crate::server::{BoxError, Exposure, State};
use router::{Route, Routed};

/// Answers a request; it fails only where a fault breaks the connection.
pub(crate) async fn answer<B>(
    state: &State,
    holder: Arc<User>,
    exposure: Exposure,
    request: Request<B>,
) -> Result<Response<Body>, Interrupted>
where
    B: http_body::Body + Send + 'static,
    B::Data: Buf + Send,
    B::Error: Into<BoxError>,
{
    state.watches.going().await;
    let (mut parts, body) = request.into_parts();
    let seen = match exposure {
        Exposure::Exposed => state.observation.begin(&parts, &holder),
        Exposure::Exempt => None,
    };
    // How long it may take is asked before who asks.
    let access = resolve::check_timeout(&parts)
        .and_then(|()| access::check(&state.authorizer, &state.access_log, holder, &parts, seen.as_deref()));
    // It is routed first, so that rules and the trace know it as what it is; whether it goes on, they decide before.
    let routed = router::route(&state.catalog(), &mut parts);
    let routed = match access {
        Err(refusal) => refusal.into(),
        Ok(user) => {
            parts.extensions.insert(user);
            routed
        }
    };
    if let Some(seen) = seen.as_deref().filter(|_| !matches!(routed, Routed::Refused(_))) {
        seen.counts();
    }
    let injection = Injection::new(state, &parts, exposure);
    let (number, info) = (injection.number, injection.info.clone());
    let mut done = under_the_rules(state, injection, routed, parts, body, seen.as_deref()).await;
    let what =
        done.as_ref().map_or(TraceEvent::Interrupted, |response| TraceEvent::Answered(response.status().as_u16()));
    let noted = done.as_mut().ok().and_then(|response| response.extensions_mut().remove::<AuditAnnotations>());
    let noted = noted.map_or_else(Vec::new, |noted| noted.0);
    if let Some(seen) = seen {
        done = seen.answered(done, &noted);
    }
    if exposure == Exposure::Exposed {
        state.log.write_answer(number, &info, what, noted);
    }
    done
}

async fn under_the_rules<B>(
    state: &State,
    injection: Injection,
    routed: Routed,
    mut parts: Parts,
    body: B,
    seen: Option<&Seen>,
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
    let is_commanded = injection.exposure == Exposure::Exposed && !matches!(routed, Routed::Refused(_));
    if injection.info.verb == Some(Verb::Watch) && is_commanded {
        faults.open = Some(state.watches.open(injection.number, injection.info.clone()));
    }
    let open = faults.open.clone();
    let (headers, query) = (parts.headers.clone(), parts.uri.query().map(str::to_owned));
    let accepted = accepted(state, &routed, &parts);
    let table = accepted.filter(|accepted| accepted.form == Form::Table).and_then(|accepted| {
        let Route { target, .. } = parts.extensions.get()?;
        TableOptions::of(state, target, query.as_deref().unwrap_or_default(), accepted)
    });
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
        Routed::Objects => {
            let body = decode::read(body).await;
            if let (Some(seen), Ok(body), &Method::POST) = (seen, &body, &parts.method) {
                seen.names(decode::name_in(&parts.headers, body));
            }
            route(state, parts, body, accepted, faults).await
        }
    };
    // What it was worked out from is on the disk before anybody learns of it; in memory there is nothing to wait for.
    if let Err(refusal) = state.durable().await {
        response = response::refusal(&refusal);
    }
    if let Some(seen) = seen {
        seen.answers(&response);
    }
    if let (Some(table), Some(verb)) = (table, injection.info.verb) {
        response = table.apply(response, verb).await?;
    }
    if accepted.is_some_and(|accepted| accepted.form == Form::Metadata && accepted.is_beta) {
        response = metadata_v1beta1::renamed(response);
    }
    let is_stream = injection.info.verb == Some(Verb::Watch) && response.status().is_success()
        || response.status() == StatusCode::SWITCHING_PROTOCOLS;
    if (injection.info.verb.is_some() || !response.status().is_success()) && !is_stream {
        let encoding = match accepted {
            Some(accepted) if response.status().is_success() => accepted.encoding,
            _ => accept::of_refusal(&headers),
        };
        response = negotiation::negotiate(&headers, query.as_deref(), encoding, response).await?;
    }
    if is_head {
        *response.body_mut() = Body::empty();
    }
    let is_watch = injection.info.verb == Some(Verb::Watch);
    let left = injection.leave(response, open).await?;
    Ok(if is_watch && negotiation::wants_protobuf_alone(&headers) { protobuf_watch::in_protobuf(left) } else { left })
}

/// What the client of a request about objects takes; none where that is nothing that there is.
fn accepted(state: &State, routed: &Routed, parts: &Parts) -> Option<Accepted> {
    let route = parts.extensions.get::<Route>().filter(|_| matches!(routed, Routed::Objects))?;
    let Target { group, version, plural, .. } = &route.target;
    accept::of_objects(&parts.headers, &*state.catalog().kind(group, version, plural)?)
}

async fn route(
    state: &State,
    parts: Parts,
    body: Answer<Bytes>,
    accepted: Option<Accepted>,
    faults: ActiveFaults,
) -> Response<Body> {
    let route = parts.extensions.get::<Route>().expect("the router leaves it with what is about objects");
    let Some(target) = resolve::target(&state.catalog(), &route.target, String::new()) else {
        return resolve::nowhere(&parts.uri);
    };
    let (kind, form) = (Arc::clone(&target.kind), accepted.unwrap_or(accept::PLAIN));
    let done = match call::understand(&parts, route, &target, accepted, &body) {
        Err(refusal) => Err(refusal),
        Ok(mut call) => {
            faults.rewrite(&mut call.query);
            if is_about_the_latest(&call) {
                drop(state.settled());
            }
            let manager = managed_fields::manager_name(call.query.field_manager.as_deref(), &parts.headers);
            let Some(target) = resolve::target(&state.catalog(), &call.target, manager) else {
                return resolve::nowhere(&parts.uri);
            };
            let (verb, user) = (call.verb, User::of_request(&parts));
            let done = if call::is_connection(&target) {
                connect(state, &target, &call.query, &parts, &user)
            } else {
                handlers::perform(state, target, call, &parts.headers, &user, body, faults).await
            };
            done.and_then(|response| resolve::check_form(&kind, verb, form).map(|()| response))
        }
    };
    let mut response = done.unwrap_or_else(|refusal| response::refusal(&refusal));
    if let Some(deprecation) = &kind.deprecation {
        response::warn_first(response.headers_mut(), deprecation);
    }
    response
}

/// Answers a request to what runs somewhere else. Who may not connect does not learn what is there.
fn connect(
    state: &State,
    target: &ResolvedTarget,
    query: &Query,
    parts: &Parts,
    user: &User,
) -> Answer<Response<Body>> {
    connections::check(target, query, parts)?;
    if connections::enters_container(target) {
        access::check_create(&state.authorizer, &state.access_log, user, parts)?;
    }
    connections::answer(&state.snapshot(), target, query, parts)
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
    if let Some(response) = health::answer(state, &parts.uri) {
        return response;
    }
    let catalog = Arc::clone(&state.settled().catalog);
    let found = openapi::answer(&catalog, parts).or_else(|| discovery::answer(&catalog, parts));
    found.unwrap_or_else(|| resolve::nowhere(&parts.uri))
}

/// Reads and drops a body that is not wanted, so that its client, which may still be sending, gets the answer.
pub(crate) async fn drain(body: impl http_body::Body) {
    let mut body = pin!(body);
    let mut left = decode::BODY_BYTES_DRAINED;
    while let Some(Ok(frame)) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        let size = frame.data_ref().map_or(0, Buf::remaining);
        if size > left {
            break;
        }
        left -= size;
    }
}

/// The path of a request, without its query.
pub(crate) fn segments(uri: &Uri) -> Vec<&str> {
    uri.path().split('/').filter(|segment| !segment.is_empty()).collect()
}
