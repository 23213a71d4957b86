//! The users of a kubeconfig: how a client proves who it is.
//!
//! kube's structs with kube's fields. Secrets are `SecretString`s, which `Debug` does not show and serializing does.

use std::collections::{BTreeMap, HashMap};

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::exec::ExecConfig;
use super::file::{NamedExtension, Other};

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
///
/// Where several ways are given, the first of these is used: `auth_provider`, user name and password, `token`,
/// `token_file`, `exec`. A client certificate is used beside any of them.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AuthInfo {
    /// The user name for basic authentication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// The password for basic authentication.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "expose", deserialize_with = "hide")]
    pub password: Option<SecretString>,
    /// A bearer token; wins over `token_file`.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "expose", deserialize_with = "hide")]
    pub token: Option<SecretString>,
    /// A file that holds a bearer token and may be replaced at any time.
    // kubectl writes this one field in camel case.
    #[serde(rename = "tokenFile", alias = "token-file", default, skip_serializing_if = "Option::is_none")]
    pub token_file: Option<String>,
    /// A PEM file with the client's certificate chain; it may be replaced at any time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_certificate: Option<String>,
    /// The client's PEM certificate chain in base64; wins over the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_certificate_data: Option<String>,
    /// A PEM file with the client's key; it may be replaced at any time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_key: Option<String>,
    /// The client's PEM key in base64; wins over the file.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "expose", deserialize_with = "hide")]
    pub client_key_data: Option<SecretString>,
    /// The user to act as.
    #[serde(rename = "as", default, skip_serializing_if = "Option::is_none")]
    pub impersonate: Option<String>,
    /// The uid to act as.
    #[serde(rename = "as-uid", default, skip_serializing_if = "Option::is_none")]
    pub impersonate_uid: Option<String>,
    /// The groups to act as.
    #[serde(rename = "as-groups", default, skip_serializing_if = "Option::is_none")]
    pub impersonate_groups: Option<Vec<String>>,
    /// What else an authenticator would say about the user to act as.
    #[serde(
        rename = "as-user-extra",
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "sorted_optional"
    )]
    pub impersonate_user_extra: Option<HashMap<String, Vec<String>>>,
    /// What tools keep for themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Vec<NamedExtension>>,
    /// A way to get a token that is built into the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth_provider: Option<AuthProviderConfig>,
    /// A command that prints credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exec: Option<ExecConfig>,
    /// Fields not known here.
    #[serde(flatten)]
    pub other: Other,
}

/// A way to get a token that is built into the client: `oidc` or `gcp`.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct AuthProviderConfig {
    /// Which one.
    pub name: String,
    /// What it needs to know.
    #[serde(default, serialize_with = "sorted")]
    pub config: HashMap<String, String>,
    /// Fields not known here.
    #[serde(flatten)]
    pub other: Other,
}

fn hide<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SecretString>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.map(SecretString::from))
}

#[expect(clippy::ref_option, reason = "serde fixes the signature")]
fn expose<S: Serializer>(secret: &Option<SecretString>, serializer: S) -> Result<S::Ok, S::Error> {
    secret.as_ref().map(ExposeSecret::expose_secret).serialize(serializer)
}

/// The same file is written the same way each time.
fn sorted<V: Serialize, S: Serializer>(map: &HashMap<String, V>, serializer: S) -> Result<S::Ok, S::Error> {
    map.iter().collect::<BTreeMap<_, _>>().serialize(serializer)
}

#[expect(clippy::ref_option, reason = "serde fixes the signature")]
fn sorted_optional<V: Serialize, S: Serializer>(
    map: &Option<HashMap<String, V>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    map.as_ref().map(|map| map.iter().collect::<BTreeMap<_, _>>()).serialize(serializer)
}
