//! What a request asks for, found out once and carried in its extensions.
//!
//! ```text
//!   Api ── Call ─► print ──────────────────┐
//!   a request that was made by hand ─► note ┴─► extensions ─► layers, reporter, writes, field manager
//! ```
//! The apiserver has a `RequestInfo` for the same purpose. The invariant: behind [`Client::send`](crate::Client::send) every
//! request has one, so no layer looks at a path or a query. A layer in a stack without a client parses for itself.

use std::sync::Arc;

use http::Request;
use http::header::UPGRADE;
use pintle_core::call::{self, Call, Form, PatchKind, Verb};

use super::class::RequestClass;

/// What a request asks for.
#[derive(Clone, Debug)]
pub(crate) struct RequestInfo {
    class: RequestClass,
    // None where the request is not one of the API's.
    call: Option<Arc<Call>>,
}

impl RequestInfo {
    /// The request that `call` is.
    pub(crate) fn print(call: Call, body: Vec<u8>) -> call::Result<Request<Vec<u8>>> {
        let mut request = call.to_request(body)?;
        request.extensions_mut().insert(Self::of_call(call));
        Ok(request)
    }

    /// Notes what a request asks for, unless its maker has.
    pub(in crate::client) fn note<B>(request: &mut Request<B>) {
        if request.extensions().get::<Self>().is_none() {
            let info = Self::parse(request);
            request.extensions_mut().insert(info);
        }
    }

    /// Notes that a request asks for another protocol.
    #[cfg(any(feature = "ws", test))]
    pub(in crate::client) fn note_upgrade<B>(request: &mut Request<B>) {
        let info = Self { class: RequestClass::Upgrade, ..Self::of(request) };
        request.extensions_mut().insert(info);
    }

    /// What is noted on a request.
    pub(crate) fn of<B>(request: &Request<B>) -> Self {
        request.extensions().get::<Self>().cloned().unwrap_or_else(|| Self::parse(request))
    }

    pub(in crate::client) fn of_call(call: Call) -> Self {
        Self { class: RequestClass::of_call(&call), call: Some(Arc::new(call)) }
    }

    /// How the answer comes.
    pub(in crate::client) fn class(&self) -> RequestClass {
        self.class
    }

    /// The call, if the request is one of the API's.
    pub(in crate::client) fn call(&self) -> Option<&Arc<Call>> {
        self.call.as_ref()
    }

    /// Whether it asks for metadata alone.
    pub(crate) fn is_metadata(&self) -> bool {
        self.call().is_some_and(|call| call.form == Form::Metadata)
    }

    /// Whether it asks for the eviction of a pod.
    pub(in crate::client) fn is_eviction(&self) -> bool {
        let subresource = |call: &Call| call.target.subresource.as_deref() == Some("eviction");
        self.call().is_some_and(|call| call.verb == Verb::Create && subresource(call))
    }

    /// Whether it is a server-side apply.
    pub(in crate::client) fn is_apply(&self) -> bool {
        self.call().is_some_and(|call| call.verb == Verb::Patch(PatchKind::Apply))
    }

    fn parse<B>(request: &Request<B>) -> Self {
        let (mut parts, ()) = Request::new(()).into_parts();
        parts.method = request.method().clone();
        parts.uri = request.uri().clone();
        parts.headers = request.headers().clone();
        let call = Call::parse(&parts).ok().map(Arc::new);
        let class = match &call {
            _ if parts.headers.contains_key(UPGRADE) => RequestClass::Upgrade,
            Some(call) => RequestClass::of_call(call),
            None => RequestClass::of_foreign(&parts.uri),
        };
        Self { class, call }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::header::CONTENT_TYPE;

    use super::*;

    fn get(uri: &str) -> Request<()> {
        Request::get(uri).body(()).unwrap()
    }

    #[test]
    fn a_request_made_by_hand_is_known_by_its_method_path_and_query() {
        let cases = [
            ("/api/v1/pods?", RequestClass::Plain),
            ("/api/v1/pods?&watch=true", RequestClass::Watch(None)),
            ("/api/v1/pods?&watch=1&timeoutSeconds=0", RequestClass::Watch(None)),
            ("/api/v1/pods?&timeoutSeconds=290&watch=true", RequestClass::Watch(Some(Duration::from_secs(290)))),
            ("/api/v1/pods?&labelSelector=watch%3Dtrue", RequestClass::Plain),
            ("/api/v1/namespaces/a/pods/b/log?&follow=true", RequestClass::Follow),
            ("/containerLogs/a/b/c?follow=true", RequestClass::Follow),
            (
                "/clusters/one/api/v1/pods?watch=true&timeoutSeconds=5",
                RequestClass::Watch(Some(Duration::from_secs(5))),
            ),
            ("/healthz", RequestClass::Plain),
        ];
        for (uri, class) in cases {
            assert_eq!(RequestInfo::of(&get(uri)).class(), class, "{uri}");
        }
        let upgrade = Request::get("/exec").header(UPGRADE, "websocket").body(()).unwrap();
        assert_eq!(RequestInfo::of(&upgrade).class(), RequestClass::Upgrade);
        let eviction = Request::post("/api/v1/namespaces/a/pods/b/eviction").body(()).unwrap();
        assert!(RequestInfo::of(&eviction).is_eviction() && !RequestInfo::of(&eviction).is_apply());
        let apply = Request::patch("/api/v1/pods/a").header(CONTENT_TYPE, PatchKind::Apply.content_type());
        assert!(RequestInfo::of(&apply.body(()).unwrap()).is_apply());
    }

    #[test]
    fn what_is_noted_stays_whatever_becomes_of_the_url() {
        let mut request = get("/api/v1/pods?&watch=true");
        RequestInfo::note(&mut request);
        *request.uri_mut() = "https://host/clusters/one/somewhere".parse().unwrap();
        RequestInfo::note(&mut request);
        let info = RequestInfo::of(&request);
        assert_eq!((info.class(), info.call().unwrap().target.plural.as_str()), (RequestClass::Watch(None), "pods"));
        RequestInfo::note_upgrade(&mut request);
        assert_eq!(RequestInfo::of(&request).class(), RequestClass::Upgrade);
        assert!(RequestInfo::of(&request).call().is_some());
    }
}
