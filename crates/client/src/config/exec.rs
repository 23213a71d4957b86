//! Credential plugins as a kubeconfig describes them, and the policy that says which may run.
//!
//! A kubeconfig that names a plugin is a program of someone unknown: [`ExecPolicy`] is how a user of the client says
//! which ones it trusts. Running them is the client's work (`client/auth/exec.rs`).

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use base64::Engine;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::error::KubeconfigError;
use super::file::{Cluster, Other};

/// The extension of a cluster that holds what plugins want to know about it.
const PLUGIN_EXTENSION: &str = "client.authentication.k8s.io/exec";

/// A command that prints credentials.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecConfig {
    /// The version of `client.authentication.k8s.io` the command speaks: v1 or v1beta1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    /// The command: a name that is looked up in `$PATH`, or a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<String>>,
    /// Variables for the command beside those of this process: maps with the keys `name` and `value`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<Vec<HashMap<String, String>>>,
    /// Variables of this process that the command does not get. It cannot be said in a file.
    #[serde(skip)]
    pub drop_env: Option<Vec<String>>,
    /// What a person sees who does not have the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub install_hint: Option<String>,
    /// Whether the command may ask the person at the terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interactive_mode: Option<ExecInteractiveMode>,
    /// Whether the command receives information about the cluster.
    #[serde(default)]
    pub provide_cluster_info: bool,
    /// That information; filled in from the cluster that the context names.
    #[serde(skip)]
    pub cluster: Option<ExecAuthCluster>,
    /// Fields not known here.
    #[serde(flatten)]
    pub other: Other,
}

/// Whether a plugin may ask the person at the terminal.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub enum ExecInteractiveMode {
    /// It never does.
    Never,
    /// It does where there is a terminal.
    IfAvailable,
    /// It cannot work without.
    Always,
}

/// What a plugin receives about the cluster.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ExecAuthCluster {
    /// The URL of the API server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Whether any certificate is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insecure_skip_tls_verify: Option<bool>,
    /// The PEM certificates to trust.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "to_base64",
        deserialize_with = "from_base64"
    )]
    pub certificate_authority_data: Option<Vec<u8>>,
    /// The proxy to connect through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy_url: Option<String>,
    /// The name to expect in the server's certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_server_name: Option<String>,
    /// What the cluster's entry holds for plugins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<serde_json::Value>,
}

/// Which credential plugins a client may run. Using a kubeconfig means running the commands it names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExecPolicy {
    /// Whatever the kubeconfig names.
    #[default]
    AllowAll,
    /// Only these: a name means the command that `$PATH` finds under it, a path means that file.
    AllowList(Vec<PathBuf>),
    /// None.
    DenyAll,
}

impl TryFrom<&Cluster> for ExecAuthCluster {
    type Error = KubeconfigError;

    fn try_from(cluster: &Cluster) -> Result<Self, KubeconfigError> {
        let authority = cluster.load_certificate_authority().map_err(KubeconfigError::LoadCertificateAuthority)?;
        let extensions = cluster.extensions.iter().flatten();
        let mut for_plugins = extensions.filter(|extension| extension.name == PLUGIN_EXTENSION);
        Ok(Self {
            server: cluster.server.clone(),
            insecure_skip_tls_verify: cluster.insecure_skip_tls_verify,
            certificate_authority_data: authority,
            proxy_url: cluster.proxy_url.clone(),
            tls_server_name: cluster.tls_server_name.clone(),
            config: for_plugins.next().map(|extension| extension.extension.clone()),
        })
    }
}

impl ExecPolicy {
    /// Whether the command at `found` may run; `look_up` says where `$PATH` finds a name.
    #[cfg_attr(not(feature = "client"), expect(dead_code, reason = "only the client runs plugins"))]
    pub(crate) fn allows(&self, found: &Path, look_up: impl Fn(&Path) -> Option<PathBuf>) -> bool {
        match self {
            Self::AllowAll => true,
            Self::DenyAll => false,
            Self::AllowList(list) => list.iter().any(|entry| look_up(entry).as_deref() == Some(found)),
        }
    }
}

#[expect(clippy::ref_option, reason = "serde fixes the signature")]
fn to_base64<S: Serializer>(data: &Option<Vec<u8>>, serializer: S) -> Result<S::Ok, S::Error> {
    data.as_ref().map(|data| base64::engine::general_purpose::STANDARD.encode(data)).serialize(serializer)
}

fn from_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<u8>>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else {
        return Ok(None);
    };
    // The error names the position, not the text.
    base64::engine::general_purpose::STANDARD.decode(text).map(Some).map_err(serde::de::Error::custom)
}
