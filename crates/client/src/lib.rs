//! The road to a cluster: where it is, how to speak with it, and the calls of each kind.
//!
//! ```text
//!   kubeconfig, service account ─► Config ─► Client ─► Api<K>
//!
//!   Api<K> ─► Call ─► http::Request ─► Client ─► [retry, credentials, time limits, TLS] ═══bytes═══► cluster
//!                                        │
//!            K, Status, WatchEvent  ◄────┤  answer, events: collected and decoded
//!            Packed<K>              ◄────┘  api::packed: cut from the stream, decoded by whoever looks
//! ```
//! The service under [`Client`] is the only seam: [`Client::new`] takes any tower service, so a cluster, a server in
//! this process and a test differ in nothing else.
//!
//! Reading order: [`config`] (`config.rs`, then `config/file.rs`, `read.rs`), [`client`] (`client.rs`, `answer.rs`,
//! `events.rs`, then the stack below it from `stack.rs` down), [`api`] (`api.rs`, `verbs.rs`, `packed.rs`),
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
