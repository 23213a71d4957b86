//! What can go wrong between a program and its cluster.
//!
//! [`Error`] has kube's variants with kube's payloads, because programs match on all of them: also `TlsRequired`, which
//! never comes, as this client always has TLS. What a caller can do about one is `Error::kind` (`error/kind.rs`). No error
//! holds a response body or a credential: a decode error names the type, the object and the position. `{error}` is one
//! line that says which call failed and why, with the texts of all causes, each once; `source()` leads on for programs.

#[cfg(feature = "client")]
mod kind;

use http::Uri;
#[expect(deprecated, reason = "kube still has the old name")]
#[doc(no_inline)]
pub use pintle_core::ErrorResponse;
#[doc(no_inline)]
pub use pintle_core::Status;
#[cfg(feature = "client")]
use tower::BoxError;

#[cfg(feature = "client")]
pub use kind::ErrorKind;
#[cfg(feature = "client")]
pub(crate) use kind::kind_of_service;

#[cfg(feature = "openssl-tls")]
use crate::client::OpensslTlsError;
#[cfg(feature = "client")]
use crate::client::{AuthError, RustlsTlsError};
use crate::config::{InferConfigError, KubeconfigError};
use crate::error_chain::error_chain;

/// The result of a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong between a program and its cluster.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server refused: its [`Status`] says why.
    #[error("the API server refused: {}", describe(.0))]
    Api(#[source] Box<Status>),
    /// The connection failed below HTTP.
    #[cfg(feature = "client")]
    #[error("the HTTP connection failed: {}", error_chain(.0))]
    HyperError(#[source] hyper::Error),
    /// The proxy is of a kind that no client speaks.
    #[error("the protocol of proxy `{proxy_url}` is not supported")]
    ProxyProtocolUnsupported {
        /// The proxy.
        proxy_url: Box<Uri>,
    },
    /// The proxy is of a kind that this build does not speak.
    #[error("the protocol of proxy `{proxy_url}` needs the Cargo feature `{protocol_feature}`")]
    ProxyProtocolDisabled {
        /// The proxy.
        proxy_url: Box<Uri>,
        /// What to turn on.
        protocol_feature: &'static str,
    },
    /// The service under the client failed: no connection, no answer in time, or a layer's own error.
    #[cfg(feature = "client")]
    #[error("the request failed: {}", error_chain(.0.as_ref()))]
    Service(#[source] BoxError),
    /// Text was asked for, and the answer is not UTF-8.
    #[error("the answer is not UTF-8: {}", error_chain(.0))]
    FromUtf8(#[source] std::string::FromUtf8Error),
    /// One watch event is larger than any object can be.
    #[error("a watch event is larger than any object can be")]
    LinesCodecMaxLineLengthExceeded,
    /// Reading a watch or a list went wrong on the way.
    #[error("reading the answer failed: {}", error_chain(.0))]
    ReadEvents(#[source] std::io::Error),
    /// A request could not be put together.
    #[error("the request could not be put together: {}", error_chain(.0))]
    HttpError(#[source] http::Error),
    /// The answer is not what was asked for, or what was to be sent is not JSON.
    #[error("Error deserializing response: {}", error_chain(.0))]
    SerdeError(#[source] serde_json::Error),
    /// The params contradict each other or lack something.
    #[error("the request cannot be made: {}", error_chain(.0))]
    BuildRequest(#[source] pintle_core::request::Error),
    /// No configuration was found.
    #[error("no configuration: {}", error_chain(.0))]
    InferConfig(#[source] InferConfigError),
    /// What the server serves could not be found out.
    #[error("discovery failed: {}", error_chain(.0))]
    Discovery(#[source] DiscoveryError),
    /// OpenSSL cannot be set up.
    #[cfg(feature = "openssl-tls")]
    #[error("TLS cannot be set up with OpenSSL: {}", error_chain(.0))]
    OpensslTls(#[source] OpensslTlsError),
    /// The TLS configuration does not work.
    #[cfg(feature = "client")]
    #[error("TLS cannot be set up: {}", error_chain(.0))]
    RustlsTls(#[source] RustlsTlsError),
    /// The URL asks for TLS and this build has none. It never comes.
    #[error("the cluster's URL asks for TLS, which this build does not have")]
    TlsRequired,
    /// The server did not make the connection that exec, attach and port-forward need.
    #[cfg(feature = "ws")]
    #[error("no WebSocket connection was made: {}", error_chain(.0))]
    UpgradeConnection(#[source] crate::client::UpgradeConnectionError),
    /// The credentials cannot be used.
    #[cfg(feature = "client")]
    #[error("the credentials cannot be used: {}", error_chain(.0))]
    Auth(#[source] AuthError),
    /// A reference to an object does not say enough to find it.
    #[cfg(feature = "unstable-client")]
    #[error("the reference leads nowhere: {0}")]
    RefResolve(String),
    /// The kubeconfig that was given cannot be used.
    #[error("the kubeconfig that was given cannot be used: {}", error_chain(.0))]
    InferKubeconfig(#[from] KubeconfigError),
}

/// What discovery did not find, or did not understand.
#[derive(Debug, thiserror::Error)]
pub enum DiscoveryError {
    /// No `group/version`.
    #[error("no apiVersion: {0}")]
    InvalidGroupVersion(String),
    /// No such kind.
    #[error("there is no kind {0}")]
    MissingKind(String),
    /// No such group.
    #[error("there is no API group {0}")]
    MissingApiGroup(String),
    /// No such resource.
    #[error("there is no resource {0}")]
    MissingResource(String),
    /// A group that serves nothing.
    #[error("API group {0} serves nothing")]
    EmptyApiGroup(String),
}

fn describe(status: &Status) -> String {
    let said = error_chain(status);
    let said = said.trim_matches([':', ' ']);
    match status.code {
        #[cfg(feature = "client")]
        401 => format!("{said} (401; {})", crate::client::UNAUTHORIZED),
        code => format!("{said} ({code})"),
    }
}
