//! The road to a cluster: where it is, how to speak with it, and the calls of each kind.
//!
//! ```text
//!   kubeconfig, service account ─► Config ─► Client ─► Api<K>
//!
//!   Api<K> ─► Call ─► http::Request ─► Client ─► [retry, credentials, time limits, TLS] ═══bytes═══► cluster
//!                                        │
//!            K, Status, WatchEvent  ◄────┤  answer, events: collected and decoded
//!            Packed<K>              ◄────┘  api::packed: cut from the stream, decoded by its reader
//! ```
//! The service under [`Client`] is the only seam: [`Client::new`] takes any tower service, so a cluster, a server in
//! this process and a test differ in nothing else. [`Client::layered`] puts the same layers around a service of one's own
//! that a client from a [`Config`] has.
//!
//! # What is logged
//!
//! | level | what |
//! |---|---|
//! | `warn` | calls get no answer, or the server does not accept the credentials: call, server, cause, remedy; when it begins or changes, and once a minute |
//! | `warn` | what the server warns of (deprecated APIs), each text once; a connection that is not made within 5 s |
//! | `info` | that it is over; that a call is tried again (once per call); that a call waits for its answer since 5 s |
//! | `debug` | the span `HTTP` of each call with kube's fields, each try and its outcome |
//!
//! Targets begin with `pintle`: `RUST_LOG=kube=debug` of a program that was written for kube becomes `pintle=debug`. What a
//! call returns otherwise, such as 403 or 404, is the caller's to log, and [`Error::is_logged_by_client`] says which is
//! which. `{error}` prints the whole chain of causes in one line.
//!
//! Reading order: [`config`] (`config.rs`, then `config/file.rs`, `read.rs`), [`client`] (`client.rs`, `answer.rs`,
//! `reporter.rs`, then `layers.rs`: what a request passes through, and `connection.rs`), [`api`] (`api.rs`, `verbs.rs`, `packed.rs`),
//! [`discovery`], [`error`]. Module paths are kube's.

#[cfg(feature = "client")]
pub mod api;
#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "config")]
pub mod config;
#[cfg(feature = "client")]
pub mod discovery;
#[cfg(feature = "config")]
pub mod error;
#[cfg(feature = "config")]
pub mod error_chain;

#[cfg(feature = "client")]
mod random;

#[cfg(feature = "client")]
pub use api::Api;
#[cfg(feature = "client")]
pub use client::Client;
#[cfg(feature = "config")]
pub use config::Config;
#[cfg(feature = "client")]
pub use discovery::Discovery;
#[cfg(feature = "client")]
pub use error::ErrorKind;
#[cfg(feature = "config")]
pub use error::{Error, Result};
pub use pintle_core as core;
#[doc(no_inline)]
pub use pintle_core::{CustomResourceExt, Resource, ResourceExt};
