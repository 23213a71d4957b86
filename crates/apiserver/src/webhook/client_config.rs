//! Where a webhook is: a URL, or a Service of the cluster.
//!
//! In: a `clientConfig` as it is stored. Out: the URL that is called and shown, the names under which a test can have
//! registered a service for it, and the certificate authority that must have signed its certificate.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// Where a webhook is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClientConfig {
    url: String,
    service: Option<ServiceReference>,
    /// PEM, as it was written; empty where nothing was.
    ca_bundle: Vec<u8>,
}

/// A Service of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServiceReference {
    pub(crate) namespace: String,
    pub(crate) name: String,
    port: u64,
    path: String,
}

impl ClientConfig {
    /// Reads a configuration that is stored, and was checked before.
    pub(crate) fn read(config: &Value) -> ClientConfig {
        let text = |value: &Value, field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let service = config.get("service").filter(|service| service.is_object()).map(|service| ServiceReference {
            namespace: text(service, "namespace"),
            name: text(service, "name"),
            port: service.get("port").and_then(Value::as_u64).unwrap_or(HTTPS_PORT),
            path: cleaned(&text(service, "path")),
        });
        let url = service.as_ref().map_or_else(|| with_cleaned_path(&text(config, "url")), ServiceReference::url);
        let ca_bundle = STANDARD.decode(text(config, "caBundle")).unwrap_or_default();
        ClientConfig { url, service, ca_bundle }
    }

    /// What is called.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn service(&self) -> Option<&ServiceReference> {
        self.service.as_ref()
    }

    #[cfg(feature = "serve")]
    pub(super) fn ca_bundle(&self) -> &[u8] {
        &self.ca_bundle
    }

    /// Whether a name means this webhook: the beginning of its URL; or `namespace/name`, with its port or without, and the
    /// beginning of its path.
    pub(super) fn is_called(&self, name: &str) -> bool {
        let is_begun = |text: &str| {
            text.strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || name.ends_with('/') || rest.starts_with(['/', ':', '?']))
        };
        let service = self.service.as_ref();
        is_begun(&self.url) || service.is_some_and(|service| service.names().iter().any(|name| is_begun(name)))
    }
}

impl ServiceReference {
    fn url(&self) -> String {
        format!("https://{}.{}.svc:{}{}", self.name, self.namespace, self.port, self.path)
    }

    fn names(&self) -> [String; 2] {
        let ServiceReference { namespace, name, port, path } = self;
        [format!("{namespace}/{name}{path}"), format!("{namespace}/{name}:{port}{path}")]
    }

    /// The address that was configured for this Service.
    pub(super) fn address<'a>(&self, addresses: &'a BTreeMap<String, String>) -> Option<&'a str> {
        let ServiceReference { namespace, name, port, .. } = self;
        let exact = addresses.get(&format!("{namespace}/{name}:{port}"));
        exact.or_else(|| addresses.get(&format!("{namespace}/{name}"))).map(String::as_str)
    }
}

/// A URL as client-go calls it: with a path that is cleaned.
fn with_cleaned_path(url: &str) -> String {
    let host = url.find("://").map_or(0, |at| at + "://".len());
    match url[host..].find('/') {
        Some(at) => format!("{}{}", &url[..host + at], cleaned(&url[host + at..])),
        None => format!("{url}/"),
    }
}

/// A path without empty segments, dots and a slash at its end, as Go's `path.Join` makes it.
fn cleaned(path: &str) -> String {
    let mut segments = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            _ => segments.push(segment),
        }
    }
    format!("/{}", segments.join("/"))
}

/// Where a webhook's Service listens unless it is said.
const HTTPS_PORT: u64 = 443;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_service_is_called_by_its_name_within_the_cluster() {
        let config = ClientConfig::read(&json!({"service": {"namespace": "ns", "name": "hook", "path": "/mutate"}}));
        assert_eq!(config.url(), "https://hook.ns.svc:443/mutate");
        let config = ClientConfig::read(&json!({"service": {"namespace": "ns", "name": "hook", "port": 8443}}));
        assert_eq!(config.url(), "https://hook.ns.svc:8443/");
    }

    /// envtest puts two slashes before a path, which a server in Go would redirect.
    #[test]
    fn a_path_is_cleaned_as_client_go_cleans_it() {
        for (url, expected) in [
            ("https://127.0.0.1:9443//failing", "https://127.0.0.1:9443/failing"),
            ("https://a.example.com/x/./y/../z/", "https://a.example.com/x/z"),
            ("https://a.example.com/../..", "https://a.example.com/"),
            ("https://a.example.com", "https://a.example.com/"),
        ] {
            assert_eq!(ClientConfig::read(&json!({"url": url})).url(), expected);
        }
        let service = json!({"service": {"namespace": "ns", "name": "hook", "path": "mutate//v1/"}});
        assert_eq!(ClientConfig::read(&service).url(), "https://hook.ns.svc:443/mutate/v1");
    }

    #[test]
    fn a_name_means_a_webhook_up_to_the_end_of_one_of_its_parts() {
        let config = ClientConfig::read(&json!({"service": {"namespace": "ns", "name": "hook", "path": "/a/b"}}));
        for name in ["ns/hook", "ns/hook:443", "ns/hook/a", "ns/hook:443/a/b", "https://hook.ns.svc:443", "ns/"] {
            assert!(config.is_called(name), "{name}");
        }
        for name in ["ns/hoo", "ns/hook:8443", "ns/hook/a/bc", "other/hook", "ns/hook/b"] {
            assert!(!config.is_called(name), "{name}");
        }
        let config = ClientConfig::read(&json!({"url": "https://hooks.example.com/a/b"}));
        assert!(config.is_called("https://hooks.example.com") && config.is_called("https://hooks.example.com/a"));
        assert!(!config.is_called("https://hooks.example.co"));
    }

    #[test]
    fn the_address_of_a_port_is_preferred_to_that_of_the_service() {
        let addresses = [("ns/hook", "127.0.0.1:1"), ("ns/hook:9443", "127.0.0.1:2")];
        let addresses = addresses.map(|(name, address)| (name.to_owned(), address.to_owned())).into_iter().collect();
        let at = |port: Value| {
            let config = ClientConfig::read(&json!({"service": {"namespace": "ns", "name": "hook", "port": port}}));
            config.service().and_then(|service| service.address(&addresses)).map(str::to_owned)
        };
        assert_eq!(at(json!(null)).as_deref(), Some("127.0.0.1:1"));
        assert_eq!(at(json!(9443)).as_deref(), Some("127.0.0.1:2"));
    }
}
