//! The kubeconfig file as Rust structs: clusters, users and contexts under kube's names.
//!
//! Comes from YAML, goes back to YAML: fields this client does not know are kept in `other`. `Debug` shows neither a
//! credential nor the value of an unknown field (a `proxy-url` may hold a password); serializing writes everything.
//! Where files are found and how several become one is in `read.rs`.

use std::collections::BTreeMap;
use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Fields of the file that have no place in the struct they were found in.
type Other = BTreeMap<String, serde_json::Value>;

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
    /// Accept any certificate. Whoever sits in between can then read and change everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insecure_skip_tls_verify: Option<bool>,
    /// A PEM file with the certificates to trust.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_authority: Option<String>,
    /// PEM certificates to trust, in base64; wins over the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_authority_data: Option<String>,
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

/// A user and the name contexts use for it.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct NamedAuthInfo {
    /// The name.
    pub name: String,
    /// How the user proves who it is.
    #[serde(rename = "user", default, skip_serializing_if = "Option::is_none")]
    pub auth_info: Option<AuthInfo>,
    /// Fields not known here.
    #[serde(flatten)]
    pub other: Other,
}

/// How a user proves who it is.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AuthInfo {
    /// A bearer token; wins over `token_file`.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "expose", deserialize_with = "hide")]
    pub token: Option<SecretString>,
    /// A file that holds a bearer token and may be replaced at any time.
    // kubectl writes this one field in camel case.
    #[serde(rename = "tokenFile", alias = "token-file", default, skip_serializing_if = "Option::is_none")]
    pub token_file: Option<String>,
    /// A PEM file with the client's certificate chain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_certificate: Option<String>,
    /// The client's PEM certificate chain in base64; wins over the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_certificate_data: Option<String>,
    /// A PEM file with the client's key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_key: Option<String>,
    /// The client's PEM key in base64; wins over the file.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "expose", deserialize_with = "hide")]
    pub client_key_data: Option<SecretString>,
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
    /// The name of a user; nobody where it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The namespace used where none is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// What tools keep for themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Vec<NamedExtension>>,
    /// Fields not known here.
    #[serde(flatten)]
    pub other: Other,
}

/// The names of unknown fields without their values.
struct Names<'a>(&'a Other);

impl fmt::Debug for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// `Debug` of the structs that keep unknown fields: every field as it is, the unknown ones by name.
macro_rules! debug_without_unknown_values {
    ($($name:ident { $($field:ident),* })*) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name))$(.field(stringify!($field), &self.$field))*
                    .field("other", &Names(&self.other)).finish()
            }
        }
    )*};
}

debug_without_unknown_values! {
    Kubeconfig { preferences, clusters, auth_infos, contexts, current_context, extensions, kind, api_version }
    Preferences { colors, extensions }
    NamedCluster { name, cluster }
    Cluster {
        server, insecure_skip_tls_verify, certificate_authority, certificate_authority_data, tls_server_name, extensions
    }
    NamedAuthInfo { name, auth_info }
    AuthInfo { token, token_file, client_certificate, client_certificate_data, client_key, client_key_data }
    NamedContext { name, context }
    Context { cluster, user, namespace, extensions }
}

impl fmt::Debug for NamedExtension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamedExtension").field("name", &self.name).finish_non_exhaustive()
    }
}

/// kubectl writes `users: null` into a file without users.
fn null_is_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

fn hide<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SecretString>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.map(SecretString::from))
}

#[expect(clippy::ref_option, reason = "serde fixes the signature")]
fn expose<S: Serializer>(secret: &Option<SecretString>, serializer: S) -> Result<S::Ok, S::Error> {
    secret.as_ref().map(ExposeSecret::expose_secret).serialize(serializer)
}
