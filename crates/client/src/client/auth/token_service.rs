//! One request to a service that gives tokens, over TLS, with limits. Requests are rare, so nothing is kept open.

use std::time::Duration;

use bytes::Bytes;
use http::uri::Scheme;
use http::{Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::rt::TokioExecutor;

use crate::client::connection::connector::{self, Versions};
use crate::config::Config;

/// How long a token service may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The most that is read of its answer: a few tokens.
const ANSWER_BYTES_MAX: usize = 1024 * 1024;

/// Why there is no answer.
pub(super) enum NoAnswer {
    Setup(
        #[cfg_attr(not(feature = "oauth"), expect(dead_code, reason = "kube's OIDC errors have no place for it"))]
        std::io::Error,
    ),
    Client(hyper_util::client::legacy::Error),
    Body(hyper::Error),
    TooSlowOrTooLarge,
}

/// Sends `request`; `authorities` are trusted, or the platform's where there are none.
pub(super) async fn ask(
    request: Request<Vec<u8>>,
    authorities: Option<Vec<Vec<u8>>>,
) -> Result<Response<Bytes>, NoAnswer> {
    let mut config = Config::new(request.uri().clone());
    config.root_cert = authorities;
    let setup = |error| NoAnswer::Setup(std::io::Error::other(error));
    let mut connector = connector::plain(&config, &std::sync::Arc::default()).map_err(setup)?;
    if request.uri().scheme() != Some(&Scheme::HTTP) {
        connector = connector::secured(connector, &config, None, Versions::Http1).map_err(setup)?;
    }
    let client = HyperClient::builder(TokioExecutor::new()).build(connector);
    let answer = async {
        let response = client.request(request.map(Full::<Bytes>::from)).await.map_err(NoAnswer::Client)?;
        let (parts, body) = response.into_parts();
        let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await.map_err(|error| {
            error.downcast::<hyper::Error>().map_or(NoAnswer::TooSlowOrTooLarge, |error| NoAnswer::Body(*error))
        })?;
        Ok(Response::from_parts(parts, body.to_bytes()))
    };
    tokio::time::timeout(TIMEOUT, answer).await.unwrap_or(Err(NoAnswer::TooSlowOrTooLarge))
}
