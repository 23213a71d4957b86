//! The `status` of objects: the part a controller writes, separate from the `spec` its users write.
//!
//! A server that serves `status` on its own ignores it in writes to the object, and everything else in writes here.

use std::fmt::Debug;

use pintle_core::call::Call;
use pintle_core::params::{GetParams, Patch, PatchParams, PostParams};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::api::Api;
use crate::api::verbs::print;
use crate::error::Result;

const STATUS: &str = "status";

impl<K> Api<K>
where
    K: DeserializeOwned,
{
    /// The object `name`, by way of its status.
    ///
    /// # Errors
    /// When it does not exist, or its kind has no status of its own.
    pub async fn get_status(&self, name: &str) -> Result<K> {
        let target = self.object(name).subresource(STATUS);
        self.request(print(Call::get(target, &GetParams::default()))?).await
    }

    /// Changes parts of the status of the object `name`.
    ///
    /// # Errors
    /// When it does not exist or the patch is refused, among others.
    pub async fn patch_status<P: Serialize + Debug>(
        &self,
        name: &str,
        pp: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<K> {
        let target = self.object(name).subresource(STATUS);
        self.request(self.print_patch(target, pp, patch, Call::into)?).await
    }

    /// Replaces the status of the object `name`. With a `resourceVersion` in `data` the server refuses if the object
    /// has changed since.
    ///
    /// # Errors
    /// When it does not exist or has changed, among others.
    pub async fn replace_status(&self, name: &str, pp: &PostParams, data: &K) -> Result<K>
    where
        K: Serialize,
    {
        self.put(self.object(name).subresource(STATUS), pp, data).await
    }
}
