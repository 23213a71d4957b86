//! What every request of a configuration carries: the cluster's URL before its path, and fixed headers.
//!
//! Scheme and host always come from the configuration, also where a request names others: the token that follows goes
//! nowhere else.

use http::header::{HeaderName, HeaderValue, USER_AGENT};
use http::uri::PathAndQuery;
use http::{Request, Uri};

use super::body::Body;
use crate::config::Config;

/// Says which program asks, for the server's audit log.
const AGENT: HeaderValue = HeaderValue::from_static(concat!("pintle/", env!("CARGO_PKG_VERSION")));

pub(super) struct Address {
    base: Uri,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Address {
    /// Checks that the cluster's URL is complete.
    pub(super) fn new(config: &Config) -> Result<Self, http::Error> {
        let address = Self { base: config.cluster_url.clone(), headers: config.headers.clone() };
        address.locate(&Uri::default())?;
        Ok(address)
    }

    /// Completes a request.
    pub(super) fn complete(&self, mut request: Request<Body>) -> Result<Request<Body>, http::Error> {
        *request.uri_mut() = self.locate(request.uri())?;
        let headers = request.headers_mut();
        headers.entry(USER_AGENT).or_insert(AGENT);
        for (name, value) in &self.headers {
            headers.insert(name, value.clone());
        }
        Ok(request)
    }

    fn locate(&self, uri: &Uri) -> Result<Uri, http::Error> {
        let mut parts = self.base.clone().into_parts();
        let asked = uri.path_and_query().map_or("/", PathAndQuery::as_str);
        // A cluster behind a gateway has a path of its own before the API's.
        let prefix = self.base.path().trim_end_matches('/');
        parts.path_and_query = Some(PathAndQuery::try_from(format!("{prefix}{asked}"))?);
        Uri::from_parts(parts).map_err(Into::into)
    }
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
            let address = Address::new(&Config::new(base.parse().unwrap())).unwrap();
            let request = Request::builder().uri(asked).body(Body::empty()).unwrap();
            assert_eq!(address.complete(request).unwrap().uri().to_string(), expected);
        }
    }

    #[test]
    fn a_url_without_a_scheme_is_refused_when_the_client_is_built() {
        assert!(Address::new(&Config::new("localhost:8080".parse().unwrap())).is_err());
    }
}
