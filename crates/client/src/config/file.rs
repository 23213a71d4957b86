//! The kubeconfig file as Rust structs, under kube's names: the file, its clusters and its contexts.
//!
//! Comes from YAML, goes back to YAML: fields this client does not know are kept in `other`. Users are in `user.rs`,
//! their plugins in `exec.rs`. What `Debug` shows is in `redact.rs`; serializing writes everything. Where files are
//! found and how several become one is in `read.rs`.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::user::NamedAuthInfo;

/// Fields of the file that have no place in the struct they were found in.
pub(super) type Other = BTreeMap<String, serde_json::Value>;

/// A kubeconfig file, or several merged into one.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Kubeconfig {
    /// Settings of command line tools; not used here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preferences: Option<Preferences>,
    /// The clusters that contexts refer to.
    #[serde(default, deserialize_with = "null_is_default")]
    pub clusters: Vec<NamedCluster>,
    /// The users that contexts refer to.
    #[serde(rename = "users", default, deserialize_with = "null_is_default")]
    pub auth_infos: Vec<NamedAuthInfo>,
    /// Pairs of a cluster and a user.
    #[serde(default, deserialize_with = "null_is_default")]
    pub contexts: Vec<NamedContext>,
    /// The context used where none is asked for.
    #[serde(rename = "current-context", default, skip_serializing_if = "Option::is_none")]
    pub current_context: Option<String>,
    /// What tools keep for themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Vec<NamedExtension>>,
    /// Always `Config`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Always `v1`.
    #[serde(rename = "apiVersion", default, skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    /// Fields not known here.
    #[serde(flatten)]
    pub other: Other,
}

/// Settings of command line tools.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Preferences {
    /// Whether to print in colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colors: Option<bool>,
    /// What tools keep for themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Vec<NamedExtension>>,
    /// Fields not known here.
    #[serde(flatten)]
    pub other: Other,
}

/// What one tool keeps for itself.
#[derive(Clone, Serialize, Deserialize)]
pub struct NamedExtension {
    /// The tool's name for it.
    pub name: String,
    /// Anything.
    pub extension: serde_json::Value,
}

/// A cluster and the name contexts use for it.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct NamedCluster {
    /// The name.
    pub name: String,
    /// Where the cluster is and how to trust it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<Cluster>,
    /// Fields not known here.
    #[serde(flatten)]
    pub other: Other,
}

/// Where a cluster is and how to trust it.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Cluster {
    /// The URL of the API server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Accept any certificate. Everything can then be read and changed on the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insecure_skip_tls_verify: Option<bool>,
    /// A PEM file with the certificates to trust.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_authority: Option<String>,
    /// PEM certificates to trust, in base64; wins over the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_authority_data: Option<String>,
    /// The proxy to connect through: `http://`, `https://` or `socks5://`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy_url: Option<String>,
    /// Ask for answers that are not compressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disable_compression: Option<bool>,
    /// The name to expect in the server's certificate, instead of the URL's host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_server_name: Option<String>,
    /// What tools keep for themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Vec<NamedExtension>>,
    /// Fields not known here.
    #[serde(flatten)]
    pub other: Other,
}

/// A context and its name.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct NamedContext {
    /// The name.
    pub name: String,
    /// The pair it stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
    /// Fields not known here.
    #[serde(flatten)]
    pub other: Other,
}

/// A cluster, a user, and the namespace to start in.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Context {
    /// The name of a cluster.
    pub cluster: String,
    /// The name of a user; anonymous where it is missing.
    #[serde(default)]
    pub user: Option<String>,
    /// The namespace used where none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// What tools keep for themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Vec<NamedExtension>>,
    /// Fields not known here.
    #[serde(flatten)]
    pub other: Other,
}

/// kubectl writes `users: null` into a file without users.
fn null_is_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
