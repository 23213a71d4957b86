//! The types of `admission_v1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::{apimachinery, authentication_v1};
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static AdmissionRequest: Type = fields("io.k8s.api.admission.v1.AdmissionRequest", &[
    one(11, "dryRun", &BOOL, POINTER | OMITEMPTY),
    one(2, "kind", &apimachinery::GroupVersionKind, 0),
    one(5, "name", &STRING, OMITEMPTY),
    one(6, "namespace", &STRING, OMITEMPTY),
    one(9, "object", &apimachinery::RawExtension, OMITEMPTY),
    one(10, "oldObject", &apimachinery::RawExtension, OMITEMPTY),
    one(7, "operation", &STRING, 0),
    one(12, "options", &apimachinery::RawExtension, OMITEMPTY),
    one(13, "requestKind", &apimachinery::GroupVersionKind, POINTER | OMITEMPTY),
    one(14, "requestResource", &apimachinery::GroupVersionResource, POINTER | OMITEMPTY),
    one(15, "requestSubResource", &STRING, OMITEMPTY),
    one(3, "resource", &apimachinery::GroupVersionResource, 0),
    one(4, "subResource", &STRING, OMITEMPTY),
    one(1, "uid", &STRING, 0),
    one(8, "userInfo", &authentication_v1::UserInfo, 0),
]);

#[rustfmt::skip]
pub(super) static AdmissionResponse: Type = fields("io.k8s.api.admission.v1.AdmissionResponse", &[
    one(2, "allowed", &BOOL, 0),
    map(6, "auditAnnotations", &STRING, OMITEMPTY),
    one(4, "patch", &BYTES, OMITEMPTY),
    one(5, "patchType", &STRING, POINTER | OMITEMPTY),
    one(3, "status", &apimachinery::Status, POINTER | OMITEMPTY),
    one(1, "uid", &STRING, 0),
    list(7, "warnings", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static AdmissionReview: Type = fields("io.k8s.api.admission.v1.AdmissionReview", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "request", &AdmissionRequest, POINTER | OMITEMPTY),
    one(2, "response", &AdmissionResponse, POINTER | OMITEMPTY),
]);
