//! What a program writes for an admission webhook: a function from a request about a kind to a decision.

use std::future::Future;

use pintle_core::Resource;
use pintle_core::admission::AdmissionRequest;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::decision::Decision;

/// A type that admission webhooks may be about: every resource that can be read and written, and is its own.
pub trait Reviewed: Resource + DeserializeOwned + Serialize + Send + 'static {}

impl<K: Resource + DeserializeOwned + Serialize + Send + 'static> Reviewed for K {}

/// Decides about writes of `K`: every function of an [`AdmissionRequest<K>`] whose future is a [`Decision`], or becomes one.
pub trait Handler<K: Reviewed>: Send + Sync + 'static {
    /// What becomes of the write.
    fn decide(&self, request: AdmissionRequest<K>) -> impl Future<Output = Decision> + Send + 'static;
}

impl<K, H, F> Handler<K> for H
where
    K: Reviewed,
    H: Fn(AdmissionRequest<K>) -> F + Send + Sync + 'static,
    F: Future<Output: Into<Decision>> + Send + 'static,
{
    fn decide(&self, request: AdmissionRequest<K>) -> impl Future<Output = Decision> + Send + 'static {
        let decision = self(request);
        async move { decision.await.into() }
    }
}
