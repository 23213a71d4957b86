//! Closing nodes to new pods and opening them again.

use http::Request;
use k8s_openapi::api::core::v1::Node;
use pintle_core::call::Call;
use pintle_core::params::{Patch, PatchParams};
use pintle_core::util::{Schedulable, schedulable_patch};

use super::Api;
use super::verbs::named;
use crate::error::Result;

impl Api<Node> {
    /// Closes the node `name` to new pods; those on it stay.
    ///
    /// # Errors
    /// When it does not exist, among others.
    pub async fn cordon(&self, name: &str) -> Result<Node> {
        self.request(named("cordon", self.schedule(name, Schedulable::No)?)).await
    }

    /// Opens the node `name` to new pods again.
    ///
    /// # Errors
    /// When it does not exist, among others.
    pub async fn uncordon(&self, name: &str) -> Result<Node> {
        self.request(named("uncordon", self.schedule(name, Schedulable::Yes)?)).await
    }

    fn schedule(&self, name: &str, schedulable: Schedulable) -> Result<Request<Vec<u8>>> {
        let patch = Patch::Strategic(schedulable_patch(schedulable));
        self.print_patch(self.object(name), &PatchParams::default(), &patch, Call::into)
    }
}
