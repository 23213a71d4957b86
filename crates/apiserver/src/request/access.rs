//! Who asks, and may they: identity, impersonation and authorization, before anything else is looked at.
//!
//! In: a request as it came. Out: the user it acts as, or a refusal that says nothing about what exists. A request that
//! came through no authenticator is from the holder of the server's handle. One that connects to a container is asked about twice:
//! as the method that it is, and as a create.

use std::sync::Arc;

use http::request::Parts;

use super::user::User;
use crate::authorization::Authorizer;
use crate::authorization::access_log::AccessLog;
use crate::authorization::attributes::{Attributes, NoResource};
use crate::authorization::forbidden::{forbidden, forbidden_for};
use crate::authorization::impersonation::acting_user;
use crate::observation::Seen;
use crate::response::status::Answer;

/// The user that a request acts as, if they may do what it wants.
pub(super) fn check(
    authorizer: &Authorizer,
    log: &AccessLog,
    holder: Arc<User>,
    parts: &Parts,
    seen: Option<&Seen>,
) -> Answer<Arc<User>> {
    let user = parts.extensions.get::<Arc<User>>().cloned().unwrap_or(holder);
    let attributes = match Attributes::of(&parts.method, &parts.uri) {
        Ok(attributes) => attributes,
        // It wants nothing that there is; the router says so.
        Err(NoResource) => return Ok(user),
    };
    let user = acting_user(authorizer, user, &parts.headers, &attributes)?;
    log.note(&user, &parts.headers, &attributes);
    let decision = authorizer.authorize(&user, &attributes);
    if let Some(seen) = seen {
        seen.acts_as(&user);
        seen.decided(&decision);
    }
    if decision.is_allowed { Ok(user) } else { Err(forbidden(&user, &attributes, &decision.reason)) }
}

/// Whether a user who connects to a container may create that connection: over a WebSocket it is asked for with a GET, and reading alone
/// must not be enough to run commands.
pub(super) fn check_create(authorizer: &Authorizer, log: &AccessLog, user: &User, parts: &Parts) -> Answer<()> {
    let Ok(attributes) = Attributes::of(&parts.method, &parts.uri) else { return Ok(()) };
    if attributes.verb == "create" {
        return Ok(());
    }
    let attributes = attributes.with_verb("create");
    log.note(user, &parts.headers, &attributes);
    let decision = authorizer.authorize(user, &attributes);
    if decision.is_allowed { Ok(()) } else { Err(forbidden_for(&attributes, &decision.reason)) }
}
