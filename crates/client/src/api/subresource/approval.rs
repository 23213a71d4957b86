//! The approval of certificate signing requests.

use k8s_openapi::api::certificates::v1::CertificateSigningRequest;
use pintle_core::call::Call;
use pintle_core::params::{Patch, PatchParams};
use serde::Serialize;

use crate::api::Api;
use crate::error::Result;

const APPROVAL: &str = "approval";

impl Api<CertificateSigningRequest> {
    /// The signing request `name`, by way of its approval.
    ///
    /// # Errors
    /// When it does not exist, among others.
    pub async fn get_approval(&self, name: &str) -> Result<CertificateSigningRequest> {
        self.get_subresource(APPROVAL, name).await
    }

    /// Approves or denies the signing request `name`, by the conditions in `patch`.
    ///
    /// # Errors
    /// When it does not exist or the patch is refused, among others.
    pub async fn patch_approval<P: Serialize>(
        &self,
        name: &str,
        pp: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<CertificateSigningRequest> {
        let target = self.object(name).subresource(APPROVAL);
        self.request(self.print_patch(target, pp, patch, Call::into)?).await
    }
}
