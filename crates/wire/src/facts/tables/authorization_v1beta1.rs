//! The types of `authorization_v1beta1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::{apimachinery, authorization_v1};
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static ExtraValue: Type = shaped("io.k8s.api.authorization.v1beta1.ExtraValue", Shape::Items, &[]);

#[rustfmt::skip]
pub(super) static LocalSubjectAccessReview: Type = fields("io.k8s.api.authorization.v1beta1.LocalSubjectAccessReview", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &SubjectAccessReviewSpec, REQUIRED),
    one(3, "status", &SubjectAccessReviewStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NonResourceAttributes: Type = fields("io.k8s.api.authorization.v1beta1.NonResourceAttributes", &[
    one(1, "path", &STRING, OMITEMPTY),
    one(2, "verb", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NonResourceRule: Type = fields("io.k8s.api.authorization.v1beta1.NonResourceRule", &[
    list(2, "nonResourceURLs", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(1, "verbs", &STRING, REQUIRED).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static ResourceAttributes: Type = fields("io.k8s.api.authorization.v1beta1.ResourceAttributes", &[
    one(8, "fieldSelector", &authorization_v1::FieldSelectorAttributes, POINTER | OMITEMPTY),
    one(3, "group", &STRING, OMITEMPTY),
    one(9, "labelSelector", &authorization_v1::LabelSelectorAttributes, POINTER | OMITEMPTY),
    one(7, "name", &STRING, OMITEMPTY),
    one(1, "namespace", &STRING, OMITEMPTY),
    one(5, "resource", &STRING, OMITEMPTY),
    one(6, "subresource", &STRING, OMITEMPTY),
    one(2, "verb", &STRING, OMITEMPTY),
    one(4, "version", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ResourceRule: Type = fields("io.k8s.api.authorization.v1beta1.ResourceRule", &[
    list(2, "apiGroups", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(4, "resourceNames", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(3, "resources", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(1, "verbs", &STRING, REQUIRED).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static SelfSubjectAccessReview: Type = fields("io.k8s.api.authorization.v1beta1.SelfSubjectAccessReview", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &SelfSubjectAccessReviewSpec, REQUIRED),
    one(3, "status", &SubjectAccessReviewStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SelfSubjectAccessReviewSpec: Type = fields("io.k8s.api.authorization.v1beta1.SelfSubjectAccessReviewSpec", &[
    one(2, "nonResourceAttributes", &NonResourceAttributes, POINTER | OMITEMPTY),
    one(1, "resourceAttributes", &ResourceAttributes, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SelfSubjectRulesReview: Type = fields("io.k8s.api.authorization.v1beta1.SelfSubjectRulesReview", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &SelfSubjectRulesReviewSpec, REQUIRED),
    one(3, "status", &SubjectRulesReviewStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SelfSubjectRulesReviewSpec: Type = fields("io.k8s.api.authorization.v1beta1.SelfSubjectRulesReviewSpec", &[
    one(1, "namespace", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SubjectAccessReview: Type = fields("io.k8s.api.authorization.v1beta1.SubjectAccessReview", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &SubjectAccessReviewSpec, REQUIRED),
    one(3, "status", &SubjectAccessReviewStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SubjectAccessReviewSpec: Type = fields("io.k8s.api.authorization.v1beta1.SubjectAccessReviewSpec", &[
    map(5, "extra", &ExtraValue, OMITEMPTY),
    list(4, "group", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(2, "nonResourceAttributes", &NonResourceAttributes, POINTER | OMITEMPTY),
    one(1, "resourceAttributes", &ResourceAttributes, POINTER | OMITEMPTY),
    one(6, "uid", &STRING, OMITEMPTY),
    one(3, "user", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SubjectAccessReviewStatus: Type = fields("io.k8s.api.authorization.v1beta1.SubjectAccessReviewStatus", &[
    one(1, "allowed", &BOOL, REQUIRED),
    one(4, "denied", &BOOL, OMITEMPTY),
    one(3, "evaluationError", &STRING, OMITEMPTY),
    one(2, "reason", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SubjectRulesReviewStatus: Type = fields("io.k8s.api.authorization.v1beta1.SubjectRulesReviewStatus", &[
    one(4, "evaluationError", &STRING, OMITEMPTY),
    one(3, "incomplete", &BOOL, REQUIRED),
    list(2, "nonResourceRules", &NonResourceRule, REQUIRED).with(&[ListAtomic]),
    list(1, "resourceRules", &ResourceRule, REQUIRED).with(&[ListAtomic]),
]);
