//! How a server is served: which certificate it shows, and whom it knows by certificates and tokens that were made elsewhere.
//!
//! In: PEM, as kube-apiserver's flags name it. Out: certificates and keys that were read, or what is wrong with them. What is
//! not set is made anew when the server is served.

use std::fmt;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use secrecy::SecretString;

use super::ServeError;
use super::admin::AdminToken;
use super::workspaces::WorkspaceLimits;
use crate::request::user::User;

/// Settings of a server on a socket; each has a default.
///
/// ```no_run
/// # async fn example(cert: &str, key: &str, ca: &str) -> Result<(), Box<dyn std::error::Error>> {
/// use pintle_apiserver::{ServeOptions, Server};
///
/// let options = ServeOptions::new().certificate(cert, key)?.client_authority(ca)?;
/// let serving = Server::new().serve_with("127.0.0.1:6443".parse()?, options).await?;
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct ServeOptions {
    pub(super) certificate: Option<ServingCertificate>,
    pub(super) client_authorities: Vec<CertificateDer<'static>>,
    pub(super) tokens: Vec<(SecretString, User)>,
    pub(super) anonymous: Anonymous,
    pub(super) workspaces: Option<WorkspaceLimits>,
    pub(super) admin: Option<SecretString>,
}

/// What the server shows to its clients.
pub(super) struct ServingCertificate {
    pub(super) pem: String,
    pub(super) chain: Vec<CertificateDer<'static>>,
    pub(super) key: PrivateKeyDer<'static>,
}

/// Who a request without credentials is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anonymous {
    /// `system:anonymous`.
    Known,
    /// Nobody: it is refused.
    Refused,
}

impl ServeOptions {
    /// As [`Server::serve`](crate::Server::serve) has them.
    pub fn new() -> ServeOptions {
        ServeOptions {
            certificate: None,
            client_authorities: Vec::new(),
            tokens: Vec::new(),
            anonymous: Anonymous::Known,
            workspaces: None,
            admin: None,
        }
    }

    /// Shows this certificate (first its own, then those that signed it) rather than one of an authority that is made for
    /// the occasion: `--tls-cert-file` and `--tls-private-key-file` of kube-apiserver. [`Serving::ca_pem`](super::Serving::ca_pem)
    /// is then this text.
    ///
    /// # Errors
    /// If one of them is not PEM.
    pub fn certificate(mut self, certificate_pem: &str, key_pem: &str) -> Result<Self, ServeError> {
        let chain = certificates(certificate_pem)?;
        let key = PrivateKeyDer::from_pem_slice(key_pem.as_bytes()).map_err(|error| {
            ServeError::Certificate(format!("the private key of the serving certificate is not PEM: {error}").into())
        })?;
        self.certificate = Some(ServingCertificate { pem: certificate_pem.to_owned(), chain, key });
        Ok(self)
    }

    /// Knows the users of client certificates that one of these authorities signed: the common name is the user's, the
    /// organizations are the groups. `--client-ca-file` of kube-apiserver.
    ///
    /// # Errors
    /// If this is not PEM.
    pub fn client_authority(mut self, authorities_pem: &str) -> Result<Self, ServeError> {
        self.client_authorities.extend(certificates(authorities_pem)?);
        Ok(self)
    }

    /// Knows this token as a user's: a line of kube-apiserver's `--token-auth-file`.
    pub fn token(mut self, token: SecretString, name: &str, uid: &str, groups: &[&str]) -> Self {
        let user = User::new(name, groups.iter().map(ToString::to_string)).with_uid(uid);
        self.tokens.push((token, user));
        self
    }

    /// Whether requests without credentials are `system:anonymous`'s, as by default, or refused: `--anonymous-auth` of
    /// kube-apiserver.
    pub fn anonymous(mut self, on: bool) -> Self {
        self.anonymous = if on { Anonymous::Known } else { Anonymous::Refused };
        self
    }

    /// Serves workspaces at the same address: forks of the server as it is at that moment, at most so many at a time, each with a
    /// kubeconfig and users of its own behind `/workspaces/NAME`. They are made, listed and dropped by requests to
    /// `/pintle/v1/workspaces`. One that is made without a time to live has this one, if any.
    pub fn workspaces(mut self, most: usize, time_to_live: Option<Duration>) -> Self {
        self.workspaces = Some(WorkspaceLimits { most, time_to_live });
        self
    }

    /// Lets whoever shows this token, or a new one where none is given, do by request, below `/pintle/v1`, what a test in Rust does with the methods of
    /// [`Server`](crate::Server): make faults, command watches, expire history, pause, rewind, move the clock, read the trace.
    /// [`Serving::admin_kubeconfig`](super::Serving::admin_kubeconfig) has it.
    pub fn admin(mut self, token: Option<SecretString>) -> Self {
        self.admin = Some(token.unwrap_or_else(|| AdminToken::random().1));
        self
    }
}

impl Default for ServeOptions {
    fn default() -> Self {
        ServeOptions::new()
    }
}

impl fmt::Debug for ServeOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServeOptions").field("anonymous", &self.anonymous).finish_non_exhaustive()
    }
}

fn certificates(pem: &str) -> Result<Vec<CertificateDer<'static>>, ServeError> {
    let wrong = |why: String| ServeError::Certificate(why.into());
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    let read = read.map_err(|error| wrong(format!("a certificate is not PEM: {error}")))?;
    if read.is_empty() { Err(wrong("there is no certificate in it".to_owned())) } else { Ok(read) }
}
