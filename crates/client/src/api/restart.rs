//! Restarting the pods of a workload.

use pintle_core::Resource;
use pintle_core::util::Restart;
use serde::de::DeserializeOwned;

use super::Api;
use crate::error::{Error, Result};

impl<K> Api<K>
where
    K: Restart + Resource + DeserializeOwned,
{
    /// Restarts the pods of the workload `name`, in the way its update strategy says.
    ///
    /// # Errors
    /// When it does not exist, among others.
    pub async fn restart(&self, name: &str) -> Result<K> {
        let request = self.builder().restart(name).map_err(Error::BuildRequest)?;
        self.request(request).await
    }
}
