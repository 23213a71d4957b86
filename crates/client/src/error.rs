//! What can go wrong between a program and its cluster.
//!
//! [`Error`] has kube's variants with kube's payloads, because programs match on all of them: also `TlsRequired`, which
//! never comes, as this client always has TLS. What a caller can do about one is [`Error::kind`]. No error holds a
//! response body or a credential: a decode error names the type, the object and the position.

use http::Uri;
#[expect(deprecated, reason = "kube still has the old name")]
#[doc(no_inline)]
pub use pintle_core::ErrorResponse;
#[doc(no_inline)]
pub use pintle_core::Status;
use tower::BoxError;

#[cfg(feature = "gzip")]
use crate::client::NotUnpacked;
#[cfg(feature = "openssl-tls")]
use crate::client::OpensslTlsError;
use crate::client::retry::was_refused_unprocessed;
use crate::client::{AuthError, BodyTooLarge, RustlsTlsError, Stalled, Unanswered, UnexpectedContentType};
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
    /// OpenSSL cannot be set up.
    #[cfg(feature = "openssl-tls")]
    #[error("TLS cannot be set up with OpenSSL")]
    OpensslTls(#[source] OpensslTlsError),
    /// The TLS configuration does not work.
    #[error("TLS cannot be set up")]
    RustlsTls(#[source] RustlsTlsError),
    /// The URL asks for TLS and this build has none. It never comes.
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
    /// The server has forgotten the version or the page that was asked for (410): list again.
    Expired,
    /// Nothing was sent: there is no connection. Trying later is safe.
    Unreachable,
    /// TLS failed: one side does not accept the other's certificate. Nothing was sent.
    Untrusted,
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
            Self::Api(status) if status.is_gone_or_expired() => ErrorKind::Expired,
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
            #[cfg(feature = "openssl-tls")]
            Self::OpensslTls(_) => ErrorKind::Misuse,
        }
    }

    /// Whether the same call may succeed later, without anybody changing anything.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Api(status) => {
                let waits = status.details.as_ref().is_some_and(|details| details.retry_after_seconds > 0);
                waits || matches!(status.code, 408 | 429 | 500 | 502 | 503 | 504)
            }
            _ => matches!(self.kind(), ErrorKind::Unreachable | ErrorKind::Interrupted),
        }
    }

    /// Whether something took longer than it may: connecting, an answer, the next piece of one.
    pub fn is_timeout(&self) -> bool {
        match self {
            Self::Api(status) => matches!(status.code, 408 | 504),
            Self::Service(error) => has_cause(error.as_ref(), <dyn std::error::Error>::is::<Stalled>),
            _ => false,
        }
    }

    /// Whether the server may have done what it was asked, although there is no answer that says so. Calls that only
    /// read are never said to.
    pub fn maybe_executed(&self) -> bool {
        match self {
            Self::Api(status) => matches!(status.code, 500 | 502 | 504),
            Self::Service(error) => maybe_executed(error.as_ref()),
            _ => matches!(self.kind(), ErrorKind::Interrupted | ErrorKind::Malformed),
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

fn has_cause(
    error: &(dyn std::error::Error + 'static),
    is: impl Fn(&(dyn std::error::Error + 'static)) -> bool,
) -> bool {
    std::iter::successors(Some(error), |error| error.source()).any(is)
}

/// rustls speaks through `std::io::Error`s, which show what they hold not as their source but as themselves.
fn is_tls(error: &(dyn std::error::Error + 'static)) -> bool {
    let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    error.is::<rustls::Error>() || is_openssl(error) || inner.is_some_and(|inner| is_tls(inner))
}

/// Whether OpenSSL itself says no; it also hands on what the socket says.
#[cfg(feature = "openssl-tls")]
fn is_openssl(error: &(dyn std::error::Error + 'static)) -> bool {
    error.downcast_ref::<openssl::ssl::Error>().is_some_and(|error| error.ssl_error().is_some())
}

#[cfg(not(feature = "openssl-tls"))]
fn is_openssl(_: &(dyn std::error::Error + 'static)) -> bool {
    false
}

fn describe(status: &Status) -> String {
    format!("{} {}: {}", status.code, status.reason, status.message)
}

fn kind_of_hyper(error: &hyper::Error) -> ErrorKind {
    // HTTP/2 keeps only the text of what the socket said, and its kind. No socket but that of TLS finds data invalid:
    // the server's alert, which comes after the handshake where it does not accept the client's certificate.
    let is_alert = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|cause| cause.kind() == std::io::ErrorKind::InvalidData)
    };
    if has_cause(error, is_alert) {
        ErrorKind::Untrusted
    } else if error.is_user() {
        ErrorKind::Misuse
    } else if error.is_parse() {
        ErrorKind::Malformed
    } else {
        ErrorKind::Interrupted
    }
}

fn maybe_executed(error: &(dyn std::error::Error + Send + Sync + 'static)) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(next) = cause {
        if let Some(unanswered) = next.downcast_ref::<Unanswered>() {
            let is_sent = unanswered.has_begun()
                || !matches!(kind_of_service(error), ErrorKind::Unreachable | ErrorKind::Untrusted);
            return unanswered.is_write() && is_sent;
        }
        cause = next.source();
    }
    matches!(kind_of_service(error), ErrorKind::Interrupted | ErrorKind::Malformed)
}

/// What the caller can do about an error of the service under the client.
pub(crate) fn kind_of_service(error: &(dyn std::error::Error + Send + Sync + 'static)) -> ErrorKind {
    if was_refused_unprocessed(error) {
        return ErrorKind::Unreachable;
    }
    if has_cause(error, is_tls) {
        return ErrorKind::Untrusted;
    }
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        #[cfg(feature = "gzip")]
        if error.is::<NotUnpacked>() {
            return ErrorKind::Malformed;
        }
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
