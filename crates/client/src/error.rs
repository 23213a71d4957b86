//! What can go wrong between a program and its cluster.
//!
//! [`Error`] has kube's variants with kube's payloads, also those that this crate cannot meet yet, because programs
//! match on all of them. What a caller can do about one is [`Error::kind`]. No error holds a response body or a credential: a decode error names the type, the object and
//! the position.

use http::Uri;
#[expect(deprecated, reason = "kube still has the old name")]
#[doc(no_inline)]
pub use pintle_core::ErrorResponse;
#[doc(no_inline)]
pub use pintle_core::Status;
use tower::BoxError;

use crate::client::{AuthError, BodyTooLarge, RustlsTlsError, Stalled, UnexpectedContentType};
use crate::config::{InferConfigError, KubeconfigError};

/// The result of a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong between a program and its cluster.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server refused: its [`Status`] says why.
    #[error("the API server refused: {}", describe(.0))]
    // No source: the status is this level, and would be printed twice in a chain.
    Api(Box<Status>),
    /// The connection failed below HTTP.
    #[error("the HTTP connection failed")]
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
    #[error("the request failed")]
    Service(#[source] BoxError),
    /// Text was asked for, and the answer is not UTF-8.
    #[error("the answer is not UTF-8")]
    FromUtf8(#[source] std::string::FromUtf8Error),
    /// One watch event is larger than any object can be.
    #[error("a watch event is larger than any object can be")]
    LinesCodecMaxLineLengthExceeded,
    /// Reading a watch or a list went wrong on the way.
    #[error("reading the answer failed")]
    ReadEvents(#[source] std::io::Error),
    /// A request could not be put together.
    #[error("the request could not be put together")]
    HttpError(#[source] http::Error),
    /// The answer is not what was asked for, or what was to be sent is not JSON.
    #[error("JSON and the Rust type do not fit")]
    SerdeError(#[source] serde_json::Error),
    /// The params contradict each other or lack something.
    #[error("the request cannot be made")]
    BuildRequest(#[source] pintle_core::request::Error),
    /// No configuration was found.
    #[error("no configuration")]
    InferConfig(#[source] InferConfigError),
    /// What the server serves could not be found out.
    #[error("discovery failed")]
    Discovery(#[source] DiscoveryError),
    /// The TLS configuration does not work.
    #[error("TLS cannot be set up")]
    RustlsTls(#[source] RustlsTlsError),
    /// The URL asks for TLS and this build has none.
    #[error("the cluster's URL asks for TLS, which this build does not have")]
    TlsRequired,
    /// The server did not make the connection that exec, attach and port-forward need.
    #[cfg(feature = "ws")]
    #[error("no WebSocket connection was made")]
    UpgradeConnection(#[source] crate::client::UpgradeConnectionError),
    /// The credentials cannot be used.
    #[error("the credentials cannot be used")]
    Auth(#[source] AuthError),
    /// A reference to an object does not say enough to find it.
    #[cfg(feature = "unstable-client")]
    #[error("the reference leads nowhere: {0}")]
    RefResolve(String),
    /// The kubeconfig that was given cannot be used.
    #[error("the kubeconfig that was given cannot be used")]
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

/// Errors sorted by what the caller can do.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The server answered no. Its [`Status`] says whether asking again makes sense.
    Refused,
    /// Nothing was sent: there is no connection. Trying later is safe.
    Unreachable,
    /// The connection broke or fell silent; a request that writes may have been executed.
    Interrupted,
    /// The answer was not understood. Asking again gives the same.
    Malformed,
    /// The program or its configuration has to change.
    Misuse,
}

impl Error {
    /// What the caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Api(_) => ErrorKind::Refused,
            Self::HyperError(error) => kind_of_hyper(error),
            Self::Service(error) => kind_of_service(error.as_ref()),
            Self::ReadEvents(error) if error.kind() != std::io::ErrorKind::InvalidData => ErrorKind::Interrupted,
            Self::ReadEvents(_) | Self::FromUtf8(_) | Self::LinesCodecMaxLineLengthExceeded | Self::SerdeError(_) => {
                ErrorKind::Malformed
            }
            Self::Discovery(DiscoveryError::InvalidGroupVersion(_)) => ErrorKind::Malformed,
            Self::Discovery(_) => ErrorKind::Refused,
            #[cfg(feature = "unstable-client")]
            Self::RefResolve(_) => ErrorKind::Misuse,
            #[cfg(feature = "ws")]
            Self::UpgradeConnection(_) => ErrorKind::Malformed,
            Self::HttpError(_)
            | Self::BuildRequest(_)
            | Self::InferConfig(_)
            | Self::InferKubeconfig(_)
            | Self::ProxyProtocolUnsupported { .. }
            | Self::ProxyProtocolDisabled { .. }
            | Self::TlsRequired
            | Self::RustlsTls(_)
            | Self::Auth(_) => ErrorKind::Misuse,
        }
    }

    /// The refusal, if that is what this is.
    pub(crate) fn status(&self) -> Option<&Status> {
        match self {
            Self::Api(status) => Some(status),
            _ => None,
        }
    }

    /// An error of the service under the client, as the variant that names it.
    pub(crate) fn of_service(error: BoxError) -> Self {
        let error = match error.downcast::<Self>() {
            Ok(error) => return *error,
            Err(error) => error,
        };
        match error.downcast::<hyper::Error>() {
            Ok(error) => Self::HyperError(*error),
            Err(error) => Self::Service(error),
        }
    }
}

fn describe(status: &Status) -> String {
    format!("{} {}: {}", status.code, status.reason, status.message)
}

fn kind_of_hyper(error: &hyper::Error) -> ErrorKind {
    if error.is_user() {
        ErrorKind::Misuse
    } else if error.is_parse() {
        ErrorKind::Malformed
    } else {
        ErrorKind::Interrupted
    }
}

fn kind_of_service(error: &(dyn std::error::Error + Send + Sync + 'static)) -> ErrorKind {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<hyper_util::client::legacy::Error>()
            && error.is_connect()
        {
            return ErrorKind::Unreachable;
        }
        if let Some(stalled) = error.downcast_ref::<Stalled>() {
            return if stalled.is_connect() { ErrorKind::Unreachable } else { ErrorKind::Interrupted };
        }
        if error.is::<UnexpectedContentType>() || error.is::<BodyTooLarge>() {
            return ErrorKind::Malformed;
        }
        if let Some(error) = error.downcast_ref::<hyper::Error>() {
            return kind_of_hyper(error);
        }
        cause = error.source();
    }
    ErrorKind::Interrupted
}
