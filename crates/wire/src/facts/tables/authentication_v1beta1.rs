//! The types of `authentication_v1beta1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::{apimachinery, authentication_v1};
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static ExtraValue: Type = shaped("io.k8s.api.authentication.v1beta1.ExtraValue", Shape::Items, &[]);

#[rustfmt::skip]
pub(super) static SelfSubjectReview: Type = fields("io.k8s.api.authentication.v1beta1.SelfSubjectReview", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "status", &SelfSubjectReviewStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SelfSubjectReviewStatus: Type = fields("io.k8s.api.authentication.v1beta1.SelfSubjectReviewStatus", &[
    one(1, "userInfo", &authentication_v1::UserInfo, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static TokenReview: Type = fields("io.k8s.api.authentication.v1beta1.TokenReview", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &TokenReviewSpec, REQUIRED),
    one(3, "status", &TokenReviewStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static TokenReviewSpec: Type = fields("io.k8s.api.authentication.v1beta1.TokenReviewSpec", &[
    list(2, "audiences", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(1, "token", &STRING, OMITEMPTY | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static TokenReviewStatus: Type = fields("io.k8s.api.authentication.v1beta1.TokenReviewStatus", &[
    list(4, "audiences", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(1, "authenticated", &BOOL, OMITEMPTY),
    one(3, "error", &STRING, OMITEMPTY),
    one(2, "user", &UserInfo, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static UserInfo: Type = fields("io.k8s.api.authentication.v1beta1.UserInfo", &[
    map(4, "extra", &ExtraValue, OMITEMPTY),
    list(3, "groups", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(2, "uid", &STRING, OMITEMPTY),
    one(1, "username", &STRING, OMITEMPTY),
]);
