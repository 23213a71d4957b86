//! The types of `autoscaling_v2`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static ContainerResourceMetricSource: Type = fields("io.k8s.api.autoscaling.v2.ContainerResourceMetricSource", &[
    one(3, "container", &STRING, REQUIRED),
    one(1, "name", &STRING, REQUIRED),
    one(2, "target", &MetricTarget, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ContainerResourceMetricStatus: Type = fields("io.k8s.api.autoscaling.v2.ContainerResourceMetricStatus", &[
    one(3, "container", &STRING, REQUIRED),
    one(2, "current", &MetricValueStatus, REQUIRED),
    one(1, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static CrossVersionObjectReference: Type = fields("io.k8s.api.autoscaling.v2.CrossVersionObjectReference", &[
    one(3, "apiVersion", &STRING, OMITEMPTY),
    one(1, "kind", &STRING, REQUIRED),
    one(2, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ExternalMetricSource: Type = fields("io.k8s.api.autoscaling.v2.ExternalMetricSource", &[
    one(1, "metric", &MetricIdentifier, REQUIRED),
    one(2, "target", &MetricTarget, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ExternalMetricStatus: Type = fields("io.k8s.api.autoscaling.v2.ExternalMetricStatus", &[
    one(2, "current", &MetricValueStatus, REQUIRED),
    one(1, "metric", &MetricIdentifier, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static HPAScalingPolicy: Type = fields("io.k8s.api.autoscaling.v2.HPAScalingPolicy", &[
    one(3, "periodSeconds", &INT32, REQUIRED),
    one(1, "type", &STRING, REQUIRED),
    one(2, "value", &INT32, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static HPAScalingRules: Type = fields("io.k8s.api.autoscaling.v2.HPAScalingRules", &[
    list(2, "policies", &HPAScalingPolicy, OMITEMPTY).with(&[ListAtomic]),
    one(1, "selectPolicy", &STRING, POINTER | OMITEMPTY),
    one(3, "stabilizationWindowSeconds", &INT32, POINTER | OMITEMPTY),
    one(4, "tolerance", &apimachinery::Quantity, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static HorizontalPodAutoscaler: Type = fields("io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &HorizontalPodAutoscalerSpec, OMITEMPTY | REQUIRED),
    one(3, "status", &HorizontalPodAutoscalerStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static HorizontalPodAutoscalerBehavior: Type = fields("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior", &[
    one(2, "scaleDown", &HPAScalingRules, POINTER | OMITEMPTY),
    one(1, "scaleUp", &HPAScalingRules, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static HorizontalPodAutoscalerCondition: Type = fields("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition", &[
    one(3, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(5, "message", &STRING, OMITEMPTY),
    one(6, "observedGeneration", &INT64, POINTER | OMITEMPTY),
    one(4, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, REQUIRED),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static HorizontalPodAutoscalerList: Type = fields("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &HorizontalPodAutoscaler, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static HorizontalPodAutoscalerSpec: Type = fields("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec", &[
    one(5, "behavior", &HorizontalPodAutoscalerBehavior, POINTER | OMITEMPTY),
    one(3, "maxReplicas", &INT32, REQUIRED),
    list(4, "metrics", &MetricSpec, OMITEMPTY).with(&[ListAtomic]),
    one(2, "minReplicas", &INT32, POINTER | OMITEMPTY),
    one(1, "scaleTargetRef", &CrossVersionObjectReference, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static HorizontalPodAutoscalerStatus: Type = fields("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus", &[
    list(6, "conditions", &HorizontalPodAutoscalerCondition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    list(5, "currentMetrics", &MetricStatus, 0).with(&[ListAtomic]),
    one(3, "currentReplicas", &INT32, OMITEMPTY),
    one(4, "desiredReplicas", &INT32, REQUIRED),
    one(2, "lastScaleTime", &apimachinery::Time, POINTER | OMITEMPTY),
    one(1, "observedGeneration", &INT64, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static MetricIdentifier: Type = fields("io.k8s.api.autoscaling.v2.MetricIdentifier", &[
    one(1, "name", &STRING, REQUIRED),
    one(2, "selector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static MetricSpec: Type = fields("io.k8s.api.autoscaling.v2.MetricSpec", &[
    one(7, "containerResource", &ContainerResourceMetricSource, POINTER | OMITEMPTY),
    one(5, "external", &ExternalMetricSource, POINTER | OMITEMPTY),
    one(2, "object", &ObjectMetricSource, POINTER | OMITEMPTY),
    one(3, "pods", &PodsMetricSource, POINTER | OMITEMPTY),
    one(4, "resource", &ResourceMetricSource, POINTER | OMITEMPTY),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static MetricStatus: Type = fields("io.k8s.api.autoscaling.v2.MetricStatus", &[
    one(7, "containerResource", &ContainerResourceMetricStatus, POINTER | OMITEMPTY),
    one(5, "external", &ExternalMetricStatus, POINTER | OMITEMPTY),
    one(2, "object", &ObjectMetricStatus, POINTER | OMITEMPTY),
    one(3, "pods", &PodsMetricStatus, POINTER | OMITEMPTY),
    one(4, "resource", &ResourceMetricStatus, POINTER | OMITEMPTY),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static MetricTarget: Type = fields("io.k8s.api.autoscaling.v2.MetricTarget", &[
    one(4, "averageUtilization", &INT32, POINTER | OMITEMPTY),
    one(3, "averageValue", &apimachinery::Quantity, POINTER | OMITEMPTY),
    one(1, "type", &STRING, REQUIRED),
    one(2, "value", &apimachinery::Quantity, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static MetricValueStatus: Type = fields("io.k8s.api.autoscaling.v2.MetricValueStatus", &[
    one(3, "averageUtilization", &INT32, POINTER | OMITEMPTY),
    one(2, "averageValue", &apimachinery::Quantity, POINTER | OMITEMPTY),
    one(1, "value", &apimachinery::Quantity, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ObjectMetricSource: Type = fields("io.k8s.api.autoscaling.v2.ObjectMetricSource", &[
    one(1, "describedObject", &CrossVersionObjectReference, REQUIRED),
    one(3, "metric", &MetricIdentifier, REQUIRED),
    one(2, "target", &MetricTarget, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ObjectMetricStatus: Type = fields("io.k8s.api.autoscaling.v2.ObjectMetricStatus", &[
    one(2, "current", &MetricValueStatus, REQUIRED),
    one(3, "describedObject", &CrossVersionObjectReference, REQUIRED),
    one(1, "metric", &MetricIdentifier, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PodsMetricSource: Type = fields("io.k8s.api.autoscaling.v2.PodsMetricSource", &[
    one(1, "metric", &MetricIdentifier, REQUIRED),
    one(2, "target", &MetricTarget, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PodsMetricStatus: Type = fields("io.k8s.api.autoscaling.v2.PodsMetricStatus", &[
    one(2, "current", &MetricValueStatus, REQUIRED),
    one(1, "metric", &MetricIdentifier, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ResourceMetricSource: Type = fields("io.k8s.api.autoscaling.v2.ResourceMetricSource", &[
    one(1, "name", &STRING, REQUIRED),
    one(2, "target", &MetricTarget, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ResourceMetricStatus: Type = fields("io.k8s.api.autoscaling.v2.ResourceMetricStatus", &[
    one(2, "current", &MetricValueStatus, REQUIRED),
    one(1, "name", &STRING, REQUIRED),
]);
