//! From a route to a call: what every handler asks before it looks anything up.
//!
//! ```text
//!   route ─► verb ─► patch of this kind? ─► an answer that is taken? ─► a body that is read? ─► not too large? ─► query ─► Call
//!             405             415                     406                       415                  413          400
//! ```
//! In: a request about objects, routed. Out: the [`Call`] it is, or the refusal of the first question that is not answered.

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderMap, Method};
use pintle_core::call::{Call, Error, PatchKind, Query, Verb};

use super::router::Route;
use super::{decode, resolve, write_options};
use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::registry::patch::CUSTOM_TYPES;
use crate::registry::subresources::SubresourceType;
use crate::response::negotiation::accept::{self, Accepted};
use crate::response::status::{Answer, Refusal, bad_request, no_such_method, unsupported_media_type};

/// The call that a request is.
pub(super) fn understand(
    parts: &Parts,
    route: &Route,
    target: &ResolvedTarget,
    accepted: Option<Accepted>,
    body: &Answer<Bytes>,
) -> Answer<Call> {
    let connects = is_connection(target) && target.subresource.as_deref() != Some("log");
    let verb = match route.verb(parts) {
        Ok(verb) => verb,
        // What connects takes any method.
        Err(_) if connects => Verb::Get,
        Err(error) => return Err(no_such_verb(&target.kind, &parts.headers, error)),
    };
    if verb == Verb::Patch(PatchKind::Strategic) && target.kind.is_custom() {
        return Err(unsupported_media_type(CUSTOM_TYPES));
    }
    if accepted.is_none() && !connects {
        return Err(resolve::accepted_only(resolve::ACCEPTED));
    }
    if verb == Verb::Create && !connects {
        decode::Encoding::of(&parts.headers)?;
    }
    if matches!(verb, Verb::Create | Verb::Replace | Verb::Patch(_) | Verb::Delete)
        && let Err(refusal) = body
    {
        return Err(refusal.clone());
    }
    let said = parts.uri.query().unwrap_or_default();
    let query = Query::parse(said, &route.target).map_err(misunderstood)?;
    if !connects {
        write_options::check_stages(said, verb)?;
    }
    let form = accepted.unwrap_or(accept::PLAIN).form;
    let mut call = Call { verb, target: route.target.clone(), form, query };
    if verb == Verb::Watch
        && let Some(name) = call.target.name.take()
    {
        resolve::select_name(&mut call.query, &name)?;
    }
    Ok(call)
}

/// Whether a target is a way to what runs somewhere else.
pub(super) fn is_connection(target: &ResolvedTarget) -> bool {
    target.subresource_type() == SubresourceType::Connection
}

/// A method that means nothing on this path, or a patch of a kind that there is not. One handler serves all paths of custom
/// resources, and misses the name only when it needs it.
fn no_such_verb(kind: &Kind, headers: &HeaderMap, error: Error) -> Refusal {
    let said = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_custom_patch = CUSTOM_TYPES.contains(&said.split(';').next().unwrap_or_default().trim());
    match error {
        Error::PatchKind(_) if kind.is_custom() => unsupported_media_type(CUSTOM_TYPES),
        Error::Method { method: Method::PATCH, .. } if kind.is_custom() && !is_custom_patch => {
            unsupported_media_type(CUSTOM_TYPES)
        }
        Error::PatchKind(_) => unsupported_media_type(&PatchKind::ALL.map(PatchKind::content_type)),
        Error::Method { method, .. } if kind.is_custom() && matches!(method, Method::PUT | Method::PATCH) => {
            bad_request("name must be provided")
        }
        _ => no_such_method(),
    }
}

fn misunderstood(error: Error) -> Refusal {
    match error {
        Error::Query { value, .. } => bad_request(format!("strconv.ParseInt: parsing {value:?}: invalid syntax")),
        other => bad_request(other.to_string()),
    }
}
