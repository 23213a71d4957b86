//! Containers added to a running pod, to look into it.
//!
//! They can be added and not removed; everything else in a write here is ignored by the server.

use k8s_openapi::api::core::v1::Pod;
use pintle_core::call::Call;
use pintle_core::params::{GetParams, Patch, PatchParams, PostParams};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::api::Api;
use crate::api::verbs::print;
use crate::error::Result;

const EPHEMERAL_CONTAINERS: &str = "ephemeralcontainers";

/// A kind whose ephemeral containers are served on their own.
pub trait Ephemeral {}

impl Ephemeral for Pod {}

impl<K> Api<K>
where
    K: Clone + DeserializeOwned + Ephemeral,
{
    /// The pod `name`, by way of its ephemeral containers.
    ///
    /// # Errors
    /// When it does not exist, among others.
    pub async fn get_ephemeral_containers(&self, name: &str) -> Result<K> {
        let target = self.object(name).subresource(EPHEMERAL_CONTAINERS);
        self.request(print(Call::get(target, &GetParams::default()))?).await
    }

    /// Changes the ephemeral containers of the pod `name`.
    ///
    /// # Errors
    /// When it does not exist or the patch is refused, among others.
    pub async fn patch_ephemeral_containers<P: Serialize>(
        &self,
        name: &str,
        pp: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<K> {
        let target = self.object(name).subresource(EPHEMERAL_CONTAINERS);
        self.request(self.print_patch(target, pp, patch, Call::into)?).await
    }

    /// Replaces the ephemeral containers of the pod `name`.
    ///
    /// # Errors
    /// When it does not exist or has changed, among others.
    pub async fn replace_ephemeral_containers(&self, name: &str, pp: &PostParams, data: &K) -> Result<K>
    where
        K: Serialize,
    {
        self.put(self.object(name).subresource(EPHEMERAL_CONTAINERS), pp, data).await
    }
}
