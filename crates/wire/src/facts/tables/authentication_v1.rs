//! The types of `authentication_v1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static AttestationValue: Type = shaped("io.k8s.api.authentication.v1.AttestationValue", Shape::Items, &[]);

#[rustfmt::skip]
pub(super) static BoundObjectReference: Type = fields("io.k8s.api.authentication.v1.BoundObjectReference", &[
    one(2, "apiVersion", &STRING, OMITEMPTY),
    one(1, "kind", &STRING, OMITEMPTY),
    one(3, "name", &STRING, OMITEMPTY),
    one(4, "uid", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ExtraValue: Type = shaped("io.k8s.api.authentication.v1.ExtraValue", Shape::Items, &[]);

#[rustfmt::skip]
pub(super) static SelfSubjectReview: Type = fields("io.k8s.api.authentication.v1.SelfSubjectReview", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "status", &SelfSubjectReviewStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SelfSubjectReviewStatus: Type = fields("io.k8s.api.authentication.v1.SelfSubjectReviewStatus", &[
    one(1, "userInfo", &UserInfo, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static TokenRequest: Type = fields("io.k8s.api.authentication.v1.TokenRequest", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &TokenRequestSpec, 0),
    one(3, "status", &TokenRequestStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static TokenRequestSpec: Type = fields("io.k8s.api.authentication.v1.TokenRequestSpec", &[
    map(5, "attestations", &AttestationValue, OMITEMPTY),
    list(1, "audiences", &STRING, 0).with(&[ListAtomic]),
    one(3, "boundObjectRef", &BoundObjectReference, POINTER),
    one(4, "expirationSeconds", &INT64, POINTER),
]);

#[rustfmt::skip]
pub(super) static TokenRequestStatus: Type = fields("io.k8s.api.authentication.v1.TokenRequestStatus", &[
    one(2, "expirationTimestamp", &apimachinery::Time, 0),
    one(1, "token", &STRING, 0),
]);

#[rustfmt::skip]
pub(super) static TokenReview: Type = fields("io.k8s.api.authentication.v1.TokenReview", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &TokenReviewSpec, REQUIRED),
    one(3, "status", &TokenReviewStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static TokenReviewSpec: Type = fields("io.k8s.api.authentication.v1.TokenReviewSpec", &[
    list(2, "audiences", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(1, "token", &STRING, OMITEMPTY | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static TokenReviewStatus: Type = fields("io.k8s.api.authentication.v1.TokenReviewStatus", &[
    list(4, "audiences", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(1, "authenticated", &BOOL, OMITEMPTY),
    one(3, "error", &STRING, OMITEMPTY),
    one(2, "user", &UserInfo, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static UserInfo: Type = fields("io.k8s.api.authentication.v1.UserInfo", &[
    map(4, "extra", &ExtraValue, OMITEMPTY),
    list(3, "groups", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(2, "uid", &STRING, OMITEMPTY),
    one(1, "username", &STRING, OMITEMPTY),
]);
