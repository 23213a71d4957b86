//! The types of `rbac_v1alpha1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static AggregationRule: Type = fields("io.k8s.api.rbac.v1alpha1.AggregationRule", &[
    list(1, "clusterRoleSelectors", &apimachinery::LabelSelector, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static ClusterRole: Type = fields("io.k8s.api.rbac.v1alpha1.ClusterRole", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(3, "aggregationRule", &AggregationRule, POINTER | OMITEMPTY),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    list(2, "rules", &PolicyRule, 0).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static ClusterRoleBinding: Type = fields("io.k8s.api.rbac.v1alpha1.ClusterRoleBinding", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(3, "roleRef", &RoleRef, REQUIRED),
    list(2, "subjects", &Subject, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static ClusterRoleBindingList: Type = fields("io.k8s.api.rbac.v1alpha1.ClusterRoleBindingList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ClusterRoleBinding, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ClusterRoleList: Type = fields("io.k8s.api.rbac.v1alpha1.ClusterRoleList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ClusterRole, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PolicyRule: Type = fields("io.k8s.api.rbac.v1alpha1.PolicyRule", &[
    list(3, "apiGroups", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(6, "nonResourceURLs", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(5, "resourceNames", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(4, "resources", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(1, "verbs", &STRING, REQUIRED).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static Role: Type = fields("io.k8s.api.rbac.v1alpha1.Role", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    list(2, "rules", &PolicyRule, 0).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static RoleBinding: Type = fields("io.k8s.api.rbac.v1alpha1.RoleBinding", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(3, "roleRef", &RoleRef, REQUIRED),
    list(2, "subjects", &Subject, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static RoleBindingList: Type = fields("io.k8s.api.rbac.v1alpha1.RoleBindingList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &RoleBinding, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static RoleList: Type = fields("io.k8s.api.rbac.v1alpha1.RoleList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &Role, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static RoleRef: Type = fields("io.k8s.api.rbac.v1alpha1.RoleRef", &[
    one(1, "apiGroup", &STRING, 0),
    one(2, "kind", &STRING, REQUIRED),
    one(3, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static Subject: Type = fields("io.k8s.api.rbac.v1alpha1.Subject", &[
    one(2, "apiVersion", &STRING, OMITEMPTY),
    one(1, "kind", &STRING, REQUIRED),
    one(3, "name", &STRING, REQUIRED),
    one(4, "namespace", &STRING, OMITEMPTY),
]);
