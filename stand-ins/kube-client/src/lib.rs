//! `pintle-client` under the name `kube-client`.

pub use pintle_client::*;
