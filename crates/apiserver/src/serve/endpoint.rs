//! One server at an address: its users, and its admin path where that is on.

use std::sync::Arc;

use http::{Request, Response};
use hyper::body::Incoming;

use super::admin::{self, Admin};
use super::authenticator::Authenticator;
use super::workspaces::Workspaces;
use crate::observation::SourceAddress;
use crate::request::user::User;
use crate::response::body::{Body, Interrupted};

/// A server, who may ask it, and who may break it.
pub(super) struct Endpoint {
    pub(super) authenticator: Authenticator,
    pub(super) admin: Option<Admin>,
}

impl Endpoint {
    /// Answers a request of a connection whose certificate, if any, is this user's.
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        holder: Option<User>,
        source: Option<SourceAddress>,
        workspaces: Option<&Arc<Workspaces>>,
    ) -> Result<Response<Body>, Interrupted> {
        if let Some(admin) = &self.admin
            && let Some(path) = admin::below(request.uri().path())
        {
            let path = path.to_owned();
            return Ok(admin.answer(self.authenticator.server(), &path, request, workspaces).await);
        }
        self.authenticator.answer(request, holder, source).await
    }
}
