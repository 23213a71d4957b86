//! The server on a socket: HTTPS on loopback, for kubectl and for programs in other processes.
//!
//! In: an address. Out: a [`Serving`] with everything needed to connect: address, certificate authority, token,
//! kubeconfig. It is for development and tests: only loopback addresses are served, and a client without a token or
//! certificate of this server is `system:anonymous`. One task accepts; each connection has its own; both end when the `Serving`
//! is dropped.

mod admin;
mod authenticator;
mod connection;
mod credential;
mod dispatcher;
mod endpoint;
mod identity;
mod kubeconfig;
mod options;
mod outbox;
mod port_forward;
mod processes;
mod signing;
mod spdy;
mod spdy_processes;
mod streams;
mod successor;
mod tls;
mod upgrade;
mod workspaces;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::data::error::DataError;
use crate::request::user::User;
use crate::server::Server;

pub use credential::Credential;
pub use kubeconfig::WrittenKubeconfig;
pub use options::ServeOptions;

use admin::{Admin, AdminToken};
use authenticator::Authenticator;
use dispatcher::Dispatcher;
use endpoint::Endpoint;
use identity::Identity;
use kubeconfig::{NAME, Reach};
use tls::Authority;
use workspaces::Workspaces;

/// Why a server could not be put on a socket.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address is one that other machines could reach.
    #[error(
        "refusing to serve on {0}: this API server is for development and tests and listens on loopback only; use \
         127.0.0.1 or [::1], and forward a port if another machine must reach it"
    )]
    NotLoopback(SocketAddr),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// A certificate could not be made or read.
    #[error("cannot use or make a certificate: {0}")]
    Certificate(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The data directory cannot keep who the server is.
    #[error(transparent)]
    Data(DataError),
}

/// A server that is being served.
pub struct Serving {
    address: SocketAddr,
    reach: Reach,
    authority: Arc<Authority>,
    ca_pem: String,
    token: SecretString,
    admin_token: Option<SecretString>,
    main: Arc<Endpoint>,
    stop: watch::Sender<()>,
    accepting: JoinHandle<()>,
}

/// What is spoken on the socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
}

impl Scheme {
    fn name(self) -> &'static str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
        }
    }
}

impl Server {
    /// Serves HTTPS on a loopback address; port 0 takes a free one. Certificate authority, certificate and token are
    /// made anew each time, unless the server has a data directory ([`Builder::open`](crate::Builder::open)): then the authority,
    /// the token and, for port 0, the port are those of the last time.
    pub async fn serve(&self, address: SocketAddr) -> Result<Serving, ServeError> {
        self.serve_with(address, ServeOptions::new()).await
    }

    /// The same with a certificate, users and tokens of one's own: what kube-apiserver is started with by flags.
    pub async fn serve_with(&self, address: SocketAddr, options: ServeOptions) -> Result<Serving, ServeError> {
        self.serve_as(Scheme::Https, address, options).await
    }

    /// Serves HTTP without TLS, for programs that cannot be made to trust a certificate. Tokens are asked for all the
    /// same, and any user of this machine who may listen to loopback can read them.
    pub async fn serve_http(&self, address: SocketAddr) -> Result<Serving, ServeError> {
        self.serve_http_with(address, ServeOptions::new()).await
    }

    /// The same with options; those about certificates mean nothing there.
    pub async fn serve_http_with(&self, address: SocketAddr, options: ServeOptions) -> Result<Serving, ServeError> {
        self.serve_as(Scheme::Http, address, options).await
    }

    async fn serve_as(
        &self,
        scheme: Scheme,
        address: SocketAddr,
        options: ServeOptions,
    ) -> Result<Serving, ServeError> {
        if !address.ip().is_loopback() {
            return Err(ServeError::NotLoopback(address));
        }
        let Identity { authority, token } = Identity::of(self)?;
        let authority = Arc::new(authority);
        let ca_pem = options.certificate.as_ref().map_or_else(|| authority.pem.clone(), |given| given.pem.clone());
        let authenticator = Authenticator::new(self.clone(), options.anonymous);
        let acceptor = match scheme {
            Scheme::Https => {
                let acceptor = authority.acceptor(options.certificate, options.client_authorities);
                Some(acceptor.map_err(ServeError::Certificate)?)
            }
            Scheme::Http => None,
        };
        let listen = |source| ServeError::Listen { address, source };
        let last = match identity::last_address(self, address) {
            Some(last) => TcpListener::bind(last).await.ok(),
            None => None,
        };
        let listener = match last {
            Some(listener) => listener,
            None => TcpListener::bind(address).await.map_err(listen)?,
        };
        let address = listener.local_addr().map_err(listen)?;
        identity::keep_port(self, address.port())?;
        self.set_certificate_authority(Arc::<Authority>::clone(&authority));
        self.set_namespace_defaults(ca_pem.clone(), address.port());
        for (token, user) in options.tokens {
            authenticator.know_token(&token, user);
        }
        authenticator.know_token(&token, User::administrator());
        let (reach, admin_token) = (Reach::new(scheme, address, &ca_pem), options.admin);
        let admin = admin_token.as_ref().map(AdminToken::new);
        let workspaces =
            options.workspaces.map(|limits| Workspaces::new(limits, options.anonymous, reach.clone(), admin.clone()));
        let main = Arc::new(Endpoint { authenticator, admin: admin.map(|token| Admin::new(vec![token])) });
        let dispatcher = Arc::new(Dispatcher { main: Arc::clone(&main), workspaces });
        let (stop, stopped) = watch::channel(());
        let accepting = tokio::spawn(accept(listener, acceptor, dispatcher, stopped));
        Ok(Serving { address, reach, authority, ca_pem, token, admin_token, main, stop, accepting })
    }
}

impl Serving {
    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// The certificate authority to trust, as PEM; where a certificate was given ([`ServeOptions::certificate`]), that.
    pub fn ca_pem(&self) -> &str {
        &self.ca_pem
    }

    /// The administrator's bearer token.
    pub fn token(&self) -> &SecretString {
        &self.token
    }

    /// A token for another user, known from now on.
    pub fn token_for(&self, name: &str, groups: &[&str]) -> Credential {
        Credential::Token(self.main.authenticator.give_token(User::of(name, groups)))
    }

    /// A client certificate for another user, known from now on; it is of use on HTTPS alone.
    pub fn certificate_for(&self, name: &str, groups: &[&str]) -> Result<Credential, ServeError> {
        let signed = self.authority.certify(name, groups).map_err(ServeError::Certificate)?;
        let user = User::of(name, groups);
        self.main.authenticator.know_certificate(signed.certificate.der(), user);
        let key_pem = SecretString::from(signed.key.serialize_pem());
        Ok(Credential::Certificate { certificate_pem: signed.certificate.pem(), key_pem })
    }

    /// A kubeconfig with the address, the authority and the administrator's token; its context, cluster and user are
    /// called `pintle`.
    pub fn kubeconfig(&self) -> String {
        self.kubeconfig_with(&Credential::Token(self.token.clone()))
    }

    /// The same for another user: the one with this credential.
    pub fn kubeconfig_with(&self, credential: &Credential) -> String {
        self.reach.kubeconfig(NAME, credential)
    }

    /// A kubeconfig whose token opens the admin path ([`ServeOptions::admin`]) and nothing else; its context, cluster and
    /// user are called `pintle-admin`.
    pub fn admin_kubeconfig(&self) -> Option<String> {
        let token = self.admin_token.clone()?;
        Some(self.reach.kubeconfig(&format!("{NAME}-admin"), &Credential::Token(token)))
    }

    /// Writes the kubeconfig to a file that only its owner can read. The file is there whole or not at all.
    ///
    /// A kubeconfig that is there already and has more in it than this server's entries is kept: the entries called
    /// `pintle` are added or replaced, its other entries, fields and its current context stay as they are, and the file
    /// as it was is kept beside it. [`WrittenKubeconfig`] says where, and whether kubectl needs `--context pintle`.
    ///
    /// # Errors
    /// If the file cannot be read or written, is not a kubeconfig, or is locked by another program that changes it; it
    /// is then left as it was.
    pub fn write_kubeconfig(&self, path: impl AsRef<Path>) -> io::Result<WrittenKubeconfig> {
        kubeconfig::write(path.as_ref(), &self.kubeconfig())
    }

    /// Writes the [admin kubeconfig](Serving::admin_kubeconfig) in the same way.
    ///
    /// # Errors
    /// The same, and if there is no admin path.
    pub fn write_admin_kubeconfig(&self, path: impl AsRef<Path>) -> io::Result<WrittenKubeconfig> {
        let none = || io::Error::new(io::ErrorKind::NotFound, "the admin path is off");
        kubeconfig::write(path.as_ref(), &self.admin_kubeconfig().ok_or_else(none)?)
    }

    /// Takes no more connections, lets running requests end, and closes what is still open shortly after: watches
    /// do not end by themselves.
    pub async fn shutdown(self) {
        // This fails only if no task listens any more, and then there is nothing to stop.
        self.stop.send(()).unwrap_or_default();
        if let Err(error) = self.accepting.await {
            tracing::warn!("the accepting task ended badly: {error}");
        }
    }
}

impl fmt::Debug for Serving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serving").field("address", &self.address).finish_non_exhaustive()
    }
}

async fn accept(
    listener: TcpListener,
    acceptor: Option<TlsAcceptor>,
    dispatcher: Arc<Dispatcher>,
    mut stopped: watch::Receiver<()>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            // First, because a busy listener must not keep a stop waiting.
            _ = stopped.changed() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection::answer(stream, acceptor.clone(), Arc::clone(&dispatcher), stopped.clone()));
                }
                Err(error) => {
                    tracing::warn!("cannot accept a connection: {error}");
                    sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
    drop(listener);
    if timeout(GRACE, async { while connections.join_next().await.is_some() {} }).await.is_err() {
        tracing::debug!("closing connections that are still open");
    }
}

/// How long running requests have when the server stops; those that are not watches take milliseconds.
const GRACE: Duration = Duration::from_millis(500);

/// After a failed accept (most often: too many open files) trying again at once would only burn a core.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
