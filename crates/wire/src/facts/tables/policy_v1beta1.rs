//! The types of `policy_v1beta1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static Eviction: Type = fields("io.k8s.api.policy.v1beta1.Eviction", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(2, "deleteOptions", &apimachinery::DeleteOptions, POINTER | OMITEMPTY),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodDisruptionBudget: Type = fields("io.k8s.api.policy.v1beta1.PodDisruptionBudget", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &PodDisruptionBudgetSpec, OMITEMPTY),
    one(3, "status", &PodDisruptionBudgetStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodDisruptionBudgetList: Type = fields("io.k8s.api.policy.v1beta1.PodDisruptionBudgetList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &PodDisruptionBudget, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodDisruptionBudgetSpec: Type = fields("io.k8s.api.policy.v1beta1.PodDisruptionBudgetSpec", &[
    one(3, "maxUnavailable", &apimachinery::IntOrString, POINTER | OMITEMPTY),
    one(1, "minAvailable", &apimachinery::IntOrString, POINTER | OMITEMPTY),
    one(2, "selector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    one(4, "unhealthyPodEvictionPolicy", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodDisruptionBudgetStatus: Type = fields("io.k8s.api.policy.v1beta1.PodDisruptionBudgetStatus", &[
    list(7, "conditions", &apimachinery::Condition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    one(4, "currentHealthy", &INT32, 0),
    one(5, "desiredHealthy", &INT32, 0),
    map(2, "disruptedPods", &apimachinery::Time, OMITEMPTY),
    one(3, "disruptionsAllowed", &INT32, 0),
    one(6, "expectedPods", &INT32, 0),
    one(1, "observedGeneration", &INT64, OMITEMPTY),
]);
