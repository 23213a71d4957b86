//! Any part of an object that is served on its own, and the scale, which is one of them.
//!
//! In: the part's name and the object's. Out: what the server keeps there. A subresource with calls of its own has a file
//! in the folder of this one.

mod approval;
#[cfg(feature = "ws")]
pub(super) mod attach;
#[cfg(feature = "ws")]
pub(super) mod attached_process;
pub(super) mod ephemeral;
pub(super) mod eviction;
pub(super) mod log;
#[cfg(feature = "ws")]
pub(super) mod portforward;
pub(super) mod resize;
mod status;
mod token;

use std::fmt::Debug;

use pintle_core::TypeMeta;
use pintle_core::call::Call;
use pintle_core::params::{GetParams, Patch, PatchParams, PostParams};
use pintle_core::subresource::Scale;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Api;
use super::verbs::{print, print_with, to_body};
use crate::error::Result;

const SCALE: &str = "scale";

/// How many replicas a workload should have and has.
impl<K> Api<K>
where
    K: Clone + DeserializeOwned,
{
    /// The scale of the object `name`.
    ///
    /// # Errors
    /// When it does not exist, or its kind cannot be scaled.
    pub async fn get_scale(&self, name: &str) -> Result<Scale> {
        let call = Call::get(self.object(name).subresource(SCALE), &GetParams::default());
        self.client.request(print(call)?).await
    }

    /// Changes parts of the scale of the object `name`. A [`Patch::Apply`] that does not say `apiVersion` or `kind` is of
    /// `autoscaling/v1` and `Scale`.
    ///
    /// # Errors
    /// When it does not exist or the patch is refused, among others.
    pub async fn patch_scale<P: Serialize + Debug>(
        &self,
        name: &str,
        pp: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<Scale> {
        let types = TypeMeta { api_version: "autoscaling/v1".into(), kind: "Scale".into() };
        let target = self.object(name).subresource(SCALE);
        self.client.request(self.print_patch_of(&types, target, pp, patch, Call::into)?).await
    }

    /// Replaces the scale of the object `name`.
    ///
    /// # Errors
    /// When it does not exist or has changed, among others.
    pub async fn replace_scale(&self, name: &str, pp: &PostParams, data: &Scale) -> Result<Scale> {
        let body = to_body(data)?;
        let call = Call::replace(self.object(name).subresource(SCALE), pp);
        self.client.request(print_with(call, body)?).await
    }
}

/// Parts by their name.
impl<K> Api<K>
where
    K: Clone + DeserializeOwned + Debug,
{
    /// The object `name`, by way of its part `subresource_name`.
    ///
    /// # Errors
    /// When it does not exist, or its kind has no such part.
    pub async fn get_subresource(&self, subresource_name: &str, name: &str) -> Result<K> {
        let call = Call::get(self.object(name).subresource(subresource_name), &GetParams::default());
        self.request(print(call)?).await
    }

    /// Creates the part `subresource_name` of the object `name`, such as a binding or a token.
    ///
    /// # Errors
    /// When it does not exist or is refused, among others.
    pub async fn create_subresource<I, T>(
        &self,
        subresource_name: &str,
        name: &str,
        pp: &PostParams,
        data: &I,
    ) -> Result<T>
    where
        I: Serialize,
        T: DeserializeOwned,
    {
        let body = to_body(data)?;
        let call = Call::create(self.object(name).subresource(subresource_name), pp);
        self.client.request(print_with(call, body)?).await
    }

    /// Changes the object `name` by way of its part `subresource_name`.
    ///
    /// # Errors
    /// When it does not exist or the patch is refused, among others.
    pub async fn patch_subresource<P: Serialize + Debug>(
        &self,
        subresource_name: &str,
        name: &str,
        pp: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<K> {
        let target = self.object(name).subresource(subresource_name);
        self.request(self.print_patch(target, pp, patch, Call::into)?).await
    }

    /// Replaces the part `subresource_name` of the object `name`.
    ///
    /// # Errors
    /// When it does not exist or has changed, among others.
    pub async fn replace_subresource<I>(
        &self,
        subresource_name: &str,
        name: &str,
        pp: &PostParams,
        data: &I,
    ) -> Result<K>
    where
        I: Serialize,
    {
        let body = to_body(data)?;
        let call = Call::replace(self.object(name).subresource(subresource_name), pp);
        self.request(print_with(call, body)?).await
    }
}
