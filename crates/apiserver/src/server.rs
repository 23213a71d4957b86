//! The server: what a user builds, clones and calls.
//!
//! In: settings. Out: a [`tower::Service`] that answers as kube-apiserver does. Clones share one state. Work happens inside
//! requests, and a watch is woken by the write it sends; what follows from a write is done by the next request, or by a task
//! that ends with it (`settling`). So an idle server costs nothing, and is gone when its last clone and its last response are.

mod backup;
mod builder;
mod controls;
mod durability;
mod loading;
mod settling;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Buf;
use http::{Request, Response};
use tokio::sync::{Notify, watch};

use crate::admission::Admission;
use crate::authorization::Authorizer;
use crate::authorization::access_log::AccessLog;
use crate::catalog::Catalog;
use crate::cluster::Cluster;
#[cfg(feature = "serve")]
use crate::controllers::namespace::NamespaceDefaults;
#[cfg(feature = "serve")]
use crate::controllers::simulated::certificate_signing::CertificateAuthority;
#[cfg(feature = "serve")]
use crate::data::error::DataError;
use crate::data::journal::Journal;
use crate::faults::Rules;
use crate::faults::open_watches::OpenWatches;
use crate::faults::trace::TraceLog;
use crate::observation::Observation;
#[cfg(feature = "serve")]
use crate::registry::core::service_accounts::token::ISSUER;
use crate::request;
use crate::request::user::User;
use crate::response::body::{Body, Interrupted};
use crate::storage::watch::WatchDefaults;
use settling::Planned;

pub use builder::Builder;
pub use controls::HistoryLost;
pub use loading::LoadError;

/// Any error of a request body.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A Kubernetes API server in this process, for development and tests.
///
/// Call it from a tokio runtime whose time driver is enabled; with paused time its timers follow. What is asked of it is
/// asked as the administrator, or as another user: [`Server::as_user`].
#[derive(Clone)]
pub struct Server {
    state: Arc<State>,
    /// Whose requests these are, where they do not say it themselves.
    user: Arc<User>,
    exposure: Exposure,
}

/// Whether requests meet faults and are traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exposure {
    /// As those of every client.
    Exposed,
    /// Only those of a test itself.
    Exempt,
}

/// What all clones of a server share.
pub(crate) struct State {
    cluster: Mutex<Cluster>,
    pub(crate) admission: Arc<Admission>,
    /// When pending work is done by itself, if that is planned.
    settles_at: Mutex<Option<Planned>>,
    /// A write of a controller that asked webhooks has come to its end.
    intent_done: Notify,
    me: Weak<State>,
    pub(crate) progress: Arc<watch::Sender<u64>>,
    pub(crate) authorizer: Authorizer,
    pub(crate) access_log: AccessLog,
    pub(crate) rules: Rules,
    pub(crate) watches: OpenWatches,
    pub(crate) log: Arc<TraceLog>,
    pub(crate) observation: Arc<Observation>,
    bookmark_period: Duration,
    /// Where everything is stored besides, if it has a data directory.
    journal: Option<Journal>,
}

impl Server {
    /// A server with default settings and an empty cluster.
    pub fn new() -> Server {
        Server::builder().build()
    }

    /// Settings for a server.
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// The same server, as another user: requests through this handle are made as this user. The user
    /// `system:serviceaccount:NAMESPACE:NAME` is in the groups of that service account, `system:anonymous` only in
    /// `system:unauthenticated`. What a user may do is for [`Builder::rbac`] to decide.
    ///
    /// ```
    /// # use pintle_apiserver::Server;
    /// let server = Server::builder().rbac().build();
    /// let jane = server.as_user("jane", &["developers"]);
    /// let operator = server.as_user("system:serviceaccount:default:operator", &[]);
    /// ```
    #[must_use]
    pub fn as_user(&self, name: &str, groups: &[&str]) -> Server {
        Server { user: Arc::new(User::of(name, groups)), ..self.clone() }
    }

    /// The same server, for the test itself: requests through this handle meet no faults, and neither the trace nor what is
    /// done to watches concerns them. So a test can change and check objects while everybody else's requests fail. A server
    /// that is paused answers nobody.
    ///
    /// ```
    /// # use pintle_apiserver::{Fault, Requests, Server};
    /// let server = Server::new();
    /// server.fault(Requests::all(), Fault::unavailable(None));
    /// let observer = server.without_faults();
    /// // … clients of `server` are refused, those of `observer` are not.
    /// ```
    #[must_use]
    pub fn without_faults(&self) -> Server {
        Server { exposure: Exposure::Exempt, ..self.clone() }
    }

    /// Gives namespaces the certificate authority and port of the served socket.
    #[cfg(feature = "serve")]
    pub(crate) fn set_namespace_defaults(&self, ca_pem: String, port: u16) {
        self.state.cluster().set_namespace_defaults(NamespaceDefaults { ca_pem, port });
    }

    /// Has requests for certificates signed by the authority of the served socket.
    #[cfg(feature = "serve")]
    pub(crate) fn set_certificate_authority(&self, authority: Arc<dyn CertificateAuthority>) {
        self.state.cluster().set_certificate_authority(authority);
    }

    /// Whether anybody wants to know of each request.
    #[cfg(feature = "serve")]
    pub(crate) fn is_observed(&self) -> bool {
        self.state.observation.is_on()
    }

    /// Notes a request that was refused because its credentials are wrong.
    #[cfg(feature = "serve")]
    pub(crate) fn note_unauthorized(&self, parts: &http::request::Parts) {
        self.state.observation.unauthorized(parts);
    }

    /// A value that the data directory keeps for the socket; none without one.
    #[cfg(feature = "serve")]
    pub(crate) fn kept(&self, name: &str) -> Option<Vec<u8>> {
        self.state.kept(name)
    }

    /// Has the data directory, if there is one, keep a value.
    #[cfg(feature = "serve")]
    pub(crate) fn keep(&self, name: &str, value: &[u8]) -> Result<(), DataError> {
        self.state.keep(name, value)
    }

    /// The service account of a token that is meant for this server.
    #[cfg(feature = "serve")]
    pub(crate) fn account_of(&self, token: &str) -> Option<User> {
        let (user, _) = self.state.cluster().account_of(token, &[ISSUER]).ok()?;
        Some(user)
    }

    /// To see whether anything of the server is left.
    #[cfg(all(test, feature = "serve"))]
    pub(crate) fn downgrade(&self) -> Weak<State> {
        Arc::downgrade(&self.state)
    }

    /// Whether this resource is served: by its plural, as `pods`, or with its group, as `deployments.apps`; those of
    /// definitions count.
    pub fn has_resource(&self, resource: &str) -> bool {
        self.state.settled().catalog.has_resource(resource)
    }

    /// The revision of the last write.
    pub fn revision(&self) -> u64 {
        *self.state.progress.borrow()
    }
}

impl Default for Server {
    fn default() -> Self {
        Server::new()
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("revision", &self.revision()).finish_non_exhaustive()
    }
}

impl State {
    /// What was committed so far is published; a journal has it already.
    fn new(
        mut cluster: Cluster,
        rules: Rules,
        observation: Arc<Observation>,
        bookmark_period: Duration,
        journal: Option<Journal>,
    ) -> Arc<State> {
        cluster.store.publication.publish();
        if let Some(journal) = &journal {
            journal.reached(cluster.store.publication.published());
            cluster.store.publication.wait_for_journal();
        }
        Arc::new_cyclic(|me| State {
            progress: cluster.store.publication.progress(),
            admission: Arc::clone(&cluster.admission),
            authorizer: cluster.authorizer.clone(),
            cluster: Mutex::new(cluster),
            settles_at: Mutex::new(None),
            intent_done: Notify::new(),
            me: Weak::clone(me),
            access_log: AccessLog::default(),
            rules,
            watches: OpenWatches::new(),
            log: Arc::default(),
            observation,
            bookmark_period,
            journal,
        })
    }

    /// What is served now.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.cluster().catalog)
    }

    /// How the next watch is timed.
    pub(crate) fn watch_defaults(&self, cluster: &Cluster) -> WatchDefaults {
        let timeout = Duration::from_secs(cluster.ids.number(WATCH_SECONDS_LEAST..WATCH_SECONDS_MOST));
        WatchDefaults { bookmark_period: self.bookmark_period, timeout }
    }
}

impl<B> tower::Service<Request<B>> for Server
where
    B: http_body::Body + Send + 'static,
    B::Data: Buf + Send,
    B::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = Interrupted;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Interrupted>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Interrupted>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let Server { state, user, exposure } = self.clone();
        Box::pin(async move { request::answer(&state, user, exposure, request).await })
    }
}

/// A watch that does not say ends after a random time in this range, as kube-apiserver's do, so that the watches of
/// many clients do not all begin anew at once.
const WATCH_SECONDS_LEAST: u64 = 1800;
const WATCH_SECONDS_MOST: u64 = 3600;
