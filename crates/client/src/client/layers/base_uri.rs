//! Adds the cluster's URL before every path.
//!
//! Outermost, so that everything inside sees where the request really goes.
//!
//! Scheme and host always come from the configuration, also where a request names others: the credentials that follow
//! go nowhere else. A path in the URL is kept.

use std::task::{Context, Poll};

use http::uri::PathAndQuery;
use http::{Request, Uri};
use tower::{Layer, Service};

/// Makes every request relative to a URL, whose path is kept.
#[derive(Debug, Clone)]
pub struct BaseUriLayer {
    base_uri: Uri,
}

impl BaseUriLayer {
    /// Requests go to `base_uri`.
    pub fn new(base_uri: Uri) -> Self {
        Self { base_uri }
    }
}

impl<S> Layer<S> for BaseUriLayer {
    type Service = BaseUri<S>;

    fn layer(&self, inner: S) -> BaseUri<S> {
        BaseUri { base_uri: self.base_uri.clone(), inner }
    }
}

/// The service that [`BaseUriLayer`] makes.
#[derive(Debug, Clone)]
pub struct BaseUri<S> {
    base_uri: Uri,
    inner: S,
}

impl<S, B> Service<Request<B>> for BaseUri<S>
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
        // A URL without scheme or host is refused when a client is built from a configuration. In a stack of one's
        // own the request then goes on without them, and cannot be sent anywhere.
        *request.uri_mut() = locate(&self.base_uri, request.uri()).unwrap_or_default();
        self.inner.call(request)
    }
}

/// Where a request goes.
pub(crate) fn locate(base: &Uri, asked: &Uri) -> Result<Uri, http::Error> {
    let mut parts = base.clone().into_parts();
    let asked = asked.path_and_query().map_or("/", PathAndQuery::as_str);
    // A cluster behind a gateway has a path of its own before the API's.
    let prefix = base.path().trim_end_matches('/');
    parts.path_and_query = Some(PathAndQuery::try_from(format!("{prefix}{asked}"))?);
    Uri::from_parts(parts).map_err(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clusters_url_goes_before_every_path_and_wins_over_another_host() {
        let cases = [
            ("https://host", "/version", "https://host/version"),
            ("https://host:6443/", "/api/v1/pods?", "https://host:6443/api/v1/pods?"),
            ("https://host/clusters/one/", "/api?&limit=1", "https://host/clusters/one/api?&limit=1"),
            ("https://host", "http://elsewhere/version?a=b", "https://host/version?a=b"),
        ];
        for (base, asked, expected) in cases {
            let located = locate(&base.parse().unwrap(), &asked.parse().unwrap()).unwrap();
            assert_eq!(located.to_string(), expected);
        }
    }
}
