//! Why a configuration could not be found or read.
//!
//! The enums and their payloads are kube's. No message repeats a value of the file, because any value may be a secret:
//! they name the file, the position, the context and the field.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

#[cfg(any(feature = "http-proxy", feature = "socks5"))]
use super::no_proxy::NoProxyError;
use crate::error_chain::error_chain;

/// No place that was looked at holds a usable configuration.
#[derive(Debug)]
pub struct InferConfigError {
    // On the heap: every result of a call has room for this error.
    pub(crate) in_cluster: Box<InClusterError>,
    pub(crate) kubeconfig: Box<KubeconfigError>,
}

impl fmt::Display for InferConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no cluster configuration found. Kubeconfig ($KUBECONFIG, else ~/.kube/config): {}. \
             Service account of a pod: {}",
            self.kubeconfig, self.in_cluster
        )
    }
}

impl std::error::Error for InferConfigError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // Of the two, the kubeconfig is the one that a reader of this can correct.
        Some(self.kubeconfig.as_ref())
    }
}

/// A kubeconfig could not be read, or what it says cannot be used.
#[derive(Debug, Error)]
pub enum KubeconfigError {
    /// No context was asked for and the file names none.
    #[error("no context was chosen: set `current-context` in the kubeconfig or ask for a context by name")]
    CurrentContextNotSet,
    /// Files of different kinds cannot be merged.
    #[error("kubeconfig files with different values of `kind` cannot be merged")]
    KindMismatch,
    /// Files of different API versions cannot be merged.
    #[error("kubeconfig files with different values of `apiVersion` cannot be merged")]
    ApiVersionMismatch,
    /// The chosen context is missing, or it names a user that is.
    #[error("cannot load context {0}")]
    LoadContext(String),
    /// The cluster of the chosen context is missing.
    #[error("cannot load cluster {0}")]
    LoadClusterOfContext(String),
    /// There is no `$KUBECONFIG` and no home folder to look in.
    #[error("cannot find out where the kubeconfig is: $KUBECONFIG is not set and there is no home folder")]
    FindPath,
    /// A file could not be read.
    #[error("cannot read kubeconfig `{1}`: {why}", why = error_chain(.0))]
    ReadConfig(#[source] std::io::Error, PathBuf),
    /// The text is not YAML within the limits, the YAML is not a kubeconfig, or it asks for something that this
    /// client cannot do.
    #[error("the kubeconfig cannot be used as it is: {}", error_chain(.0))]
    Parse(#[source] Box<serde_saphyr::Error>),
    /// The chosen cluster has no `server`.
    #[error("the chosen cluster has no `server`")]
    MissingClusterUrl,
    /// The chosen cluster's `server` is not a URL.
    #[error("the `server` of the chosen cluster is not a URL: {}", error_chain(.0))]
    ParseClusterUrl(#[source] http::uri::InvalidUri),
    /// The chosen cluster's `proxy-url` is not a URL.
    #[error("the `proxy-url` of the chosen cluster is not a URL: {}", error_chain(.0))]
    ParseProxyUrl(#[source] http::uri::InvalidUri),
    /// `certificate-authority` or `certificate-authority-data` could not be loaded.
    #[error("cannot load the `certificate-authority` of the chosen cluster: {}", error_chain(.0))]
    LoadCertificateAuthority(#[source] LoadDataError),
    /// `client-certificate` or `client-certificate-data` could not be loaded.
    #[error("cannot load the `client-certificate` of the chosen user: {}", error_chain(.0))]
    LoadClientCertificate(#[source] LoadDataError),
    /// `client-key` or `client-key-data` could not be loaded.
    #[error("cannot load the `client-key` of the chosen user: {}", error_chain(.0))]
    LoadClientKey(#[source] LoadDataError),
    /// The certificate authority is not PEM.
    #[error("the `certificate-authority` of the chosen cluster is not PEM: {}", error_chain(.0))]
    ParseCertificates(#[source] pem::PemError),
    /// The variable `NO_PROXY` cannot be read.
    #[cfg(any(feature = "http-proxy", feature = "socks5"))]
    #[error("NO_PROXY cannot be read: {}", error_chain(.0))]
    ParseNoProxy(#[source] NoProxyError),
}

impl KubeconfigError {
    /// The kubeconfig cannot be used, for this reason.
    pub(crate) fn unusable(why: impl fmt::Display) -> Self {
        Self::Parse(Box::new(serde::de::Error::custom(why)))
    }

    /// The chosen context asks for `field`, which does not exist here yet. Ignoring it would connect in another way
    /// than the file says.
    pub(crate) fn unsupported(context: &str, owner: &str, field: &str) -> Self {
        Self::unusable(format_args!("context `{context}`: {owner} uses `{field}`, which is not supported yet"))
    }
}

/// The files or variables that Kubernetes puts into a pod are missing or unreadable.
#[derive(Debug, Error)]
pub enum InClusterError {
    /// The namespace file of the service account could not be read.
    #[error("cannot read the namespace of the service account: {}", error_chain(.0))]
    ReadDefaultNamespace(#[source] std::io::Error),
    /// `KUBERNETES_SERVICE_HOST` or `KUBERNETES_SERVICE_PORT` is not set.
    #[error("cannot read KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: {}", error_chain(.0))]
    ReadEnvironmentVariable(#[source] std::env::VarError),
    /// The CA file of the service account could not be read.
    #[error("cannot read the certificate authority of the service account: {}", error_chain(.0))]
    ReadCertificateBundle(#[source] std::io::Error),
    /// `KUBERNETES_SERVICE_PORT` is not a port.
    #[error("KUBERNETES_SERVICE_PORT is not a port number: {}", error_chain(.0))]
    ParseClusterPort(#[source] std::num::ParseIntError),
    /// `KUBERNETES_SERVICE_HOST` is not a host.
    #[error("KUBERNETES_SERVICE_HOST is not a host: {}", error_chain(.0))]
    ParseClusterUrl(#[source] http::uri::InvalidUri),
    /// The CA file of the service account is not PEM.
    #[error("the certificate authority of the service account is not PEM: {}", error_chain(.0))]
    ParseCertificates(#[source] pem::PemError),
}

/// Data that a kubeconfig holds inline or points to could not be loaded.
#[derive(Debug, Error)]
pub enum LoadDataError {
    /// The inline data is not base64.
    #[error("the inline data is not base64: {}", error_chain(.0))]
    DecodeBase64(#[source] base64::DecodeError),
    /// The file could not be read.
    #[error("cannot read file `{1}`: {why}", why = error_chain(.0))]
    ReadFile(#[source] std::io::Error, PathBuf),
    /// Neither inline data nor a file is given.
    #[error("there is neither inline data nor a file")]
    NoBase64DataOrFile,
}
