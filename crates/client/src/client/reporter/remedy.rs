//! What a person can do about a call that got no answer, by what kept it from getting one.

use std::error::Error;
use std::io::{self, ErrorKind};

use rustls::{AlertDescription, CertificateError};

use crate::client::reporter::stalled::Stalled;

/// What to do about an answer of 401.
pub(crate) const UNAUTHORIZED: &str = "the server does not accept these credentials: they may be expired or those of \
     another cluster; check the token, certificate or credential plugin that the configuration names";

const NOT_LISTENING: &str = "no server listens at that address: is the API server running, and is `server` in the \
     kubeconfig right?";
const NO_WAY: &str = "there is no way to that address: check `server` in the kubeconfig, the network, VPN and firewall";
const NO_SUCH_HOST: &str = "the name of the host cannot be resolved: check `server` in the kubeconfig, and DNS";
const UNKNOWN_ISSUER: &str = "the server's certificate was not issued by an authority that is trusted here: check \
     `certificate-authority` in the kubeconfig";
const OUT_OF_DATE: &str = "the server's certificate is out of date: renew it, or set the clock of this machine";
const OTHER_NAME: &str = "the server's certificate is for another name: check `server` in the kubeconfig, or set \
     `tls-server-name`";
const CERTIFICATE_REFUSED: &str = "the server does not accept the client certificate: check `client-certificate` in the \
     kubeconfig";
const NO_TLS: &str = "the other side does not speak TLS: is it `http://` and not `https://`, or another port?";

/// What to do about `error`; nothing where nothing is known.
pub(in crate::client) fn remedy(error: &(dyn Error + 'static)) -> Option<&'static str> {
    let causes = || std::iter::successors(Some(error), |cause| (*cause).source());
    if let Some(tls) = causes().find_map(rustls_in) {
        return of_tls(tls);
    }
    // hyper-util's own type for this is private, and what the resolver says has no kind.
    if causes().any(|cause| cause.to_string() == "dns error") {
        return Some(NO_SUCH_HOST);
    }
    if causes().any(|cause| cause.downcast_ref::<Stalled>().is_some_and(Stalled::is_dialing)) {
        return Some(NO_WAY);
    }
    let kind = causes().find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind)?;
    match kind {
        ErrorKind::ConnectionRefused => Some(NOT_LISTENING),
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::TimedOut => Some(NO_WAY),
        _ => None,
    }
}

fn of_tls(error: &rustls::Error) -> Option<&'static str> {
    use CertificateError::{
        Expired, ExpiredContext, NotValidForName, NotValidForNameContext, NotValidYet, NotValidYetContext,
    };
    match error {
        rustls::Error::InvalidCertificate(problem) => match problem {
            Expired | ExpiredContext { .. } | NotValidYet | NotValidYetContext { .. } => Some(OUT_OF_DATE),
            NotValidForName | NotValidForNameContext { .. } => Some(OTHER_NAME),
            // `UnknownIssuer`, and what the platform's verifier says in words of its own.
            _ => Some(UNKNOWN_ISSUER),
        },
        rustls::Error::AlertReceived(
            AlertDescription::BadCertificate
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateRequired
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA,
        ) => Some(CERTIFICATE_REFUSED),
        rustls::Error::InvalidMessage(_) => Some(NO_TLS),
        _ => None,
    }
}

/// rustls speaks through `std::io::Error`s, which show what they hold not as their source but as themselves.
fn rustls_in<'a>(cause: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    let inner = || cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    cause.downcast_ref::<rustls::Error>().or_else(|| inner().and_then(|inner| rustls_in(inner)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_fail_has_its_remedy() {
        let tls = |error| io::Error::new(ErrorKind::InvalidData, rustls::Error::InvalidCertificate(error));
        let alert = rustls::Error::AlertReceived(AlertDescription::UnknownCA);
        let cases = [
            (io::Error::from(ErrorKind::ConnectionRefused), Some(NOT_LISTENING)),
            (io::Error::from(ErrorKind::HostUnreachable), Some(NO_WAY)),
            (io::Error::from(ErrorKind::ConnectionReset), None),
            (tls(CertificateError::UnknownIssuer), Some(UNKNOWN_ISSUER)),
            (tls(CertificateError::NotValidForName), Some(OTHER_NAME)),
            (tls(CertificateError::Expired), Some(OUT_OF_DATE)),
            (io::Error::new(ErrorKind::InvalidData, alert), Some(CERTIFICATE_REFUSED)),
        ];
        for (error, expected) in cases {
            assert_eq!(remedy(&error), expected, "{error}");
        }
    }
}
