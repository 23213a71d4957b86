//! Admission: from the bytes of a review to the handler, and from its decision to the bytes of the answer.

use std::any::type_name;
use std::panic::AssertUnwindSafe;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures::FutureExt;
use pintle_core::admission::{AdmissionRequest, META_API_VERSION_V1, META_KIND};
use pintle_core::{DeserializeGuard, Resource, TypeMeta};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::decision::{Change, Decision};
use super::exchange::Refusal;
use super::handler::{Handler, Reviewed};
use super::metrics::Panics;
use super::patch;
use crate::http_server::panic_message;

/// What a webhook is for, and so what its handler may return.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Purpose {
    Validating,
    Mutating,
}

/// A kind that the requests of a webhook must have; `None` takes all.
pub(super) type Expected = Option<(String, String)>;

/// The kind of a type that has one.
pub(super) fn kind_of<K: Resource<DynamicType = ()>>() -> Expected {
    Some((K::api_version(&()).into_owned(), K::kind(&()).into_owned()))
}

/// Answers a review with what `handler` decides.
pub(super) async fn answer<K: Reviewed>(
    body: &[u8],
    purpose: Purpose,
    expected: Option<&(String, String)>,
    panics: &Panics,
    handler: &impl Handler<K>,
) -> Result<Bytes, Refusal> {
    let review = Review::read(body)?;
    let request = match review.decode::<K>(expected) {
        Ok(request) => request,
        Err(why) => {
            tracing::warn!(uid = review.uid(), "an admission review is refused: {why}");
            return Ok(review.answer(&Decision::deny(why).code(400).reason("BadRequest"), None));
        }
    };
    let read = request.object.as_ref().and_then(|object| serde_json::to_value(object).ok());
    // The request is the handler's own and is gone with it.
    let decided = AssertUnwindSafe(async move { handler.decide(request).await }).catch_unwind().await;
    let decision = decided.unwrap_or_else(|panic| {
        panics.add_one();
        let message = panic_message(&*panic);
        tracing::error!(uid = review.uid(), "a handler of admission reviews panicked: {message}");
        Decision::error("the webhook's handler panicked; its log says more")
    });
    let (decision, patch) = review.changed(decision, purpose, read.as_ref()).unwrap_or_else(|why| {
        tracing::error!(uid = review.uid(), "{why}");
        (Decision::error(why), None)
    });
    Ok(review.answer(&decision, patch))
}

/// A review whose request has a uid, so that it can be answered.
struct Review {
    types: TypeMeta,
    request: Value,
}

impl Review {
    fn read(body: &[u8]) -> Result<Self, Refusal> {
        let not_json = |_| Refusal::bad_request("the body is not JSON; an AdmissionReview was expected");
        let mut review: Value = serde_json::from_slice(body).map_err(not_json)?;
        let text = |review: &Value, field: &str| review[field].as_str().unwrap_or_default().to_owned();
        let types = TypeMeta { api_version: text(&review, "apiVersion"), kind: text(&review, "kind") };
        if types.kind != META_KIND || !API_VERSIONS.contains(&types.api_version.as_str()) {
            let TypeMeta { api_version, kind } = &types;
            let what =
                format!("an AdmissionReview of {META_API_VERSION_V1} was expected, not {kind:?} of {api_version:?}");
            return Err(Refusal::bad_request(what));
        }
        let request = review["request"].take();
        if request["uid"].as_str().is_none_or(str::is_empty) {
            return Err(Refusal::bad_request("the AdmissionReview carries no request with a uid"));
        }
        Ok(Self { types, request })
    }

    fn uid(&self) -> &str {
        self.request["uid"].as_str().unwrap_or_default()
    }

    /// The request with its objects as `K`s.
    fn decode<K: Resource + DeserializeOwned>(
        &self,
        expected: Option<&(String, String)>,
    ) -> Result<AdmissionRequest<K>, String> {
        let request: AdmissionRequest<DeserializeGuard<K>> = read_request(&self.request)?;
        let (api_version, kind) = (request.kind.api_version(), &request.kind.kind);
        if let Some((wanted_version, wanted_kind)) = expected
            && (*wanted_version != api_version || wanted_kind != kind)
        {
            return Err(format!(
                "this webhook handles {wanted_kind} of {wanted_version}, and was asked about {kind} of {api_version}; check \
                 the rules of its configuration"
            ));
        }
        let whole = |guarded: Option<DeserializeGuard<K>>, which: &str| {
            let undecodable = |invalid| {
                format!("the request's {which} cannot be read as {}: {invalid}", short_name(type_name::<K>()))
            };
            guarded.map(|DeserializeGuard(object)| object.map_err(undecodable)).transpose()
        };
        Ok(AdmissionRequest {
            types: self.types.clone(),
            object: whole(request.object, "object")?,
            old_object: whole(request.old_object, "oldObject")?,
            uid: request.uid,
            kind: request.kind,
            resource: request.resource,
            sub_resource: request.sub_resource,
            request_kind: request.request_kind,
            request_resource: request.request_resource,
            request_sub_resource: request.request_sub_resource,
            name: request.name,
            namespace: request.namespace,
            operation: request.operation,
            user_info: request.user_info,
            dry_run: request.dry_run,
            options: request.options,
        })
    }

    /// The decision with the patch that it means, or why it cannot be taken.
    fn changed(
        &self,
        decision: Decision,
        purpose: Purpose,
        read: Option<&Value>,
    ) -> Result<(Decision, Option<json_patch::Patch>), String> {
        let patch = match (&decision.change, read) {
            (Change::None, _) => return Ok((decision, None)),
            (_, _) if purpose == Purpose::Validating => {
                return Err(
                    "the handler of a validating webhook changed the object; only a mutating webhook may".into()
                );
            }
            (_, None) => return Err("the handler changed the object of a request that has none".into()),
            (Change::To(Err(error)), _) => {
                return Err(format!("the changed object cannot be written as JSON: {error}"));
            }
            (Change::To(Ok(changed)), Some(read)) => patch::patch(&self.request["object"], read, changed),
            (Change::By(patch), Some(_)) => patch.clone(),
        };
        Ok((decision, Some(patch).filter(|patch| !patch.0.is_empty())))
    }

    fn answer(&self, decision: &Decision, patch: Option<json_patch::Patch>) -> Bytes {
        let mut response = json!({"uid": self.uid(), "allowed": decision.is_allowed()});
        if let Some(status) = &decision.refusal {
            response["status"] = json!(status);
        } else if let Some(patch) = patch {
            // Of strings, numbers and maps of them: it prints.
            response["patch"] = STANDARD.encode(serde_json::to_vec(&patch).unwrap_or_default()).into();
            response["patchType"] = "JSONPatch".into();
        }
        if !decision.warnings.is_empty() {
            response["warnings"] = json!(decision.warnings);
        }
        if !decision.audit_annotations.is_empty() {
            response["auditAnnotations"] = json!(decision.audit_annotations);
        }
        let TypeMeta { api_version, kind } = &self.types;
        json!({"apiVersion": api_version, "kind": kind, "response": response}).to_string().into()
    }
}

/// Reads a request without quoting its content in an error.
fn read_request<T: DeserializeOwned>(request: &Value) -> Result<T, String> {
    T::deserialize(request).map_err(|error| {
        let error = error.to_string();
        let place = if error.starts_with("missing field ") { format!(": {error}") } else { String::new() };
        format!("the request is not one of {META_API_VERSION_V1}{place}")
    })
}

/// `ConfigMap` of `k8s_openapi::api::core::v1::ConfigMap`.
fn short_name(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// Old API servers and configurations ask in v1beta1, which has the same fields; the answer has the version of the question.
const API_VERSIONS: [&str; 2] = [META_API_VERSION_V1, "admission.k8s.io/v1beta1"];
