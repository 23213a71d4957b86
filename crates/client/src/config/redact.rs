//! What `Debug` shows of a kubeconfig: everything but what could be a secret.
//!
//! Hidden are credentials, the values of unknown fields, of plugin variables and of provider settings, the
//! arguments of plugins (some pass a password there), what tools keep for themselves, and the user part of URLs.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use http::Uri;

use super::exec::{ExecAuthCluster, ExecConfig};
use super::file::{Cluster, Context, Kubeconfig, NamedCluster, NamedContext, NamedExtension, Other, Preferences};
use super::user::{AuthInfo, AuthProviderConfig, NamedAuthInfo};

/// A URL without user name and password.
pub(crate) fn without_user(uri: &Uri) -> Uri {
    let Some(authority) = uri.authority().filter(|authority| authority.as_str().contains('@')) else {
        return uri.clone();
    };
    let host = authority.as_str().rsplit('@').next().unwrap_or_default();
    let mut parts = uri.clone().into_parts();
    parts.authority = host.parse().ok();
    Uri::from_parts(parts).unwrap_or_default()
}

/// A URL that is still text, without user name and password.
struct UrlText<'a>(&'a Option<String>);

impl fmt::Debug for UrlText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.as_deref().map(|text| match text.parse::<Uri>() {
            Ok(uri) => without_user(&uri).to_string(),
            Err(_) => "no URL".to_owned(),
        });
        shown.fmt(f)
    }
}

/// The names of fields without their values.
struct Names<'a>(Vec<&'a String>);

impl<'a> Names<'a> {
    fn of_unknown(fields: &'a Other) -> Self {
        Self(fields.keys().collect())
    }

    fn of_settings(settings: &'a HashMap<String, String>) -> Self {
        Self(settings.keys().collect::<std::collections::BTreeSet<_>>().into_iter().collect())
    }
}

impl fmt::Debug for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(&self.0).finish()
    }
}

/// `Debug` of the structs that keep unknown fields: every field as it is, the unknown ones by name.
macro_rules! debug_without_unknown_values {
    ($($name:ident { $($field:ident),* })*) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name))$(.field(stringify!($field), &self.$field))*
                    .field("other", &Names::of_unknown(&self.other)).finish()
            }
        }
    )*};
}

debug_without_unknown_values! {
    Kubeconfig { preferences, clusters, auth_infos, contexts, current_context, extensions, kind, api_version }
    Preferences { colors, extensions }
    NamedCluster { name, cluster }
    NamedAuthInfo { name, auth_info }
    NamedContext { name, context }
    Context { cluster, user, namespace, extensions }
}

impl fmt::Debug for NamedExtension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamedExtension").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster")
            .field("server", &UrlText(&self.server))
            .field("insecure_skip_tls_verify", &self.insecure_skip_tls_verify)
            .field("certificate_authority", &self.certificate_authority)
            .field("certificate_authority_data", &self.certificate_authority_data)
            .field("proxy_url", &UrlText(&self.proxy_url))
            .field("disable_compression", &self.disable_compression)
            .field("tls_server_name", &self.tls_server_name)
            .field("extensions", &self.extensions)
            .field("other", &Names::of_unknown(&self.other))
            .finish()
    }
}

impl fmt::Debug for AuthInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extra: Option<BTreeMap<_, _>> = self.impersonate_user_extra.as_ref().map(|extra| extra.iter().collect());
        f.debug_struct("AuthInfo")
            .field("username", &self.username)
            .field("password", &self.password)
            .field("token", &self.token)
            .field("token_file", &self.token_file)
            .field("client_certificate", &self.client_certificate)
            .field("client_certificate_data", &self.client_certificate_data)
            .field("client_key", &self.client_key)
            .field("client_key_data", &self.client_key_data)
            .field("impersonate", &self.impersonate)
            .field("impersonate_uid", &self.impersonate_uid)
            .field("impersonate_groups", &self.impersonate_groups)
            .field("impersonate_user_extra", &extra)
            .field("extensions", &self.extensions)
            .field("auth_provider", &self.auth_provider)
            .field("exec", &self.exec)
            .field("other", &Names::of_unknown(&self.other))
            .finish()
    }
}

impl fmt::Debug for AuthProviderConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthProviderConfig")
            .field("name", &self.name)
            .field("config", &Names::of_settings(&self.config))
            .field("other", &Names::of_unknown(&self.other))
            .finish()
    }
}

impl fmt::Debug for ExecConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variables: Vec<_> = self.env.iter().flatten().map(|variable| variable.get("name")).collect();
        f.debug_struct("ExecConfig")
            .field("api_version", &self.api_version)
            .field("command", &self.command)
            .field("args", &self.args.as_ref().map(Vec::len))
            .field("env", &variables)
            .field("drop_env", &self.drop_env)
            .field("install_hint", &self.install_hint)
            .field("interactive_mode", &self.interactive_mode)
            .field("provide_cluster_info", &self.provide_cluster_info)
            .field("cluster", &self.cluster)
            .field("other", &Names::of_unknown(&self.other))
            .finish()
    }
}

impl fmt::Debug for ExecAuthCluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecAuthCluster")
            .field("server", &UrlText(&self.server))
            .field("insecure_skip_tls_verify", &self.insecure_skip_tls_verify)
            .field("certificate_authority_data", &self.certificate_authority_data.as_ref().map(Vec::len))
            .field("proxy_url", &UrlText(&self.proxy_url))
            .field("tls_server_name", &self.tls_server_name)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_loses_its_user_and_nothing_else() {
        let cases = [
            ("http://user:pass@proxy:3128/x?y=z", "http://proxy:3128/x?y=z"),
            ("socks5://user@proxy:1080", "socks5://proxy:1080"),
            ("https://host:6443/a@b", "https://host:6443/a@b"),
        ];
        for (given, shown) in cases {
            assert_eq!(without_user(&given.parse().unwrap()), *shown);
        }
    }
}
