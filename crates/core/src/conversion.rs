//! Conversion reviews: a server asks a webhook to write objects of one API version as another.
//!
//! ```text
//!   ConversionReview ─► ConversionRequest ─► objects converted ─► ConversionResponse ─► ConversionReview
//! ```
//! The types are those of `apiextensions.k8s.io/v1`, under kube's names.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::metadata::TypeMeta;
use crate::response::Status;

/// The kind of a review.
pub const META_KIND: &str = "ConversionReview";
/// The API version of a review.
pub const META_API_VERSION_V1: &str = "apiextensions.k8s.io/v1";

/// A review without a request.
#[derive(Debug, thiserror::Error)]
#[error("the ConversionReview carries no request")]
pub struct ConvertConversionReviewError;

/// What goes over the wire: the request on the way to the webhook, the response on the way back.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ConversionReview {
    /// Says that this is a review.
    #[serde(flatten)]
    pub types: TypeMeta,
    /// What is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<ConversionRequest>,
    /// What is answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<ConversionResponse>,
}

/// Which objects to convert to which version.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ConversionRequest {
    /// The type of the review this came in, for the answer.
    #[serde(skip)]
    pub types: Option<TypeMeta>,
    /// Names the request; the response repeats it.
    pub uid: String,
    /// The group and version to convert to.
    #[serde(rename = "desiredAPIVersion")]
    pub desired_api_version: String,
    /// The objects, each at a version of its own.
    pub objects: Vec<Value>,
}

impl ConversionRequest {
    /// The request of a review.
    ///
    /// # Errors
    /// When the review has none.
    pub fn from_review(review: ConversionReview) -> Result<Self, ConvertConversionReviewError> {
        let request = review.request.ok_or(ConvertConversionReviewError)?;
        Ok(Self { types: Some(review.types), ..request })
    }
}

impl TryFrom<ConversionReview> for ConversionRequest {
    type Error = ConvertConversionReviewError;

    fn try_from(review: ConversionReview) -> Result<Self, Self::Error> {
        Self::from_review(review)
    }
}

/// The objects converted, or why they were not.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ConversionResponse {
    /// The type of the review this answers.
    #[serde(skip)]
    pub types: Option<TypeMeta>,
    /// The request's.
    pub uid: String,
    /// Whether all objects were converted.
    pub result: Status,
    /// The objects in the order of the request; none where one could not be converted.
    #[serde(rename = "convertedObjects", deserialize_with = "null_is_none")]
    pub converted_objects: Vec<Value>,
}

/// Go writes an empty list as `null`.
fn null_is_none<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Value>, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

impl ConversionResponse {
    /// An answer to `request` that says nothing yet.
    pub fn for_request(request: ConversionRequest) -> Self {
        Self { types: request.types, uid: request.uid, result: Status::default(), converted_objects: Vec::new() }
    }

    /// All objects were converted to these, in the order of the request.
    #[must_use]
    pub fn success(self, converted_objects: Vec<Value>) -> Self {
        Self { result: Status::success(), converted_objects, ..self }
    }

    /// The objects cannot be converted, and why.
    #[must_use]
    pub fn failure(self, status: Status) -> Self {
        Self { result: status, ..self }
    }

    /// The review could not be read, so that it is not known which request is answered.
    pub fn invalid(status: Status) -> Self {
        Self { types: None, uid: String::new(), result: status, converted_objects: Vec::new() }
    }

    /// The review to send back.
    pub fn into_review(self) -> ConversionReview {
        self.into()
    }
}

impl From<ConversionRequest> for ConversionResponse {
    fn from(request: ConversionRequest) -> Self {
        Self::for_request(request)
    }
}

impl From<ConversionResponse> for ConversionReview {
    fn from(mut response: ConversionResponse) -> Self {
        let ours = || TypeMeta { api_version: META_API_VERSION_V1.into(), kind: META_KIND.into() };
        Self { types: response.types.take().unwrap_or_else(ours), request: None, response: Some(response) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ASKED: &str = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"g/v2","objects":[{"a":1}]}}"#;

    fn asked() -> ConversionRequest {
        serde_json::from_str::<ConversionReview>(ASKED).unwrap().try_into().unwrap()
    }

    #[test]
    fn reviews_are_answered_with_the_bytes_kube_sends() {
        let answer = |response: ConversionResponse| serde_json::to_string(&response.into_review()).unwrap();
        let envelope = |response: &str| {
            let types = r#""apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview""#;
            format!(r#"{{{types},"response":{response}}}"#)
        };
        let refused = Status::failure("no", "Bad");
        assert_eq!(asked().desired_api_version, "g/v2");
        assert_eq!(
            answer(ConversionResponse::for_request(asked()).success(vec![json!({"b": 1})])),
            envelope(r#"{"uid":"u","result":{"status":"Success"},"convertedObjects":[{"b":1}]}"#)
        );
        let failure = r#""result":{"status":"Failure","message":"no","reason":"Bad"},"convertedObjects":[]}"#;
        assert_eq!(
            answer(ConversionResponse::from(asked()).failure(refused.clone())),
            envelope(&format!(r#"{{"uid":"u",{failure}"#))
        );
        assert_eq!(answer(ConversionResponse::invalid(refused)), envelope(&format!(r#"{{"uid":"",{failure}"#)));
    }

    #[test]
    fn a_review_without_a_request_is_an_error() {
        let empty: ConversionReview = serde_json::from_str(r#"{"apiVersion":"a","kind":"b"}"#).unwrap();
        let error = ConversionRequest::from_review(empty).unwrap_err();
        assert_eq!(error.to_string(), "the ConversionReview carries no request");
    }

    #[test]
    fn null_is_an_empty_list_of_objects() {
        let json = r#"{"uid":"u","result":{"status":"Success"},"convertedObjects":null}"#;
        let response: ConversionResponse = serde_json::from_str(json).unwrap();
        assert!(response.converted_objects.is_empty() && response.result.is_success());
    }
}
