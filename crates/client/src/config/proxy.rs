//! The proxy to connect through, where the environment names one.
//!
//! In: the cluster's URL and the variables `HTTPS_PROXY` (or `HTTP_PROXY` for a plain `http://` cluster) and
//! `NO_PROXY`, in capitals or not. Out: the proxy's URL, if there is one for this cluster. The rules are Go's, so that
//! kubectl and this client go the same way: `NO_PROXY` is about the cluster's host and never about the proxy's; loopback
//! is never proxied. A `proxy-url` in a kubeconfig is a choice for that cluster: no variable is asked then.

use http::Uri;
use http::uri::Scheme;

use super::error::KubeconfigError;
#[cfg(any(feature = "http-proxy", feature = "socks5"))]
use super::no_proxy::NoProxy;

/// What the environment says about `cluster_url`; `variable` reads a variable.
pub(super) fn from_environment(
    cluster_url: &Uri,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<Uri>, KubeconfigError> {
    let read = |name: &str| {
        let value = variable(name).or_else(|| variable(&name.to_ascii_lowercase()));
        value.filter(|value| !value.trim().is_empty())
    };
    let name = if cluster_url.scheme() == Some(&Scheme::HTTP) { "HTTP_PROXY" } else { "HTTPS_PROXY" };
    let Some(proxy) = read(name) else {
        return Ok(None);
    };
    #[cfg(any(feature = "http-proxy", feature = "socks5"))]
    if NoProxy::parse(&read("NO_PROXY").unwrap_or_default()).map_err(KubeconfigError::ParseNoProxy)?.covers(cluster_url)
    {
        return Ok(None);
    }
    parse(proxy.trim()).map(Some)
}

/// A proxy's URL; one without a scheme is `http://`, as everywhere.
pub(super) fn parse(text: &str) -> Result<Uri, KubeconfigError> {
    let text = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    text.parse().map_err(KubeconfigError::ParseProxyUrl)
}

#[cfg(any(feature = "http-proxy", feature = "socks5"))]
#[cfg(test)]
mod tests {
    use super::*;

    fn proxy(cluster: &str, variables: &[(&str, &str)]) -> Option<String> {
        let read = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        from_environment(&cluster.parse().unwrap(), read).unwrap().map(|uri| uri.to_string())
    }

    #[test]
    fn the_variable_of_the_scheme_is_used_in_capitals_or_not() {
        let both = [("HTTPS_PROXY", "http://secure"), ("http_proxy", "plain:3128")];
        assert_eq!(proxy("https://cluster", &both).unwrap(), "http://secure/");
        assert_eq!(proxy("http://cluster", &both).unwrap(), "http://plain:3128/");
        assert_eq!(proxy("https://cluster", &[("https_proxy", "socks5://s:1080")]).unwrap(), "socks5://s:1080/");
        assert_eq!(proxy("https://cluster", &[("HTTPS_PROXY", "")]), None);
    }

    #[test]
    fn no_proxy_speaks_of_the_cluster_and_not_of_the_proxy() {
        let of_proxy = [("HTTPS_PROXY", "http://proxy.corp:3128"), ("NO_PROXY", "proxy.corp")];
        assert!(proxy("https://cluster.example", &of_proxy).is_some());
        let of_cluster = [("HTTPS_PROXY", "http://proxy.corp:3128"), ("no_proxy", "cluster.example")];
        assert_eq!(proxy("https://cluster.example:6443", &of_cluster), None);
    }

    #[test]
    fn a_list_that_cannot_be_read_is_an_error() {
        let read = |name: &str| Some(if name == "NO_PROXY" { "10.0.0.0/99" } else { "http://p" }.to_owned());
        let error = from_environment(&"https://c".parse().unwrap(), read).unwrap_err();
        assert!(matches!(error, KubeconfigError::ParseNoProxy(_)), "{error:?}");
    }
}
