//! Adds the headers that every request of a configuration carries: those it names, whom to act as, and which program
//! asks.
//!
//! Inside of the credentials: a header of the configuration may replace them.
//!
//! They replace what a request brings under the same names: no request acts as another user by accident.

use std::sync::Arc;
use std::task::{Context, Poll};

use http::Request;
use http::header::{HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use tower::{Layer, Service};

use crate::config::Config;

/// Says which program asks, for the server's audit log.
const AGENT: HeaderValue = HeaderValue::from_static(concat!("pintle/", env!("CARGO_PKG_VERSION")));

/// What a key of `as-user-extra` may not hold as part of a header name. `%` is among it, because the server decodes.
const NO_HEADER_NAME: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'%')
    .add(b'(')
    .add(b')')
    .add(b',')
    .add(b'/')
    .add(b':')
    .add(b';')
    .add(b'<')
    .add(b'=')
    .add(b'>')
    .add(b'?')
    .add(b'@')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'{')
    .add(b'}');

/// Adds the headers of a configuration to each request; see `ConfigExt::extra_headers_layer`.
#[derive(Clone)]
pub struct ExtraHeadersLayer {
    headers: Arc<HeaderMap>,
}

impl ExtraHeadersLayer {
    pub(crate) fn new(config: &Config) -> Result<Self, http::Error> {
        let mut headers = HeaderMap::new();
        for (name, value) in &config.headers {
            headers.append(name, value.clone());
        }
        let user = &config.auth_info;
        let mut act_as = |name: String, value: &str| -> Result<(), http::Error> {
            headers.append(HeaderName::try_from(name)?, HeaderValue::try_from(value)?);
            Ok(())
        };
        if let Some(name) = user.impersonate.as_deref().filter(|name| !name.is_empty()) {
            act_as("impersonate-user".to_owned(), name)?;
        }
        if let Some(uid) = user.impersonate_uid.as_deref().filter(|uid| !uid.is_empty()) {
            act_as("impersonate-uid".to_owned(), uid)?;
        }
        for group in user.impersonate_groups.iter().flatten() {
            act_as("impersonate-group".to_owned(), group)?;
        }
        let mut extra: Vec<_> = user.impersonate_user_extra.iter().flatten().collect();
        extra.sort();
        for (key, values) in extra {
            let name = format!("impersonate-extra-{}", utf8_percent_encode(&key.to_lowercase(), NO_HEADER_NAME));
            for value in values {
                act_as(name.clone(), value)?;
            }
        }
        Ok(Self { headers: Arc::new(headers) })
    }
}

impl<S> Layer<S> for ExtraHeadersLayer {
    type Service = ExtraHeaders<S>;

    fn layer(&self, inner: S) -> ExtraHeaders<S> {
        ExtraHeaders { inner, headers: self.headers.clone() }
    }
}

/// The service that [`ExtraHeadersLayer`] makes.
#[derive(Clone)]
pub struct ExtraHeaders<S> {
    inner: S,
    headers: Arc<HeaderMap>,
}

impl<S, B> Service<Request<B>> for ExtraHeaders<S>
where
    S: Service<Request<B>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<B>) -> S::Future {
        let headers = request.headers_mut();
        for name in self.headers.keys() {
            headers.remove(name);
        }
        for (name, value) in self.headers.iter() {
            headers.append(name, value.clone());
        }
        headers.entry(USER_AGENT).or_insert(AGENT);
        self.inner.call(request)
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use tower::{ServiceExt, service_fn};

    use super::*;
    use crate::config::AuthInfo;

    fn sent(config: &Config, request: Request<()>) -> Vec<String> {
        let echo = service_fn(|request: Request<()>| async move { Ok::<_, std::convert::Infallible>(request) });
        let service = ExtraHeadersLayer::new(config).unwrap().layer(echo);
        let sent = service.oneshot(request).now_or_never().unwrap().unwrap();
        sent.headers().iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect()
    }

    #[test]
    fn whom_to_act_as_is_said_in_headers_and_wins_over_what_a_request_brings() {
        let mut config = Config::new("https://host".parse().unwrap());
        config.headers = vec![(HeaderName::from_static("x-team"), HeaderValue::from_static("red"))];
        config.auth_info = AuthInfo {
            impersonate: Some("jane".into()),
            impersonate_uid: Some("7".into()),
            impersonate_groups: Some(vec!["a".into(), "b".into()]),
            impersonate_user_extra: Some([("acme.com/Pro ject".into(), vec!["x".into(), "y".into()])].into()),
            ..AuthInfo::default()
        };
        let request =
            Request::builder().header("impersonate-user", "root").header("user-agent", "me").body(()).unwrap();
        let mut sent = sent(&config, request);
        sent.sort();
        let expected = [
            "impersonate-extra-acme.com%2fpro%20ject: x",
            "impersonate-extra-acme.com%2fpro%20ject: y",
            "impersonate-group: a",
            "impersonate-group: b",
            "impersonate-uid: 7",
            "impersonate-user: jane",
            "user-agent: me",
            "x-team: red",
        ];
        assert_eq!(sent, expected);
    }

    #[test]
    fn a_request_that_names_no_agent_names_this_one() {
        let config = Config::new("https://host".parse().unwrap());
        let agent = concat!("user-agent: pintle/", env!("CARGO_PKG_VERSION"));
        assert_eq!(sent(&config, Request::new(())), [agent]);
    }

    #[test]
    fn a_name_that_no_header_can_hold_is_refused() {
        let mut config = Config::new("https://host".parse().unwrap());
        config.auth_info.impersonate = Some("a\nb".into());
        assert!(ExtraHeadersLayer::new(&config).is_err());
    }
}
