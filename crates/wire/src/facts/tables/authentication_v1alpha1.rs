//! The types of `authentication_v1alpha1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::{apimachinery, authentication_v1};
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static SelfSubjectReview: Type = fields("io.k8s.api.authentication.v1alpha1.SelfSubjectReview", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "status", &SelfSubjectReviewStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SelfSubjectReviewStatus: Type = fields("io.k8s.api.authentication.v1alpha1.SelfSubjectReviewStatus", &[
    one(1, "userInfo", &authentication_v1::UserInfo, OMITEMPTY),
]);
