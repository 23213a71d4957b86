//! `pintle-runtime` under the name `kube-runtime`.

pub use pintle_runtime::*;
