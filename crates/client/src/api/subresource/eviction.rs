//! Evicting pods: deleting them as far as their disruption budgets allow.

use k8s_openapi::api::core::v1::Pod;
use pintle_core::Status;
use pintle_core::call::Call;
use pintle_core::subresource::EvictParams;
use serde::de::DeserializeOwned;

use crate::api::Api;
use crate::api::verbs::print_with;
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
        let body = ep.body(name).map_err(|error| Error::BuildRequest(error.into()))?;
        let call = Call::create(self.object(name).subresource("eviction"), &ep.post_options);
        self.client.request(print_with(call, body)?).await
    }
}
