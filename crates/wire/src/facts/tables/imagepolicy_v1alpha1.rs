//! The types of `imagepolicy_v1alpha1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static ImageReview: Type = fields("io.k8s.api.imagepolicy.v1alpha1.ImageReview", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ImageReviewSpec, 0),
    one(3, "status", &ImageReviewStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ImageReviewContainerSpec: Type = fields("io.k8s.api.imagepolicy.v1alpha1.ImageReviewContainerSpec", &[
    one(1, "image", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ImageReviewSpec: Type = fields("io.k8s.api.imagepolicy.v1alpha1.ImageReviewSpec", &[
    map(2, "annotations", &STRING, OMITEMPTY),
    list(1, "containers", &ImageReviewContainerSpec, OMITEMPTY).with(&[ListAtomic]),
    one(3, "namespace", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ImageReviewStatus: Type = fields("io.k8s.api.imagepolicy.v1alpha1.ImageReviewStatus", &[
    one(1, "allowed", &BOOL, 0),
    map(3, "auditAnnotations", &STRING, OMITEMPTY),
    one(2, "reason", &STRING, OMITEMPTY),
]);
