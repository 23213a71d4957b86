//! Who asks, and may they: identity, impersonation and authorization, before anything else is looked at.
//!
//! In: a request as it came. Out: the user it acts as, or a refusal that says nothing about what exists. A request that
//! came through no authenticator is from whoever holds the server's handle.

use std::sync::Arc;

use http::Response;
use http::request::Parts;

use super::user::User;
use crate::authorization::Authorizer;
use crate::authorization::attributes::{Attributes, NoResource};
use crate::authorization::forbidden::forbidden;
use crate::authorization::impersonation::acting_user;
use crate::response;
use crate::response::body::Body;
use crate::response::status::Refusal;

/// What a request wants to do, by the path that the client sent.
#[derive(Clone)]
struct Wanted(Arc<Result<Attributes, NoResource>>);

/// Notes who asks for what, before the path is understood.
pub(super) fn identify(parts: &mut Parts, holder: Arc<User>) {
    let wanted = Attributes::of(&parts.method, &parts.uri);
    parts.extensions.insert(Wanted(Arc::new(wanted)));
    if parts.extensions.get::<Arc<User>>().is_none() {
        parts.extensions.insert(holder);
    }
}

/// The user that a request acts as, if they may do what it wants.
pub(super) fn check(authorizer: &Authorizer, parts: &mut Parts) -> Result<Arc<User>, Box<Response<Body>>> {
    let user = parts.extensions.remove::<Arc<User>>().unwrap_or_else(|| Arc::new(User::anonymous()));
    let wanted = parts.extensions.remove::<Wanted>();
    let Some(Ok(attributes)) = wanted.as_ref().map(|Wanted(wanted)| wanted.as_ref().as_ref()) else {
        return Err(Box::new(no_resource(parts)));
    };
    let refused = |why: &Refusal| Box::new(response::refusal(why));
    let user = acting_user(authorizer, user, &parts.headers, attributes).map_err(|why| refused(&why))?;
    let decision = authorizer.authorize(&user, attributes);
    if decision.is_allowed {
        return Ok(user);
    }
    Err(refused(&forbidden(&user, attributes, &decision.reason)))
}

/// 500: a path that names no resource where one belongs.
fn no_resource(parts: &Parts) -> Response<Body> {
    let path = parts.uri.path();
    let why = format!(
        "Internal Server Error: {path:?}: failed to create RequestInfo: unable to determine kind and namespace from url, \
         {}\n",
        parts.uri
    );
    response::text(500, why)
}
