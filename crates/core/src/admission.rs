//! Admission reviews: a server asks a webhook whether an object may be written, and how it should be changed first.
//!
//! ```text
//!   AdmissionReview ─► AdmissionRequest ─► allow, deny, patch ─► AdmissionResponse ─► AdmissionReview
//! ```
//! The types are those of `admission.k8s.io/v1`, under kube's names.

#[cfg(feature = "cel")]
mod cel;
mod response;

use k8s_openapi::api::authentication::v1::UserInfo;
use k8s_openapi::apimachinery::pkg::runtime::RawExtension;
use serde::{Deserialize, Serialize};

pub use response::{AdmissionResponse, PatchType, SerializePatchError};

use crate::gvk::{GroupVersionKind, GroupVersionResource};
use crate::metadata::TypeMeta;
use crate::resource::Resource;

/// The kind of a review.
pub const META_KIND: &str = "AdmissionReview";
/// The API version of a review.
pub const META_API_VERSION_V1: &str = "admission.k8s.io/v1";

/// A review without a request.
#[derive(Debug, thiserror::Error)]
#[error("the AdmissionReview carries no request")]
pub struct ConvertAdmissionReviewError;

/// What goes over the wire: the request on the way to the webhook, the response on the way back.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdmissionReview<T: Resource> {
    /// Says that this is a review.
    #[serde(flatten)]
    pub types: TypeMeta,
    /// What is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<AdmissionRequest<T>>,
    /// What is answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<AdmissionResponse>,
}

impl<T: Resource> TryFrom<AdmissionReview<T>> for AdmissionRequest<T> {
    type Error = ConvertAdmissionReviewError;

    fn try_from(review: AdmissionReview<T>) -> Result<Self, Self::Error> {
        let request = review.request.ok_or(ConvertAdmissionReviewError)?;
        Ok(Self { types: review.types, ..request })
    }
}

/// Which write is to be admitted.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdmissionRequest<T: Resource> {
    /// The type of the review this came in, for the answer.
    #[serde(skip)]
    pub types: TypeMeta,
    /// Names the request; the response repeats it.
    pub uid: String,
    /// The kind of the object, as the webhook asked for it.
    pub kind: GroupVersionKind,
    /// The collection it is in.
    pub resource: GroupVersionResource,
    /// The part of the object that is written, such as `status`.
    #[serde(default)]
    pub sub_resource: Option<String>,
    /// The kind as the caller sent it, where that is another version.
    #[serde(default)]
    pub request_kind: Option<GroupVersionKind>,
    /// The collection as the caller named it, where that is another version.
    #[serde(default)]
    pub request_resource: Option<GroupVersionResource>,
    /// The part as the caller named it.
    #[serde(default)]
    pub request_sub_resource: Option<String>,
    /// The object's name; empty where the server makes one up.
    #[serde(default)]
    pub name: String,
    /// The object's namespace.
    #[serde(default)]
    pub namespace: Option<String>,
    /// What is done to it.
    pub operation: Operation,
    /// Who does it.
    pub user_info: UserInfo,
    /// The object as it is going to be; `None` on deletion.
    pub object: Option<T>,
    /// The object as it is; `None` on creation.
    pub old_object: Option<T>,
    /// Whether nothing will be stored, so that the webhook should have no effects either.
    #[serde(default)]
    pub dry_run: bool,
    /// The options of the caller's request.
    #[serde(default)]
    pub options: Option<RawExtension>,
}

/// What is done to an object.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Operation {
    /// It is created.
    Create,
    /// It is changed.
    Update,
    /// It is deleted.
    Delete,
    /// A client connects to it, by exec, attach or a proxy.
    Connect,
}

#[cfg(test)]
mod tests;
