//! What a call is known by, in spans, log lines and errors: its verb and its URL.
//!
//! User name and password of the URL are left out, and so is the query: the arguments of an exec stand there.

use std::fmt;

use http::{Method, Request, Uri};
use pintle_core::call::Target;

use crate::client::layers::base_uri::locate;
use crate::client::request::class::RequestClass;
use crate::client::request::info::RequestInfo;

/// A call by its verb and URL.
#[derive(Clone, Debug)]
pub(in crate::client) struct CallName {
    method: Method,
    // Cheap to keep: printed only where there is something to say.
    uri: Uri,
    info: RequestInfo,
    base: Option<Uri>,
}

impl CallName {
    pub(in crate::client) fn of<B>(request: &Request<B>) -> Self {
        let info = RequestInfo::of(request);
        Self { method: request.method().clone(), uri: request.uri().clone(), info, base: None }
    }

    /// The same call, which goes to the server at `base` where it does not say so itself.
    pub(in crate::client) fn to(self, base: Option<&Uri>) -> Self {
        Self { base: base.cloned(), ..self }
    }

    pub(in crate::client) fn method(&self) -> &Method {
        &self.method
    }

    /// What it is asked of, if it is a call of the API.
    pub(in crate::client) fn target(&self) -> Option<&Target> {
        self.info.call().map(|call| &call.target)
    }

    /// Scheme, host and port, where they are known.
    pub(in crate::client) fn server(&self) -> Option<String> {
        let uri = self.uri.authority().map(|_| &self.uri).or(self.base.as_ref())?;
        let host = uri.authority()?.as_str().rsplit('@').next()?;
        Some(format!("{}://{host}", uri.scheme_str().unwrap_or("http")))
    }

    /// Host and port, where they are known.
    pub(in crate::client) fn address(&self) -> Option<(&str, Option<u16>)> {
        let uri = self.uri.authority().map(|_| &self.uri).or(self.base.as_ref())?;
        Some((uri.host()?, uri.port_u16()))
    }

    /// The whole URL, without what is secret.
    pub(in crate::client) fn url(&self) -> String {
        let located = self.base.as_ref().filter(|_| self.uri.authority().is_none());
        let located = located.and_then(|base| locate(base, &self.uri).ok());
        format!("{}{}", self.server().unwrap_or_default(), located.as_ref().unwrap_or(&self.uri).path())
    }
}

impl fmt::Display for CallName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let watch = if matches!(self.info.class(), RequestClass::Watch(_)) { " (watch)" } else { "" };
        write!(f, "{} {}{watch}", self.method, self.url())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_named_without_its_query_and_without_a_password() {
        let cases = [
            ("https://me:secret@host:6443/api/v1/pods?&limit=5", "GET https://host:6443/api/v1/pods"),
            ("https://host/api/v1/pods?&watch=true", "GET https://host/api/v1/pods (watch)"),
            ("/api/v1/pods?", "GET /api/v1/pods"),
        ];
        for (uri, expected) in cases {
            assert_eq!(CallName::of(&Request::get(uri).body(()).unwrap()).to_string(), expected);
        }
        let (base, request) = ("https://me@host/one/".parse().unwrap(), Request::get("/api?a=b").body(()).unwrap());
        assert_eq!(CallName::of(&request).to(Some(&base)).to_string(), "GET https://host/one/api");
    }
}
