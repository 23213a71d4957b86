//! What a caller can do about an error.

use pintle_core::Status;
use tower::BoxError;

use super::{DiscoveryError, Error};
#[cfg(feature = "gzip")]
use crate::client::NotUnpacked;
use crate::client::retry::was_refused_unprocessed;
use crate::client::write_guard::WriteRefused;
use crate::client::{BodyTooLarge, Stalled, Unanswered, UnexpectedContentType};

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

impl ErrorKind {
    /// Its name in spans and metrics.
    pub fn label(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Expired => "expired",
            Self::Unreachable => "unreachable",
            Self::Untrusted => "untrusted",
            Self::Interrupted => "interrupted",
            Self::Malformed => "malformed",
            Self::Misuse => "misuse",
        }
    }
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

    /// Whether the same call may succeed later, although nothing is changed.
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

    /// Whether the client logs this by itself, once and not per call: that there is no connection, no answer or no
    /// credentials, and that the server does not accept those there are (401). A caller that tries again and again need not
    /// log it, too. Not in kube.
    pub fn is_logged_by_client(&self) -> bool {
        use ErrorKind::{Interrupted, Unreachable, Untrusted};
        match self {
            Self::Api(status) => status.code == 401,
            Self::Auth(_) => true,
            Self::Service(_) | Self::HyperError(_) => matches!(self.kind(), Unreachable | Untrusted | Interrupted),
            _ => false,
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
    // It was not sent, or not to its end.
    if has_cause(error, <dyn std::error::Error>::is::<WriteRefused>) {
        return false;
    }
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
        if error.is::<WriteRefused>() {
            return ErrorKind::Misuse;
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
