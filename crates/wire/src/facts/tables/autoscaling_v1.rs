//! The types of `autoscaling_v1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static CrossVersionObjectReference: Type = atomic("io.k8s.api.autoscaling.v1.CrossVersionObjectReference", &[
    one(3, "apiVersion", &STRING, OMITEMPTY),
    one(1, "kind", &STRING, REQUIRED),
    one(2, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static HorizontalPodAutoscaler: Type = fields("io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &HorizontalPodAutoscalerSpec, OMITEMPTY | REQUIRED),
    one(3, "status", &HorizontalPodAutoscalerStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static HorizontalPodAutoscalerList: Type = fields("io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &HorizontalPodAutoscaler, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static HorizontalPodAutoscalerSpec: Type = fields("io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec", &[
    one(3, "maxReplicas", &INT32, REQUIRED),
    one(2, "minReplicas", &INT32, POINTER | OMITEMPTY),
    one(1, "scaleTargetRef", &CrossVersionObjectReference, REQUIRED),
    one(4, "targetCPUUtilizationPercentage", &INT32, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static HorizontalPodAutoscalerStatus: Type = fields("io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerStatus", &[
    one(5, "currentCPUUtilizationPercentage", &INT32, POINTER | OMITEMPTY),
    one(3, "currentReplicas", &INT32, REQUIRED),
    one(4, "desiredReplicas", &INT32, REQUIRED),
    one(2, "lastScaleTime", &apimachinery::Time, POINTER | OMITEMPTY),
    one(1, "observedGeneration", &INT64, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Scale: Type = fields("io.k8s.api.autoscaling.v1.Scale", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ScaleSpec, OMITEMPTY),
    one(3, "status", &ScaleStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ScaleSpec: Type = fields("io.k8s.api.autoscaling.v1.ScaleSpec", &[
    one(1, "replicas", &INT32, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ScaleStatus: Type = fields("io.k8s.api.autoscaling.v1.ScaleStatus", &[
    one(1, "replicas", &INT32, REQUIRED),
    one(2, "selector", &STRING, OMITEMPTY),
]);
