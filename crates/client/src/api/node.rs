//! Closing nodes to new pods and opening them again.

use k8s_openapi::api::core::v1::Node;

use super::Api;
use crate::error::{Error, Result};

impl Api<Node> {
    /// Closes the node `name` to new pods; those on it stay.
    ///
    /// # Errors
    /// When it does not exist, among others.
    pub async fn cordon(&self, name: &str) -> Result<Node> {
        let request = self.builder().cordon(name).map_err(Error::BuildRequest)?;
        self.request(request).await
    }

    /// Opens the node `name` to new pods again.
    ///
    /// # Errors
    /// When it does not exist, among others.
    pub async fn uncordon(&self, name: &str) -> Result<Node> {
        let request = self.builder().uncordon(name).map_err(Error::BuildRequest)?;
        self.request(request).await
    }
}
