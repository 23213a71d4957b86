//! What a server says of itself: its version, and which groups, versions and resources it serves.
//!
//! These are the documents as they are; [`discovery`](crate::discovery) makes sense of them. The legacy documents are
//! one per group and version; the aggregated ones are two in all, since Kubernetes 1.26.

use http::Request;
use http::header::ACCEPT;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIGroupList, APIResourceList, APIVersions};
use k8s_openapi::apimachinery::pkg::version::Info;
use pintle_core::call::Target;
use pintle_core::discovery::v2::{ACCEPT_AGGREGATED_DISCOVERY_V2, APIGroupDiscoveryList};
use pintle_core::gvk::GroupVersion;
use serde::de::DeserializeOwned;

use super::Client;
use crate::error::{DiscoveryError, Error, Result};

/// What a server says of itself.
impl Client {
    /// The version of the API server.
    ///
    /// # Errors
    /// When there is no answer, or it is a refusal.
    pub async fn apiserver_version(&self) -> Result<Info> {
        self.document("/version").await
    }

    /// The named groups and their versions.
    ///
    /// # Errors
    /// When there is no answer, or it is a refusal.
    pub async fn list_api_groups(&self) -> Result<APIGroupList> {
        self.document("/apis").await
    }

    /// What is served at `apiversion`, as in `apps/v1`.
    ///
    /// # Errors
    /// When there is no such group and version, among others.
    pub async fn list_api_group_resources(&self, apiversion: &str) -> Result<APIResourceList> {
        self.document(&version_path(apiversion)?).await
    }

    /// The versions of the core group.
    ///
    /// # Errors
    /// When there is no answer, or it is a refusal.
    pub async fn list_core_api_versions(&self) -> Result<APIVersions> {
        self.document("/api").await
    }

    /// What is served at `version` of the core group.
    ///
    /// # Errors
    /// When there is no such version, among others.
    pub async fn list_core_api_resources(&self, version: &str) -> Result<APIResourceList> {
        self.document(&version_path(version)?).await
    }

    /// The named groups with everything they serve, in one answer.
    ///
    /// A server without aggregated discovery answers with another document, which reads as no groups at all;
    /// [`Discovery`](crate::discovery::Discovery) distinguishes the two.
    ///
    /// # Errors
    /// When there is no answer, or it is a refusal.
    pub async fn list_api_groups_aggregated(&self) -> Result<APIGroupDiscoveryList> {
        self.request(aggregated("/apis")?).await
    }

    /// The core group with everything it serves, in one answer; see [`Client::list_api_groups_aggregated`].
    ///
    /// # Errors
    /// When there is no answer, or it is a refusal.
    pub async fn list_core_api_versions_aggregated(&self) -> Result<APIGroupDiscoveryList> {
        self.request(aggregated("/api")?).await
    }

    async fn document<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        self.request(Request::get(path).body(Vec::new()).map_err(Error::HttpError)?).await
    }
}

/// The request for an aggregated document.
pub(crate) fn aggregated(path: &str) -> Result<Request<Vec<u8>>> {
    let request = Request::get(path).header(ACCEPT, ACCEPT_AGGREGATED_DISCOVERY_V2);
    request.body(Vec::new()).map_err(Error::HttpError)
}

/// The path of an `apiVersion`.
fn version_path(api_version: &str) -> Result<String> {
    let invalid = || Error::Discovery(DiscoveryError::InvalidGroupVersion(api_version.to_owned()));
    let GroupVersion { group, version } = api_version.parse().map_err(|_| invalid())?;
    Target::version_path(&group, &version).map_err(|_| invalid())
}
