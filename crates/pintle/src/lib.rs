//! Pintle: a Kubernetes client and controller runtime, with an API server that runs in your process.
//!
//! ```text
//!   your reconciler ──► runtime ──► client ──► any tower service ═══► a cluster
//!                                                              └────► testing::Server, in this process
//! ```
//!
//! Names and module paths are those of kube 5: a program written for it changes one line of its Cargo.toml,
//! `kube = { package = "pintle", … }`. This crate only re-exports; read `pintle-core` first, then `pintle-client`,
//! then `pintle-runtime`.
//!
//! # A controller
//! ```no_run
#![doc = include_str!("../examples/readme.rs")]
//! ```

#[cfg(doctest)]
mod book;
#[cfg(feature = "testing")]
pub mod testing;

pub use pintle_core as core;
#[doc(inline)]
pub use pintle_core::{CustomResourceExt, Resource, ResourceExt};

#[cfg(feature = "client")]
#[doc(inline)]
pub use pintle_client::{Api, Client, Discovery, ErrorKind, api, client, discovery};
#[cfg(feature = "config")]
#[doc(inline)]
pub use pintle_client::{Config, Error, Result, config, error};

#[cfg(feature = "derive")]
pub use pintle_derive::{CustomResource, KubeSchema, Resource};

/// Several controllers in one program: shared watches, lease, probes, metrics, webhooks.
#[cfg(feature = "manager")]
#[doc(inline)]
pub use pintle_manager as manager;

/// Watcher, reflector, store and controller.
#[cfg(feature = "runtime")]
#[doc(inline)]
pub use pintle_runtime as runtime;

/// The traits, for `use pintle::prelude::*`. It imports their methods and only one name, as in kube.
pub mod prelude {
    #[cfg(feature = "client")]
    pub use pintle_client::client::ConfigExt as _;
    #[cfg(feature = "unstable-client")]
    pub use pintle_client::client::scope::NamespacedRef;
    pub use pintle_core::CustomResourceExt as _;
    pub use pintle_core::PartialObjectMetaExt as _;
    pub use pintle_core::Resource as _;
    pub use pintle_core::ResourceExt as _;
    pub use pintle_core::SelectorExt as _;
    #[cfg(feature = "runtime")]
    pub use pintle_runtime::WatchStreamExt as _;
}
