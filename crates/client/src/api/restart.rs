//! Restarting the pods of a workload.

use jiff::Timestamp;
use pintle_core::Resource;
use pintle_core::call::Call;
use pintle_core::params::{Patch, PatchParams};
use pintle_core::util::{Restart, restart_patch};
use serde::de::DeserializeOwned;

use super::Api;
use super::verbs::named;
use crate::error::Result;

impl<K> Api<K>
where
    K: Restart + Resource + DeserializeOwned,
{
    /// Restarts the pods of the workload `name`, in the way its update strategy says.
    ///
    /// # Errors
    /// When it does not exist, among others.
    pub async fn restart(&self, name: &str) -> Result<K> {
        let patch = Patch::Merge(restart_patch(Timestamp::now()));
        let request = self.print_patch(self.object(name), &PatchParams::default(), &patch, Call::into)?;
        self.request(named("restart", request)).await
    }
}
