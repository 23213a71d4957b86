//! The log of a pod's containers.

use k8s_openapi::api::core::v1::Pod;
use pintle_core::subresource::LogParams;
use serde::de::DeserializeOwned;

use super::Api;
use crate::error::{Error, Result};

/// A kind that logs.
pub trait Log {}

impl Log for Pod {}

impl<K> Api<K>
where
    K: DeserializeOwned + Log,
{
    /// The log of the pod `name`, as far as `lp` asks for it. With [`LogParams::follow`] this waits for its end.
    ///
    /// # Errors
    /// When the pod or its container does not exist, has not started yet, or logged what is no text.
    pub async fn logs(&self, name: &str, lp: &LogParams) -> Result<String> {
        let request = self.builder().logs(name, lp).map_err(Error::BuildRequest)?;
        self.client.request_text(request).await
    }
}
