//! `pintle-derive` under the name `kube-derive`.

pub use pintle_derive::*;
