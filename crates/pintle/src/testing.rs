//! The API server in your process, as a test needs it: no port, no files, no cluster.
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

pub use pintle_apiserver::{Builder, Server};
use pintle_client::Client;

/// Clients of a server in this process.
pub trait ServerExt {
    /// A client whose default namespace is `default`.
    fn client(&self) -> Client;
}

impl ServerExt for Server {
    fn client(&self) -> Client {
        Client::new(self.clone(), "default")
    }
}
