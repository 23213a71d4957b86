//! `pintle` under the name `kube`.

pub use pintle::*;
