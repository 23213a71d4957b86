//! Tokens of service accounts.

use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::core::v1::ServiceAccount;
use pintle_core::params::PostParams;

use crate::api::Api;
use crate::error::Result;

impl Api<ServiceAccount> {
    /// A token with which one is the service account `name`, for the audiences and the time that `token_request` asks.
    ///
    /// # Errors
    /// When the account does not exist or the request is refused, among others.
    pub async fn create_token_request(
        &self,
        name: &str,
        pp: &PostParams,
        token_request: &TokenRequest,
    ) -> Result<TokenRequest> {
        self.create_subresource("token", name, pp, token_request).await
    }
}
