//! Evicting pods: deleting them as far as their disruption budgets allow.

use k8s_openapi::api::core::v1::Pod;
use pintle_core::Status;
use pintle_core::subresource::EvictParams;
use serde::de::DeserializeOwned;

use super::Api;
use crate::error::{Error, Result};

/// A kind that can be evicted.
pub trait Evict {}

impl Evict for Pod {}

impl<K> Api<K>
where
    K: DeserializeOwned + Evict,
{
    /// Asks for the eviction of the pod `name`.
    ///
    /// # Errors
    /// When it does not exist, or a disruption budget does not allow it now
    /// ([`is_too_many_requests`](Status::is_too_many_requests)).
    pub async fn evict(&self, name: &str, ep: &EvictParams) -> Result<Status> {
        let request = self.builder().evict(name, ep).map_err(Error::BuildRequest)?;
        self.client.request(request).await
    }
}
