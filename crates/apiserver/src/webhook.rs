//! Calling the programs of a cluster that decide about or change what is stored: admission and conversion webhooks.
//!
//! ```text
//!  review ─► WebhookClient ─┬─ a service of this process, where one is registered ─┬─► response ─► review
//!                           └─ HTTPS, over connections that are kept ──────────────┘
//! ```
//! In: where to call ([`ClientConfig`]) and a body. Out: the JSON that came back, or why none did, in the words that
//! client-go has for it. The caller's own future makes the call: there is no task and no queue, a webhook that hangs
//! holds up its own request alone, and its answer is read up to a limit.

mod client_config;
mod go_json_patch;
#[cfg(feature = "serve")]
mod https;
mod in_process;
mod response;
pub(crate) mod review;
#[cfg(feature = "serve")]
mod verifier;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use serde_json::Value;

pub(crate) use client_config::ClientConfig;
pub(crate) use go_json_patch::{apply as apply_json_patch, decode as decode_json_patch};
pub(crate) use in_process::InProcess;

use crate::server::BoxError;

/// The body of a webhook's response.
type ResponseBody = http_body_util::combinators::UnsyncBoxBody<Bytes, BoxError>;

/// What webhooks are called with.
#[derive(Clone, Default)]
pub(crate) struct WebhookClient(Arc<Routes>);

/// Which webhooks are reached how.
#[derive(Default)]
pub(crate) struct Routes {
    /// Services of this process, by what a configuration calls them.
    in_process: Vec<(String, InProcess)>,
    /// Where the Services of the cluster are, by `namespace/name` or `namespace/name:port`.
    addresses: BTreeMap<String, String>,
    #[cfg(feature = "serve")]
    https: https::Connections,
}

/// Why a webhook did not answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CallError {
    /// It cannot be called as its configuration is.
    Client(String),
    /// The call failed.
    Call(String),
}

/// Who calls, as the webhook sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    Admission,
    Conversion,
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::Client(why) => write!(f, "could not get REST client: {why}"),
            CallError::Call(why) => f.write_str(why),
        }
    }
}

impl Routes {
    pub(crate) fn new(in_process: Vec<(String, InProcess)>, addresses: BTreeMap<String, String>) -> Routes {
        Routes { in_process, addresses, ..Routes::default() }
    }
}

impl WebhookClient {
    pub(crate) fn new(routes: Routes) -> WebhookClient {
        WebhookClient(Arc::new(routes))
    }

    /// Sends a review, and returns what came back as JSON. `has_service` says whether the Service that is named is there.
    pub(crate) async fn post(
        &self,
        caller: Caller,
        config: &ClientConfig,
        timeout: Duration,
        review: &Value,
        has_service: bool,
    ) -> Result<Value, CallError> {
        let url = format!("{}?timeout={}s", config.url(), timeout.as_secs());
        let deadline = tokio::time::Instant::now() + timeout;
        let failed = |why: String| CallError::Call(format!("Post \"{url}\": {why}"));
        let request = Request::post(&url)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, */*")
            .header(USER_AGENT, caller.user_agent())
            .body(Bytes::from(review.to_string()))
            .map_err(|error| failed(error.to_string()))?;
        let sent = tokio::time::timeout_at(deadline, self.send(config, request, has_service)).await;
        let response = match sent {
            Ok(Ok(response)) => response,
            Ok(Err(CallError::Call(why))) => return Err(failed(why)),
            Ok(Err(other)) => return Err(other),
            Err(_) => return Err(failed(DEADLINE.to_owned())),
        };
        match tokio::time::timeout_at(deadline, response::read(response)).await {
            Ok(read) => read.map_err(CallError::Call),
            Err(_) => Err(CallError::Call(response::unreadable(DEADLINE))),
        }
    }

    async fn send(
        &self,
        config: &ClientConfig,
        request: Request<Bytes>,
        has_service: bool,
    ) -> Result<http::Response<ResponseBody>, CallError> {
        let Routes { in_process, .. } = &*self.0;
        if let Some((_, service)) = in_process.iter().find(|(name, _)| config.is_called(name)) {
            return service.call(request).await.map_err(|error| CallError::Call(error.to_string()));
        }
        let address = config.service().map(|service| service.address(&self.0.addresses));
        if let (Some(None), Some(service)) = (address, config.service()) {
            return Err(CallError::Call(match has_service {
                false => format!("service {:?} not found", service.name),
                true => format!("no endpoints available for service {:?}", service.name),
            }));
        }
        self.send_over_https(config, address.flatten(), request).await
    }

    #[cfg(feature = "serve")]
    async fn send_over_https(
        &self,
        config: &ClientConfig,
        address: Option<&str>,
        request: Request<Bytes>,
    ) -> Result<http::Response<ResponseBody>, CallError> {
        self.0.https.send(config, address, request).await
    }

    #[cfg(not(feature = "serve"))]
    #[expect(clippy::unused_async, reason = "the form of the one that calls")]
    async fn send_over_https(
        &self,
        _: &ClientConfig,
        _: Option<&str>,
        _: Request<Bytes>,
    ) -> Result<http::Response<ResponseBody>, CallError> {
        let why = "no service of this process is registered for it, and calls over HTTPS need feature `serve`";
        Err(CallError::Call(why.to_owned()))
    }
}

impl Caller {
    fn user_agent(self) -> &'static str {
        match self {
            Caller::Admission => "kube-apiserver-admission",
            Caller::Conversion => "kube-apiserver",
        }
    }
}

impl fmt::Debug for WebhookClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.0.in_process.iter().map(|(name, _)| name).collect();
        f.debug_struct("WebhookClient").field("in_process", &names).finish_non_exhaustive()
    }
}

/// What Go says when the time of a call is over.
const DEADLINE: &str = "context deadline exceeded";
