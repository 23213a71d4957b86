//! How to reach a cluster and who to be there.
//!
//! ```text
//!   $KUBECONFIG, ~/.kube/config ─► Kubeconfig ─► context ─┐
//!                                                         ├─► Config ─► Client
//!   service account files and variables of a pod ─────────┘
//! ```
//! [`Config`] has a field only for what the client really does. What a chosen context asks for beyond that is an error
//! that names it, because passing over it would connect differently than the file says.

mod data;
mod error;
mod file;
mod incluster;
mod read;

use std::fmt;
use std::time::Duration;

use http::Uri;
use http::header::{HeaderName, HeaderValue};
use serde_json::Value;

pub(crate) use data::certificates;
pub use error::{InClusterError, InferConfigError, KubeconfigError, LoadDataError};
pub use file::{
    AuthInfo, Cluster, Context, Kubeconfig, NamedAuthInfo, NamedCluster, NamedContext, NamedExtension, Preferences,
};

/// How to reach a cluster and who to be there.
#[derive(Clone)]
#[non_exhaustive]
pub struct Config {
    /// The URL of the API server; a path in it is put before every request's path.
    pub cluster_url: Uri,
    /// The namespace used where none is said.
    pub default_namespace: String,
    /// The DER certificates to trust, and no others; `None` trusts what the platform trusts.
    pub root_cert: Option<Vec<Vec<u8>>>,
    /// How long to wait for a TCP connection; `None` does not give up.
    pub connect_timeout: Option<Duration>,
    /// How long a plain call may wait for the answer's headers, and for each next piece of its body. Unset, headers
    /// may take 65 s and a body may be silent for 60 s. A watch may always be silent.
    pub read_timeout: Option<Duration>,
    /// Accept any certificate. Whoever sits in between can then read and change everything.
    pub accept_invalid_certs: bool,
    /// Who to be.
    pub auth_info: AuthInfo,
    /// The name to expect in the server's certificate, instead of the URL's host.
    pub tls_server_name: Option<String>,
    /// Headers added to every request.
    pub headers: Vec<(HeaderName, HeaderValue)>,
}

/// Which context, cluster and user of a kubeconfig to use, where they are not the file's own choice.
#[derive(Clone, Debug, Default)]
pub struct KubeConfigOptions {
    /// The context; the file's `current-context` if unset.
    pub context: Option<String>,
    /// The cluster; the context's if unset.
    pub cluster: Option<String>,
    /// The user; the context's if unset.
    pub user: Option<String>,
}

/// A cluster that is farther away than this is not there.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// What a user may ask for in a kubeconfig and this client cannot do yet.
const UNSUPPORTED_OF_USER: [&str; 8] =
    ["exec", "auth-provider", "username", "password", "as", "as-uid", "as-groups", "as-user-extra"];

impl Config {
    /// A configuration with defaults and no credentials.
    pub fn new(cluster_url: Uri) -> Self {
        Self {
            cluster_url,
            default_namespace: "default".to_owned(),
            root_cert: None,
            connect_timeout: Some(CONNECT_TIMEOUT),
            read_timeout: None,
            accept_invalid_certs: false,
            auth_info: AuthInfo::default(),
            tls_server_name: None,
            headers: Vec::new(),
        }
    }

    /// Takes the first that works: the files of `$KUBECONFIG` or else `~/.kube/config`; then the service account that
    /// Kubernetes gives to a pod.
    ///
    /// # Errors
    /// When neither works; the error says why for each.
    pub async fn infer() -> Result<Self, InferConfigError> {
        match Self::from_kubeconfig(&KubeConfigOptions::default()).await {
            Ok(config) => Ok(config),
            Err(kubeconfig) => Self::incluster().map_err(|in_cluster| InferConfigError {
                in_cluster: Box::new(in_cluster),
                kubeconfig: Box::new(kubeconfig),
            }),
        }
    }

    /// Uses a context of the kubeconfig that kubectl would use.
    ///
    /// # Errors
    /// When there is no kubeconfig, or the chosen context is incomplete or asks for what is not supported.
    pub async fn from_kubeconfig(options: &KubeConfigOptions) -> Result<Self, KubeconfigError> {
        Self::from_custom_kubeconfig(Kubeconfig::read()?, options).await
    }

    /// Uses a context of the given kubeconfig.
    ///
    /// # Errors
    /// When the chosen context is incomplete or asks for what is not supported.
    #[expect(clippy::unused_async, reason = "kube's signature")]
    pub async fn from_custom_kubeconfig(
        kubeconfig: Kubeconfig,
        options: &KubeConfigOptions,
    ) -> Result<Self, KubeconfigError> {
        Self::chosen(&kubeconfig, options)
    }

    fn chosen(kubeconfig: &Kubeconfig, options: &KubeConfigOptions) -> Result<Self, KubeconfigError> {
        let choice = Choice::of(kubeconfig, options)?;
        choice.refuse_unsupported()?;
        let url = choice.cluster.server.as_deref().filter(|url| !url.is_empty());
        let cluster_url: Uri =
            url.ok_or(KubeconfigError::MissingClusterUrl)?.parse().map_err(KubeconfigError::ParseClusterUrl)?;
        if cluster_url.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(KubeconfigError::unsupported(&choice.name, "the cluster's `server`", "user:password@"));
        }
        // The client loads them again; here they only have to be there, so that the error can name the kubeconfig.
        choice.user.load_client_certificate().map_err(KubeconfigError::LoadClientCertificate)?;
        choice.user.load_client_key().map_err(KubeconfigError::LoadClientKey)?;
        let authority =
            choice.cluster.load_certificate_authority().map_err(KubeconfigError::LoadCertificateAuthority)?;
        if authority.is_some() && choice.cluster.insecure_skip_tls_verify == Some(true) {
            return Err(KubeconfigError::unusable(format_args!(
                "context `{}`: the cluster sets `insecure-skip-tls-verify` beside a certificate authority, which would \
                 then not be asked; remove one of them",
                choice.name
            )));
        }
        let root_cert = authority.map(|bundle| certificates(&bundle)).transpose();
        Ok(Self {
            default_namespace: choice.namespace.unwrap_or_else(|| "default".to_owned()),
            root_cert: root_cert.map_err(KubeconfigError::ParseCertificates)?,
            accept_invalid_certs: choice.cluster.insecure_skip_tls_verify.unwrap_or(false),
            tls_server_name: choice.cluster.tls_server_name.filter(|name| !name.is_empty()),
            auth_info: choice.user,
            ..Self::new(cluster_url)
        })
    }

    /// Uses the service account that Kubernetes gives to a pod.
    ///
    /// # Errors
    /// When the variables or files are not there: this is no pod, or one without a service account.
    pub fn incluster() -> Result<Self, InClusterError> {
        incluster::ServiceAccount::of_this_pod().config()
    }
}

/// The context that the file itself chooses.
impl TryFrom<Kubeconfig> for Config {
    type Error = KubeconfigError;

    fn try_from(kubeconfig: Kubeconfig) -> Result<Self, KubeconfigError> {
        Self::chosen(&kubeconfig, &KubeConfigOptions::default())
    }
}

impl fmt::Debug for Config {
    /// Everything but the values of `headers`, which may be credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&HeaderName> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Config")
            .field("cluster_url", &self.cluster_url)
            .field("default_namespace", &self.default_namespace)
            .field("root_cert", &self.root_cert.as_ref().map(Vec::len))
            .field("connect_timeout", &self.connect_timeout)
            .field("read_timeout", &self.read_timeout)
            .field("accept_invalid_certs", &self.accept_invalid_certs)
            .field("auth_info", &self.auth_info)
            .field("tls_server_name", &self.tls_server_name)
            .field("headers", &headers)
            .finish()
    }
}

/// What the options and the file choose together.
struct Choice {
    name: String,
    cluster: Cluster,
    user: AuthInfo,
    namespace: Option<String>,
}

impl Choice {
    fn of(file: &Kubeconfig, options: &KubeConfigOptions) -> Result<Self, KubeconfigError> {
        let current = file.current_context.as_ref().filter(|name| !name.is_empty());
        let name = options.context.as_ref().or(current).ok_or(KubeconfigError::CurrentContextNotSet)?;
        let context = file
            .contexts
            .iter()
            .find(|entry| &entry.name == name)
            .and_then(|entry| entry.context.clone())
            .ok_or_else(|| KubeconfigError::LoadContext(format!("`{name}`: the kubeconfig does not define it")))?;
        let cluster_name = options.cluster.as_ref().unwrap_or(&context.cluster);
        let cluster = file.clusters.iter().find(|entry| &entry.name == cluster_name);
        let cluster = cluster.and_then(|entry| entry.cluster.clone()).ok_or_else(|| {
            KubeconfigError::LoadClusterOfContext(format!("`{cluster_name}` of context `{name}`: it is not defined"))
        })?;
        let user = match options.user.as_ref().or(context.user.as_ref()).filter(|user| !user.is_empty()) {
            None => AuthInfo::default(),
            Some(user) => Self::user(file, name, user)?,
        };
        let namespace = context.namespace.filter(|namespace| !namespace.is_empty());
        Ok(Self { name: name.clone(), cluster, user, namespace })
    }

    fn user(file: &Kubeconfig, context: &str, user: &str) -> Result<AuthInfo, KubeconfigError> {
        let entry = file.auth_infos.iter().find(|entry| entry.name == user);
        // Going on as nobody would end in a 403 that hides the cause.
        let entry = entry
            .ok_or_else(|| KubeconfigError::LoadContext(format!("`{context}`: its user `{user}` is not defined")))?;
        Ok(entry.auth_info.clone().unwrap_or_default())
    }

    fn refuse_unsupported(&self) -> Result<(), KubeconfigError> {
        let of_user = UNSUPPORTED_OF_USER.iter().find(|field| self.user.other.get(**field).is_some_and(is_set));
        if let Some(field) = of_user {
            return Err(KubeconfigError::unsupported(&self.name, "its user", field));
        }
        if self.cluster.other.get("proxy-url").is_some_and(is_set) {
            return Err(KubeconfigError::unsupported(&self.name, "its cluster", "proxy-url"));
        }
        Ok(())
    }
}

/// Generated files write empty values for what they do not use.
fn is_set(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    }
}
