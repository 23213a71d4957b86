//! The resources of a running pod's containers, changed in place.

use k8s_openapi::api::core::v1::Pod;
use pintle_core::call::Call;
use pintle_core::params::{GetParams, Patch, PatchParams, PostParams};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::api::Api;
use crate::api::verbs::print;
use crate::error::Result;

const RESIZE: &str = "resize";

/// A kind whose container resources are served on their own.
pub trait Resize {}

impl Resize for Pod {}

impl<K> Api<K>
where
    K: Clone + DeserializeOwned + Resize,
{
    /// The pod `name`, by way of its container resources.
    ///
    /// # Errors
    /// When it does not exist, among others.
    pub async fn get_resize(&self, name: &str) -> Result<K> {
        let target = self.object(name).subresource(RESIZE);
        self.request(print(Call::get(target, &GetParams::default()))?).await
    }

    /// Changes the container resources of the pod `name`.
    ///
    /// # Errors
    /// When it does not exist or the patch is refused, among others.
    pub async fn patch_resize<P: Serialize>(&self, name: &str, pp: &PatchParams, patch: &Patch<P>) -> Result<K> {
        let target = self.object(name).subresource(RESIZE);
        self.request(self.print_patch(target, pp, patch, Call::into)?).await
    }

    /// Replaces the container resources of the pod `name`.
    ///
    /// # Errors
    /// When it does not exist or has changed, among others.
    pub async fn replace_resize(&self, name: &str, pp: &PostParams, data: &K) -> Result<K>
    where
        K: Serialize,
    {
        self.put(self.object(name).subresource(RESIZE), pp, data).await
    }
}
