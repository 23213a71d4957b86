//! `pintle-core` under the name `kube-core`.

pub use pintle_core::*;
