//! A Kubernetes client and controller runtime, with an API server that runs in your process.
//!
//! To write an operator, derive a kind and write `reconcile`. Pintle watches, caches, queues, retries and resumes.
//!
//! ```no_run
#![doc = include_str!("../examples/readme.rs")]
//! ```
//!
//! # Testing it
//!
//! With the feature `testing`, each test has its own API server in its process: no port, no files, nothing to install.
//!
//! ```
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use pintle::Api;
//! use pintle::testing::{Server, ServerExt};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::new();
//! server.load(r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}"#)?;
//! let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
//! assert_eq!(maps.get("a").await?.metadata.name.as_deref(), Some("a"));
//! # Ok(())
//! # }
//! ```
//!
//! # Where to look
//!
//! | to | see |
//! |---|---|
//! | read and write objects | `Client`, `Api`, `core` |
//! | watch and cache them | `runtime::watcher`, `runtime::reflector` |
//! | write a controller | `runtime::Controller`, `runtime::finalizer` |
//! | define a kind | `CustomResource` |
//! | run it in production: lease, probes, metrics, webhooks | `manager::Manager` |
//! | test it | `testing::Server` |
//! | decide what to do about an error | `Error::kind` |
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `client` (default) | `Client`, `Api`, `Discovery`; TLS by rustls and ring |
//! | `runtime` | watcher, reflector, controller, finalizer, lease |
//! | `derive` | `#[derive(CustomResource)]`, `Resource`, `KubeSchema` |
//! | `manager` | several controllers in one program, webhooks, metrics, probes |
//! | `testing` | the API server in your process |
//! | `ws` | exec, attach, port-forward |
//! | `admission`, `cel`, `jsonpatch` | admission reviews; CEL rules evaluated in your process; JSON patches |
//! | `gzip`, `http-proxy`, `socks5`, `oauth`, `oidc`, `openssl-tls`, `aws-lc-rs`, `webpki-roots` | options of the connection |
//!
//! Your program depends on k8s-openapi directly and chooses the Kubernetes version: `features = ["latest"]`.
//!
//! # More
//!
//! The book is in the folder `docs` of the repository. Read `start.md` for the first ten minutes, `course.md` for fourteen small
//! programs, `reconcilers.md` before you write your second controller, and `troubleshooting.md` when something does not work.
//! `from-kube-rs.md`, `from-controller-runtime.md`, `from-client-go.md` and `from-envtest.md` are for migrating.
//!
//! Names and module paths are those of kube 5. To move a program from kube, change one line of its Cargo.toml:
//! `kube = { package = "pintle", … }`.

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
