//! The webhook's answer.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{AdmissionRequest, AdmissionReview, META_API_VERSION_V1, META_KIND};
use crate::dynamic::DynamicObject;
use crate::metadata::TypeMeta;
use crate::resource::Resource;
use crate::response::Status;

/// A patch that cannot be written as JSON.
#[derive(Debug, thiserror::Error)]
#[error("the patch cannot be written as JSON")]
pub struct SerializePatchError(#[source] serde_json::Error);

/// Whether the write is admitted, and how the object should be changed first.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AdmissionResponse {
    /// The type of the review this answers.
    #[serde(skip)]
    pub types: TypeMeta,
    /// The request's.
    pub uid: String,
    /// Whether the write is admitted.
    pub allowed: bool,
    /// Why not, for the caller.
    #[serde(rename = "status")]
    pub result: Status,
    /// The patch, as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<Vec<u8>>,
    // Said if and only if there is a patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    patch_type: Option<PatchType>,
    /// What the audit log should note.
    #[serde(default, skip_serializing_if = "HashMap::is_empty")]
    pub audit_annotations: HashMap<String, String>,
    /// What the caller should know though the write is admitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// The grammar of the patch in a response.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum PatchType {
    /// RFC 6902.
    #[serde(rename = "JSONPatch")]
    JsonPatch,
}

/// An answer that admits the write as it is.
impl<T: Resource> From<&AdmissionRequest<T>> for AdmissionResponse {
    fn from(request: &AdmissionRequest<T>) -> Self {
        Self::to(request.types.clone(), request.uid.clone())
    }
}

impl AdmissionResponse {
    /// The review could not be read, so that it is not known which request is answered.
    #[expect(clippy::needless_pass_by_value, reason = "kube's signature")]
    pub fn invalid<T: ToString>(reason: T) -> Self {
        let types = TypeMeta { kind: META_KIND.into(), api_version: META_API_VERSION_V1.into() };
        let result = Status::failure(&reason.to_string(), "InvalidRequest");
        Self { allowed: false, result, ..Self::to(types, String::new()) }
    }

    /// Does not admit the write; the caller receives `reason`.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "kube's signature")]
    pub fn deny<T: ToString>(mut self, reason: T) -> Self {
        self.allowed = false;
        self.result.message = reason.to_string();
        self
    }

    /// Admits the write after `patch`.
    ///
    /// # Errors
    /// When the patch cannot be written as JSON.
    #[expect(clippy::needless_pass_by_value, reason = "kube's signature")]
    pub fn with_patch(mut self, patch: json_patch::Patch) -> Result<Self, SerializePatchError> {
        self.patch = Some(serde_json::to_vec(&patch).map_err(SerializePatchError)?);
        self.patch_type = Some(PatchType::JsonPatch);
        Ok(self)
    }

    /// The review to send back.
    pub fn into_review(self) -> AdmissionReview<DynamicObject> {
        AdmissionReview { types: self.types.clone(), request: None, response: Some(self) }
    }

    fn to(types: TypeMeta, uid: String) -> Self {
        Self {
            types,
            uid,
            allowed: true,
            result: Status::default(),
            patch: None,
            patch_type: None,
            audit_annotations: HashMap::new(),
            warnings: None,
        }
    }
}
