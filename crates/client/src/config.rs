//! How to reach a cluster and who to be there.
//!
//! ```text
//!   $KUBECONFIG, ~/.kube/config ─► Kubeconfig ─► context ─┐
//!                                                         ├─► Config ─► Client
//!   service account files and variables of a pod ─────────┘
//! ```
//! What a chosen context says is either done or an error that names it, because passing over it would connect
//! differently than the file says. Nothing secret is in any `Debug` (`redact.rs`) or error.

mod data;
mod error;
mod exec;
mod file;
mod incluster;
#[cfg(any(feature = "http-proxy", feature = "socks5"))]
mod no_proxy;
mod overrides;
mod proxy;
mod read;
mod redact;
mod user;
mod warning;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use http::Uri;
use http::header::{HeaderName, HeaderValue};

pub(crate) use data::certificates;
#[cfg(feature = "client")]
pub(crate) use data::{read as read_data, read_file};
pub use error::{InClusterError, InferConfigError, KubeconfigError, LoadDataError};
pub use exec::{ExecAuthCluster, ExecConfig, ExecInteractiveMode, ExecPolicy};
pub use file::{Cluster, Context, Kubeconfig, NamedCluster, NamedContext, NamedExtension, Preferences};
#[cfg(any(feature = "http-proxy", feature = "socks5"))]
pub use no_proxy::NoProxyError;
pub(crate) use redact::without_user;
pub use user::{AuthInfo, AuthProviderConfig, NamedAuthInfo};
pub use warning::{Warning, WarningHandler};

/// How to reach a cluster and who to be there.
#[derive(Clone)]
#[non_exhaustive]
pub struct Config {
    /// The URL of the API server; a path in it is put before every request's path.
    pub cluster_url: Uri,
    /// The namespace used where none is given.
    pub default_namespace: String,
    /// The DER certificates to trust, and no others; `None` trusts what the platform trusts.
    pub root_cert: Option<Vec<Vec<u8>>>,
    /// A PEM file with the certificates to trust. It wins over `root_cert` and is read again each minute, because it
    /// is replaced while programs run.
    pub root_cert_file: Option<PathBuf>,
    /// How long to wait for a TCP connection; `None` does not give up.
    pub connect_timeout: Option<Duration>,
    /// How long a plain call may wait for the answer's headers, and for each next piece of its body. Unset, headers
    /// may take 65 s and a body may be silent for 60 s. A watch may always be silent.
    pub read_timeout: Option<Duration>,
    /// How long the connection may take none of the bytes that are to be sent.
    pub write_timeout: Option<Duration>,
    /// kube's switch for counting `read_timeout` from when a request was sent. Here it always counts from there, so
    /// the switch changes nothing.
    pub reset_reader_on_write: bool,
    /// Accept any certificate. Everything can then be read and changed on the way.
    pub accept_invalid_certs: bool,
    /// Who to be.
    pub auth_info: AuthInfo,
    /// Ask for answers that are not compressed. Without the feature `gzip` none is.
    pub disable_compression: bool,
    /// The proxy to connect through: `http://`, `https://` (feature `http-proxy`) or `socks5://` (feature `socks5`).
    pub proxy_url: Option<Uri>,
    /// The name to expect in the server's certificate, instead of the URL's host.
    pub tls_server_name: Option<String>,
    /// Headers added to every request.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// Whether calls that surely were not executed, or can safely be executed twice, are tried again.
    pub default_retry: bool,
    /// Which credential plugins may run. Not in kube.
    pub exec_policy: ExecPolicy,
    /// What is done with the warnings of the API server. Not in kube.
    pub warnings: WarningHandler,
    /// Where `root_cert` was loaded from. It is loaded again from there unless the program has replaced it.
    #[cfg_attr(not(feature = "client"), expect(dead_code, reason = "only the client loads again"))]
    loaded_root_cert: Option<(PathBuf, Vec<Vec<u8>>)>,
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

/// A connection that takes no byte for this long is dead, and the largest request is 3 MiB. kube's number.
const WRITE_TIMEOUT: Duration = Duration::from_secs(295);

impl Config {
    /// A configuration with defaults and no credentials.
    pub fn new(cluster_url: Uri) -> Self {
        Self {
            cluster_url,
            default_namespace: "default".to_owned(),
            root_cert: None,
            root_cert_file: None,
            connect_timeout: Some(CONNECT_TIMEOUT),
            read_timeout: None,
            write_timeout: Some(WRITE_TIMEOUT),
            reset_reader_on_write: false,
            accept_invalid_certs: false,
            auth_info: AuthInfo::default(),
            disable_compression: false,
            proxy_url: None,
            tls_server_name: None,
            headers: Vec::new(),
            default_retry: true,
            exec_policy: ExecPolicy::default(),
            warnings: WarningHandler::default(),
            loaded_root_cert: None,
        }
    }

    /// Takes the first that works: the files of `$KUBECONFIG` or else `~/.kube/config`; then the service account that
    /// Kubernetes gives to a pod. [`Config::apply_debug_overrides`] has the last word.
    ///
    /// # Errors
    /// When neither works; the error says why for each.
    pub async fn infer() -> Result<Self, InferConfigError> {
        let mut config = match Self::from_kubeconfig(&KubeConfigOptions::default()).await {
            Ok(config) => config,
            Err(kubeconfig) => Self::incluster().map_err(|in_cluster| InferConfigError {
                in_cluster: Box::new(in_cluster),
                kubeconfig: Box::new(kubeconfig),
            })?,
        };
        config.apply_debug_overrides();
        Ok(config)
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
        let cluster_url = choice.url()?;
        // The client loads them again; here they only have to be there, so that the error can name the kubeconfig.
        choice.user.load_client_certificate().map_err(KubeconfigError::LoadClientCertificate)?;
        choice.user.load_client_key().map_err(KubeconfigError::LoadClientKey)?;
        let root_cert = choice.root_cert()?;
        let proxy_url = match choice.cluster.proxy_url.as_deref().filter(|url| !url.is_empty()) {
            Some(url) => Some(proxy::parse(url)?),
            None => proxy::from_environment(&cluster_url, |name| std::env::var(name).ok())?,
        };
        Ok(Self {
            loaded_root_cert: choice.authority_file().zip(root_cert.clone()),
            root_cert,
            proxy_url,
            auth_info: choice.user_with_cluster()?,
            default_namespace: choice.namespace.unwrap_or_else(|| "default".to_owned()),
            accept_invalid_certs: choice.cluster.insecure_skip_tls_verify.unwrap_or(false),
            disable_compression: choice.cluster.disable_compression.unwrap_or(false),
            tls_server_name: choice.cluster.tls_server_name.filter(|name| !name.is_empty()),
            ..Self::new(cluster_url)
        })
    }

    /// Uses the service account that Kubernetes gives to a pod; the same as [`Config::incluster_env`].
    ///
    /// # Errors
    /// When the variables or files are not there: this is not a pod, or one without a service account.
    pub fn incluster() -> Result<Self, InClusterError> {
        Self::incluster_env()
    }

    /// Uses the service account that Kubernetes gives to a pod, and finds the API server by the variables
    /// `KUBERNETES_SERVICE_HOST` and `KUBERNETES_SERVICE_PORT`, as other clients do.
    ///
    /// # Errors
    /// When the variables or files are not there: this is not a pod, or one without a service account.
    pub fn incluster_env() -> Result<Self, InClusterError> {
        incluster::ServiceAccount::of_this_pod().config()
    }

    /// Uses the service account that Kubernetes gives to a pod, and finds the API server as `kubernetes.default.svc`.
    ///
    /// # Errors
    /// When the files are not there: this is not a pod, or one without a service account.
    pub fn incluster_dns() -> Result<Self, InClusterError> {
        incluster::ServiceAccount::of_this_pod().config_by_name()
    }

    /// The file to read the trusted certificates from, again and again.
    #[cfg(feature = "client")]
    pub(crate) fn authority_file(&self) -> Option<&PathBuf> {
        let loaded = self.loaded_root_cert.as_ref().filter(|(_, loaded)| self.root_cert.as_ref() == Some(loaded));
        self.root_cert_file.as_ref().or(loaded.map(|(path, _)| path))
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
    /// Everything but what may be a credential: the values of `headers`, the user part of URLs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&HeaderName> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Config")
            .field("cluster_url", &without_user(&self.cluster_url))
            .field("default_namespace", &self.default_namespace)
            .field("root_cert", &self.root_cert.as_ref().map(Vec::len))
            .field("root_cert_file", &self.root_cert_file)
            .field("connect_timeout", &self.connect_timeout)
            .field("read_timeout", &self.read_timeout)
            .field("write_timeout", &self.write_timeout)
            .field("reset_reader_on_write", &self.reset_reader_on_write)
            .field("accept_invalid_certs", &self.accept_invalid_certs)
            .field("auth_info", &self.auth_info)
            .field("disable_compression", &self.disable_compression)
            .field("proxy_url", &self.proxy_url.as_ref().map(without_user))
            .field("tls_server_name", &self.tls_server_name)
            .field("headers", &headers)
            .field("default_retry", &self.default_retry)
            .field("exec_policy", &self.exec_policy)
            .field("warnings", &self.warnings)
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
        // Going on anonymously would end in a 403 that hides the cause.
        let entry = entry
            .ok_or_else(|| KubeconfigError::LoadContext(format!("`{context}`: its user `{user}` is not defined")))?;
        Ok(entry.auth_info.clone().unwrap_or_default())
    }

    fn url(&self) -> Result<Uri, KubeconfigError> {
        let url = self.cluster.server.as_deref().filter(|url| !url.is_empty());
        let url: Uri =
            url.ok_or(KubeconfigError::MissingClusterUrl)?.parse().map_err(KubeconfigError::ParseClusterUrl)?;
        if url.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(KubeconfigError::unsupported(&self.name, "the cluster's `server`", "user:password@"));
        }
        Ok(url)
    }

    fn root_cert(&self) -> Result<Option<Vec<Vec<u8>>>, KubeconfigError> {
        let authority = self.cluster.load_certificate_authority().map_err(KubeconfigError::LoadCertificateAuthority)?;
        if authority.is_some() && self.cluster.insecure_skip_tls_verify == Some(true) {
            return Err(KubeconfigError::unusable(format_args!(
                "context `{}`: the cluster sets `insecure-skip-tls-verify` beside a certificate authority, which would \
                 then not be asked; remove one of them",
                self.name
            )));
        }
        authority.map(|bundle| certificates(&bundle)).transpose().map_err(KubeconfigError::ParseCertificates)
    }

    fn authority_file(&self) -> Option<PathBuf> {
        let is_inline = self.cluster.certificate_authority_data.as_ref().is_some_and(|data| !data.is_empty());
        let path = self.cluster.certificate_authority.as_ref().filter(|path| !is_inline && !path.is_empty());
        path.map(PathBuf::from)
    }

    /// The user; its plugin receives information about the cluster where it asks for it.
    fn user_with_cluster(&self) -> Result<AuthInfo, KubeconfigError> {
        let mut user = self.user.clone();
        if let Some(exec) = user.exec.as_mut().filter(|exec| exec.provide_cluster_info) {
            exec.cluster = Some(ExecAuthCluster::try_from(&self.cluster)?);
        }
        Ok(user)
    }
}
