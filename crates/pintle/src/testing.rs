//! An API server in your process, for tests: no port, no files, no cluster.
//!
//! ```
//! use pintle::testing::{Server, ServerExt};
//! use pintle::api::{Api, ListParams};
//! use k8s_openapi::api::core::v1::Namespace;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> pintle::Result<()> {
//! let client = Server::new().client();
//! let namespaces = Api::<Namespace>::all(client).list(&ListParams::default()).await?;
//! assert!(namespaces.iter().any(|namespace| namespace.metadata.name.as_deref() == Some("default")));
//! # Ok(())
//! # }
//! ```
//!
//! # Faults
//!
//! A rule says which requests fail, how often, and how: [`Server::fault`] with [`Requests`] and a [`Fault`].
//!
//! ```
//! use pintle::testing::{Fault, Requests, Server, ServerExt};
//! use pintle::api::{Api, ListParams};
//! use k8s_openapi::api::core::v1::Pod;
//! # use std::time::Duration;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> pintle::Result<()> {
//! let server = Server::new();
//! let refused = server.fault(Requests::lists().of("pods").times(1), Fault::forbidden());
//! let cut = server.fault(Requests::watches().of("pods"), Fault::Cut { after: 3 });
//! let slow = server.fault(Requests::writes().with_chance(0.1), Fault::Delay(Duration::from_secs(2)));
//!
//! let pods: Api<Pod> = Api::all(server.client());
//! assert!(pods.list(&ListParams::default()).await.is_err());
//! assert!(pods.list(&ListParams::default()).await.is_ok());
//! assert_eq!((refused.fired(), cut.fired(), slow.fired()), (1, 0, 0));
//! println!("{}", server.trace().last().expect("two requests were made"));
//! # Ok(())
//! # }
//! ```
//!
//! | what | how |
//! |---|---|
//! | an error response, or many of them | [`Fault::conflict`], [`Fault::too_many_requests`], [`Fault::gone`] and siblings |
//! | a connection that breaks before or after the write took effect | [`Fault::LostRequest`], [`Fault::LostResponse`] |
//! | a slow or silent server | [`Fault::Delay`], [`Fault::Hang`], [`Server::pause`] |
//! | a watch that ends, breaks, falls silent, is slow, expires | [`Fault::Cut`], [`Fault::Break`], [`Fault::Stall`], [`Fault::SlowEvents`], [`Fault::Expire`]; now: [`Server::cut_watches`], [`Server::break_watches`], [`Server::stall_watches`] |
//! | to change and check objects meanwhile | [`Server::without_faults`] |
//! | 410 for old versions | [`Server::expire_history`], [`Server::expire_history_before`] |
//! | a bookmark now, or none | [`Server::send_bookmarks`], [`Fault::NoBookmarks`], [`Fault::NoEndBookmark`] |
//! | a replica that lags, an etcd restored from a backup | [`Fault::Stale`], [`Server::rewind`] |
//! | a truncated response or event, an object that does not decode | [`Fault::Truncate`], [`Fault::Undecodable`] |
//! | an older server | [`Fault::StreamingListRefused`], [`Fault::StreamingListIgnored`], [`Fault::JsonOnly`], [`Fault::LegacyDiscovery`] |
//!
//! # Who may do what
//!
//! [`Builder::rbac`] has roles and bindings decide, as in a cluster; [`ServerExt::client_as`] is a client of somebody whom they
//! do not allow everything.
//!
//! ```
//! use pintle::testing::{Server, ServerExt};
//! use pintle::api::{Api, ListParams};
//! use k8s_openapi::api::core::v1::Pod;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let server = Server::builder().rbac().build();
//! let pods: Api<Pod> = Api::all(server.client_as("system:serviceaccount:default:operator"));
//! let refused = pods.list(&ListParams::default()).await.expect_err("it has no role yet");
//! assert!(refused.to_string().contains("cannot list resource \"pods\""));
//! # }
//! ```
//!
//! Clock, seed and uids are inputs ([`Builder::clock`], [`Builder::seed`], [`Builder::uids`]), timers follow
//! `tokio::time`, and random faults depend only on the seed: the same test sees the same faults.

pub use pintle_apiserver::{
    AdmissionPlugin, AuthorizationMode, Body, Builder, ClockMove, Controllers, Credential, DataDirectory, DataError,
    Fault, HistoryLost, Interrupted, InvalidStages, LeastPrivilege, LoadError, OutOfRange, Requests, Rule, ServeError,
    Server, Serving, Stages, Trace, TraceEvent, UnknownAdmissionPlugin, UnknownController,
};
use pintle_client::Client;

/// Clients of a server in this process.
pub trait ServerExt {
    /// A client whose default namespace is `default`. It behaves like one from a kubeconfig: it retries calls, limits their
    /// time and number, has spans, and logs the server's warnings. With paused time the delays between retries take no time.
    fn client(&self) -> Client;

    /// The same as somebody else, such as `system:serviceaccount:default:operator`; what that user may do is for
    /// [`Builder::rbac`] to decide. For somebody in groups: [`Server::as_user`].
    fn client_as(&self, user: &str) -> Client;

    /// A client without these layers: each call is one request, and returns what the server answered.
    fn bare_client(&self) -> Client;
}

impl ServerExt for Server {
    fn client(&self) -> Client {
        Client::layered(self.clone(), "default")
    }

    fn client_as(&self, user: &str) -> Client {
        self.as_user(user, &[]).client()
    }

    fn bare_client(&self) -> Client {
        Client::new(self.clone(), "default")
    }
}
