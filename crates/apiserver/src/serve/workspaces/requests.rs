//! `/pintle/v1/workspaces`: workspaces made, listed and dropped by request.
//!
//! In: requests of an administrator of the served server (a user in `system:masters`), or of whoever has its admin token. Out:
//! JSON. The secrets of a workspace are in the answer to the request that makes it, and nowhere else.

use std::sync::Arc;

use http::request::Parts;
use http::{Method, Request, Response};
use hyper::body::Incoming;
use secrecy::ExposeSecret;
use serde_json::{Map, Value, json};

use super::super::admin::fields::Fields;
use super::super::credential::Credential;
use super::super::endpoint::Endpoint;
use super::{Keys, NewWorkspace, Workspace, Workspaces};
use crate::authorization::decision::MASTERS;
use crate::registry::validation::names;
use crate::request::decode;
use crate::request::user::User;
use crate::response;
use crate::response::body::Body;
use crate::response::status::{Answer, FieldError, invalid, refuse};
use crate::server::Server;

/// Where workspaces are made.
pub(super) const PATH: &str = "/pintle/v1/workspaces";

impl Workspaces {
    /// Whether a path of the served server is about workspaces.
    pub(crate) fn is_about(path: &str) -> bool {
        path.strip_prefix(PATH).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Answers a request about workspaces.
    pub(crate) async fn answer(
        self: &Arc<Self>,
        main: &Endpoint,
        request: Request<Incoming>,
        holder: Option<User>,
    ) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let body = decode::read(body).await;
        let done = check_user(main, &parts, holder).and_then(|()| self.perform(main, &parts, &body?));
        done.unwrap_or_else(|refusal| response::refusal(&refusal))
    }

    fn perform(self: &Arc<Self>, main: &Endpoint, parts: &Parts, body: &[u8]) -> Answer<Response<Body>> {
        let name = parts.uri.path().strip_prefix(PATH).unwrap_or_default().trim_matches('/');
        match (&parts.method, name) {
            (&Method::POST, "") => {
                let mut fields = Fields::read(KIND, body)?;
                let of = match fields.text("from")? {
                    Some(from) => self.find(&from)?.server().clone(),
                    None => main.authenticator.server().clone(),
                };
                self.make(&of, fields)
            }
            (&Method::GET, "") => Ok(response::value(&self.describe_all())),
            (&Method::GET, name) => Ok(response::value(&self.find(name)?.describe(self).into())),
            (&Method::DELETE, name) if !name.is_empty() => {
                Ok(response::value(&self.remove(name)?.describe(self).into()))
            }
            _ => {
                let why = format!("workspaces are made by POST {PATH}, read by GET, and dropped by DELETE {PATH}/NAME");
                Err(refuse(405, "MethodNotAllowed", why))
            }
        }
    }

    /// Makes a fork of a server, with the name and the time to live that were asked for.
    pub(crate) fn make(self: &Arc<Self>, of: &Server, mut fields: Fields) -> Answer<Response<Body>> {
        let name = fields.text("name")?.unwrap_or_else(generated_name);
        if let [why, ..] = &names::label(&name)[..] {
            return Err(invalid(KIND, "", &name, &[FieldError::invalid_text("name", &name, why)]));
        }
        let time_to_live = fields.seconds("ttlSeconds")?.or(self.limits.time_to_live);
        fields.finish()?;
        let (workspace, keys) = self.create(of, NewWorkspace { name, time_to_live })?;
        Ok(response::made(&self.describe_new(&workspace, &keys)))
    }

    fn describe_all(&self) -> Value {
        let list: Vec<Arc<Workspace>> = self.list().values().cloned().collect();
        let described: Vec<Value> = list.iter().map(|workspace| workspace.describe(self).into()).collect();
        json!({"workspaces": described, "most": self.limits.most})
    }

    /// Everything that is needed to use it.
    fn describe_new(&self, workspace: &Workspace, keys: &Keys) -> Value {
        let (reach, name) = (self.reach.behind(&workspace.prefix), format!("pintle-{}", workspace.name));
        let kubeconfig = |name: &str, token: &_| reach.kubeconfig(name, &Credential::Token(Clone::clone(token)));
        let mut described = workspace.describe(self);
        described.insert("kubeconfig".to_owned(), kubeconfig(&name, &keys.token).into());
        described.insert("token".to_owned(), keys.token.expose_secret().into());
        if let Some(ca_pem) = &reach.ca_pem {
            described.insert("certificateAuthority".to_owned(), ca_pem.as_str().into());
        }
        if let Some(token) = &keys.admin {
            described.insert("adminKubeconfig".to_owned(), kubeconfig(&format!("{name}-admin"), token).into());
            described.insert("adminToken".to_owned(), token.expose_secret().into());
        }
        described.into()
    }
}

impl Workspace {
    fn describe(&self, all: &Workspaces) -> Map<String, Value> {
        let mut described = Map::new();
        described.insert("name".to_owned(), self.name.as_str().into());
        described.insert("server".to_owned(), all.reach.behind(&self.prefix).url.into());
        described.insert("created".to_owned(), self.created.strftime(SECONDS).to_string().into());
        if let Some(expires) = self.expires {
            described.insert("expires".to_owned(), expires.strftime(SECONDS).to_string().into());
        }
        described.insert("revision".to_owned(), self.server().revision().into());
        described
    }
}

fn check_user(main: &Endpoint, parts: &Parts, holder: Option<User>) -> Answer<()> {
    if main.admin.as_ref().is_some_and(|admin| admin.opens(&parts.headers)) {
        return Ok(());
    }
    let user = main.authenticator.user(&parts.headers, holder);
    match user {
        Some(user) if user.is_in(MASTERS) => Ok(()),
        Some(user) if !user.is_anonymous() => {
            let why = format!("user {:?} is not in the group {MASTERS:?}, whose users make workspaces", user.name);
            Err(refuse(403, "Forbidden", why))
        }
        _ => Err(refuse(
            401,
            "Unauthorized",
            "Unauthorized: workspaces are made with the token of the server's kubeconfig",
        )),
    }
}

/// A name that nobody has: it is of 64 random bits.
fn generated_name() -> String {
    let random = uuid::Uuid::new_v4().simple().to_string();
    format!("w-{}", &random[..16])
}

/// What an error says was wrong.
const KIND: &str = "Workspace";

/// How timestamps are written.
const SECONDS: &str = "%Y-%m-%dT%H:%M:%SZ";
