//! Which server a request is for, where several share an address.
//!
//! ```text
//!  request ─┬─ /workspaces/NAME/… ─► the workspace, as if it were asked for /…
//!           ├─ /pintle/v1/workspaces ─► workspaces: made, listed, dropped
//!           └─ everything else ─► the server itself
//! ```
//! In: requests of every connection. Out: their answers. Without workspaces every request is the server's.

use std::sync::Arc;

use http::uri::PathAndQuery;
use http::{Request, Response, Uri};
use hyper::body::Incoming;
use rustls::pki_types::CertificateDer;

use super::endpoint::Endpoint;
use super::workspaces::Workspaces;
use crate::observation::SourceAddress;
use crate::request::drain;
use crate::request::path_prefix::PathPrefix;
use crate::request::user::User;
use crate::response;
use crate::response::body::{Body, Interrupted};

/// Leads each request to its server.
pub(super) struct Dispatcher {
    pub(super) main: Arc<Endpoint>,
    pub(super) workspaces: Option<Arc<Workspaces>>,
}

impl Dispatcher {
    /// The user whose certificate a connection showed.
    pub(super) fn holder(&self, certificate: &CertificateDer<'_>) -> Option<User> {
        self.main.authenticator.holder(certificate)
    }

    /// Answers a request of a connection whose certificate, if any, is this user's.
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        holder: Option<User>,
        source: Option<SourceAddress>,
    ) -> Result<Response<Body>, Interrupted> {
        let Some(workspaces) = &self.workspaces else {
            return self.main.answer(request, holder, source, None).await;
        };
        let path = request.uri().path();
        match path.strip_prefix(WORKSPACES).filter(|rest| rest.is_empty() || rest.starts_with('/')) {
            Some(rest) => {
                let name = rest.get(1..).and_then(|rest| rest.split('/').next()).unwrap_or_default().to_owned();
                self.answer_workspace(workspaces, &name, request, source).await
            }
            None if Workspaces::is_about(path) => Ok(workspaces.answer(&self.main, request, holder).await),
            None => self.main.answer(request, holder, source, Some(workspaces)).await,
        }
    }

    /// The client's certificate counts for nothing there: its authority is the main server's.
    async fn answer_workspace(
        &self,
        workspaces: &Arc<Workspaces>,
        name: &str,
        mut request: Request<Incoming>,
        source: Option<SourceAddress>,
    ) -> Result<Response<Body>, Interrupted> {
        let workspace = match workspaces.find(name) {
            Ok(workspace) => workspace,
            Err(refusal) => {
                drain(request.into_body()).await;
                return Ok(response::refusal(&refusal));
            }
        };
        *request.uri_mut() = without_prefix(request.uri(), &workspace.prefix);
        request.extensions_mut().insert(PathPrefix(Arc::clone(&workspace.prefix)));
        workspace.endpoint.answer(request, None, source, Some(workspaces)).await
    }
}

/// Where a server is asked for what stands behind the prefix.
fn without_prefix(uri: &Uri, prefix: &str) -> Uri {
    let text = uri.path_and_query().map_or("", PathAndQuery::as_str);
    let rest = text.get(prefix.len()..).unwrap_or_default();
    let rest = if rest.starts_with('/') { rest.to_owned() } else { format!("/{rest}") };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = rest.parse().ok();
    Uri::from_parts(parts).unwrap_or_default()
}

/// Below this path there is one for each workspace.
pub(super) const WORKSPACES: &str = "/workspaces";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_taken_off_whatever_comes_behind_it() {
        for (uri, expected) in [
            ("/workspaces/a/api/v1/pods?watch=1", "/api/v1/pods?watch=1"),
            ("/workspaces/a", "/"),
            ("/workspaces/a/", "/"),
            ("/workspaces/a?x=/workspaces/b", "/?x=/workspaces/b"),
            ("/workspaces/a//healthz", "//healthz"),
            ("https://h:1/workspaces/a/version", "https://h:1/version"),
        ] {
            assert_eq!(without_prefix(&uri.parse().unwrap(), "/workspaces/a").to_string(), expected, "{uri}");
        }
    }
}
