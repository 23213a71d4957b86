//! `NO_PROXY`: the hosts that are reached directly.
//!
//! Go's rules: names match themselves and what is below them (`.name` and `*.name` only what is below), addresses
//! match themselves, CIDRs what lies in them, `*` everything; each may end in a port, and then only that port matches.
//! Loopback always matches.

use std::net::IpAddr;

use http::Uri;
use http::uri::Scheme;
use ipnet::IpNet;
use thiserror::Error;

/// Why `NO_PROXY` cannot be read.
#[derive(Debug, Error)]
pub enum NoProxyError {
    /// The list is empty. kube refuses it; here it means that every host is proxied.
    #[error("the list is empty")]
    EmptyInput,
    /// An entry is empty. kube refuses it; here it is passed over.
    #[error("an entry of the list is empty")]
    EmptyValue,
    /// An entry is neither a host, nor an address, nor a CIDR.
    #[error("{input:?} is neither a host, nor an address, nor a CIDR")]
    ParseMatcher {
        /// The entry.
        input: String,
    },
    /// The cluster's URL has no host.
    #[error("{uri} has no host")]
    NoHost {
        /// The URL.
        uri: Box<Uri>,
    },
}

/// The hosts that are reached directly.
pub(super) struct NoProxy {
    entries: Vec<Entry>,
}

struct Entry {
    hosts: Hosts,
    /// Every port where it is not said.
    port: Option<u16>,
}

enum Hosts {
    All,
    Address(IpAddr),
    Net(IpNet),
    /// A name and what is below it.
    Domain(String),
    /// What is below a name; it begins with a dot.
    Below(String),
}

impl NoProxy {
    pub(super) fn parse(list: &str) -> Result<Self, NoProxyError> {
        let entries = list.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        Ok(Self { entries: entries.map(Entry::parse).collect::<Result<_, _>>()? })
    }

    /// Whether the host of `uri` is reached directly.
    pub(super) fn covers(&self, uri: &Uri) -> bool {
        let host = uri.host().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
        let address: Option<IpAddr> = host.trim_start_matches('[').trim_end_matches(']').parse().ok();
        if host == "localhost" || address.is_some_and(|address| address.is_loopback()) {
            return true;
        }
        let port = uri.port_u16().unwrap_or(if uri.scheme() == Some(&Scheme::HTTP) { 80 } else { 443 });
        self.entries.iter().any(|entry| entry.covers(&host, address, port))
    }
}

impl Entry {
    fn parse(text: &str) -> Result<Self, NoProxyError> {
        let unreadable = || NoProxyError::ParseMatcher { input: text.to_owned() };
        if text == "*" {
            return Ok(Self { hosts: Hosts::All, port: None });
        }
        if text.contains('/') {
            return Ok(Self { hosts: Hosts::Net(text.parse().map_err(|_| unreadable())?), port: None });
        }
        if let Ok(address) = text.trim_start_matches('[').trim_end_matches(']').parse() {
            return Ok(Self { hosts: Hosts::Address(address), port: None });
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) => (host, Some(port.parse().map_err(|_| unreadable())?)),
            None => (text, None),
        };
        if host.is_empty() || host.contains(char::is_whitespace) {
            return Err(unreadable());
        }
        if let Ok(address) = host.trim_start_matches('[').trim_end_matches(']').parse() {
            return Ok(Self { hosts: Hosts::Address(address), port });
        }
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let hosts = match host.strip_prefix('*').unwrap_or(&host) {
            below if below.starts_with('.') => Hosts::Below(below.to_owned()),
            _ => Hosts::Domain(host),
        };
        Ok(Self { hosts, port })
    }

    fn covers(&self, host: &str, address: Option<IpAddr>, port: u16) -> bool {
        if self.port.is_some_and(|only| only != port) {
            return false;
        }
        match &self.hosts {
            Hosts::All => true,
            Hosts::Address(only) => address.as_ref() == Some(only),
            Hosts::Net(net) => address.is_some_and(|address| net.contains(&address)),
            Hosts::Below(suffix) => address.is_none() && host.len() > suffix.len() && host.ends_with(suffix),
            Hosts::Domain(domain) => {
                address.is_none()
                    && host.strip_suffix(domain.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read_as_go_reads_it() {
        let cases = [
            ("example.com", "https://example.com:6443", true),
            ("example.com", "https://api.example.com", true),
            ("example.com", "https://notexample.com", false),
            (".example.com", "https://example.com", false),
            (".example.com", "https://api.example.com", true),
            ("*.example.com", "https://api.example.com", true),
            ("*.example.com", "https://example.com", false),
            ("EXAMPLE.com.", "https://Example.COM", true),
            ("example.com:6443", "https://example.com:6443", true),
            ("example.com:6443", "https://example.com", false),
            ("example.com:443", "https://example.com", true),
            ("10.0.0.1", "https://10.0.0.1:6443", true),
            ("10.0.0.1:6443", "https://10.0.0.1:443", false),
            ("10.0.0.0/8", "https://10.9.9.9", true),
            ("10.0.0.0/8", "https://11.0.0.1", false),
            ("fd00::/8", "https://[fd00::1]:6443", true),
            ("[fd00::1]", "https://[fd00::1]:6443", true),
            ("0.1", "https://10.0.0.1", false),
            ("*", "https://anything", true),
            (" a , , example.com ", "https://example.com", true),
            ("", "https://example.com", false),
            ("", "https://localhost:6443", true),
            ("", "https://127.0.0.1:6443", true),
        ];
        for (list, url, direct) in cases {
            assert_eq!(NoProxy::parse(list).unwrap().covers(&url.parse().unwrap()), direct, "{list} {url}");
        }
        for unreadable in ["10.0.0.0/99", "host:https", "a b", ":80"] {
            assert!(matches!(NoProxy::parse(unreadable), Err(NoProxyError::ParseMatcher { .. })), "{unreadable}");
        }
    }
}
