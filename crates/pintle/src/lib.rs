//! A Kubernetes client and controller runtime, with an API server that runs in your process.
//!
//! An operator is a function from an object to what follows from it. Derive a kind, write `reconcile`, and run it; this
//! library watches, caches, queues, retries and resumes.
//!
//! ```no_run
#![doc = include_str!("../examples/readme.rs")]
//! ```
//!
//! # Testing it
//!
//! With feature `testing` there is a cluster in each test: no port, no files, nothing to install.
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
//! | know what an error asks of you | `Error::kind` |
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
//! | `admission`, `cel`, `jsonpatch` | admission reviews; rules of kinds evaluated here; JSON patches |
//! | `gzip`, `http-proxy`, `socks5`, `oauth`, `oidc`, `openssl-tls`, `aws-lc-rs`, `webpki-roots` | ways to a cluster |
//!
//! k8s-openapi is your own dependency, with the Kubernetes version that you choose: `features = ["latest"]`.
//!
//! # More
//!
//! The book is in `docs` of the repository: `start.md` for the first ten minutes, `course.md` for fourteen programs that run,
//! `reconcilers.md` before the second controller, `troubleshooting.md` when it does not work, and `from-kube-rs.md`,
//! `from-controller-runtime.md`, `from-client-go.md` and `from-envtest.md` for those who come from there.
//!
//! Names and module paths are those of kube 5: a program written for it changes one line of its Cargo.toml,
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
