//! Adds the wait for the client's own [rate limit](RateLimit), where its program has set one.
//!
//! Inside of retry, so that every try counts; outside of the time limits, which are for the server.

use futures::future::FutureExt;
use http::Request;

use crate::client::body::Body;
use crate::client::layers::wrapped::{Answer, Inner, WrapsCalls, take_ready};
use crate::client::metrics::Metrics;
use crate::client::request::rate_limit::RateLimit;

/// Lets requests wait for the limit that they carry.
#[derive(Clone)]
pub(in crate::client) struct RateLimitLayer {
    metrics: Metrics,
}

impl RateLimitLayer {
    pub(in crate::client) fn new(metrics: Metrics) -> Self {
        Self { metrics }
    }
}

impl WrapsCalls for RateLimitLayer {
    fn call<S: Inner>(&self, inner: &mut S, request: Request<Body>) -> Answer {
        let Some(limit) = request.extensions().get::<RateLimit>().filter(|_| RateLimit::counts(&request)).cloned()
        else {
            return inner.call(request).boxed();
        };
        let (mut inner, labels, metrics) = (take_ready(inner), self.metrics.labels(&request), self.metrics.clone());
        async move {
            metrics.waited(&labels, limit.turn().await);
            inner.call(request).await
        }
        .boxed()
    }
}
