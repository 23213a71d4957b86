//! The types of `scheduling_v1beta1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static AllCompositeDisruptionMode: Type = fields("io.k8s.api.scheduling.v1beta1.AllCompositeDisruptionMode", &[]);

#[rustfmt::skip]
pub(super) static AllDisruptionMode: Type = fields("io.k8s.api.scheduling.v1beta1.AllDisruptionMode", &[]);

#[rustfmt::skip]
pub(super) static BasicSchedulingPolicy: Type = fields("io.k8s.api.scheduling.v1beta1.BasicSchedulingPolicy", &[]);

#[rustfmt::skip]
pub(super) static CompositeBasicSchedulingPolicy: Type = fields("io.k8s.api.scheduling.v1beta1.CompositeBasicSchedulingPolicy", &[]);

#[rustfmt::skip]
pub(super) static CompositeDisruptionMode: Type = fields("io.k8s.api.scheduling.v1beta1.CompositeDisruptionMode", &[
    one(2, "all", &AllCompositeDisruptionMode, POINTER | OMITEMPTY),
    one(1, "single", &SingleCompositeDisruptionMode, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CompositeGangSchedulingPolicy: Type = fields("io.k8s.api.scheduling.v1beta1.CompositeGangSchedulingPolicy", &[
    one(1, "minGroupCount", &INT32, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static CompositePodGroupSchedulingConstraints: Type = fields("io.k8s.api.scheduling.v1beta1.CompositePodGroupSchedulingConstraints", &[
    list(1, "topology", &TopologyConstraint, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static CompositePodGroupSchedulingPolicy: Type = fields("io.k8s.api.scheduling.v1beta1.CompositePodGroupSchedulingPolicy", &[
    one(1, "basic", &CompositeBasicSchedulingPolicy, POINTER | OMITEMPTY),
    one(2, "gang", &CompositeGangSchedulingPolicy, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CompositePodGroupTemplate: Type = fields("io.k8s.api.scheduling.v1beta1.CompositePodGroupTemplate", &[
    list(9, "compositePodGroupTemplates", &CompositePodGroupTemplate, OMITEMPTY).with(&[ListMap(&["name"])]),
    one(4, "disruptionMode", &CompositeDisruptionMode, POINTER | OMITEMPTY),
    one(1, "name", &STRING, REQUIRED),
    list(8, "podGroupTemplates", &PodGroupTemplate, OMITEMPTY).with(&[ListMap(&["name"])]),
    one(7, "preemptionPolicy", &STRING, POINTER | OMITEMPTY),
    one(6, "priority", &INT32, POINTER | OMITEMPTY),
    one(5, "priorityClassName", &STRING, OMITEMPTY),
    one(3, "schedulingConstraints", &CompositePodGroupSchedulingConstraints, POINTER | OMITEMPTY),
    one(2, "schedulingPolicy", &CompositePodGroupSchedulingPolicy, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static DisruptionMode: Type = fields("io.k8s.api.scheduling.v1beta1.DisruptionMode", &[
    one(2, "all", &AllDisruptionMode, POINTER | OMITEMPTY),
    one(1, "single", &SingleDisruptionMode, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static GangSchedulingPolicy: Type = fields("io.k8s.api.scheduling.v1beta1.GangSchedulingPolicy", &[
    one(1, "minCount", &INT32, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PodGroup: Type = fields("io.k8s.api.scheduling.v1beta1.PodGroup", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &PodGroupSpec, REQUIRED),
    one(3, "status", &PodGroupStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodGroupList: Type = fields("io.k8s.api.scheduling.v1beta1.PodGroupList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &PodGroup, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodGroupResourceClaim: Type = fields("io.k8s.api.scheduling.v1beta1.PodGroupResourceClaim", &[
    one(1, "name", &STRING, REQUIRED),
    one(2, "resourceClaimName", &STRING, POINTER | OMITEMPTY),
    one(3, "resourceClaimTemplateName", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodGroupResourceClaimStatus: Type = fields("io.k8s.api.scheduling.v1beta1.PodGroupResourceClaimStatus", &[
    one(1, "name", &STRING, REQUIRED),
    one(2, "resourceClaimName", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodGroupSchedulingConstraints: Type = fields("io.k8s.api.scheduling.v1beta1.PodGroupSchedulingConstraints", &[
    list(1, "topology", &TopologyConstraint, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static PodGroupSchedulingPolicy: Type = fields("io.k8s.api.scheduling.v1beta1.PodGroupSchedulingPolicy", &[
    one(1, "basic", &BasicSchedulingPolicy, POINTER | OMITEMPTY),
    one(2, "gang", &GangSchedulingPolicy, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodGroupSpec: Type = fields("io.k8s.api.scheduling.v1beta1.PodGroupSpec", &[
    one(6, "disruptionMode", &DisruptionMode, POINTER | OMITEMPTY).with(&[Default("{\"single\":{}}")]),
    one(1, "parentCompositePodGroupName", &STRING, POINTER | OMITEMPTY),
    one(9, "preemptionPolicy", &STRING, POINTER | OMITEMPTY),
    one(8, "priority", &INT32, POINTER | OMITEMPTY),
    one(7, "priorityClassName", &STRING, OMITEMPTY),
    list(5, "resourceClaims", &PodGroupResourceClaim, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge,retainKeys", "name")]),
    one(4, "schedulingConstraints", &PodGroupSchedulingConstraints, POINTER | OMITEMPTY),
    one(3, "schedulingPolicy", &PodGroupSchedulingPolicy, REQUIRED),
    one(2, "workloadRef", &WorkloadReference, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodGroupStatus: Type = fields("io.k8s.api.scheduling.v1beta1.PodGroupStatus", &[
    list(1, "conditions", &apimachinery::Condition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    list(2, "resourceClaimStatuses", &PodGroupResourceClaimStatus, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge,retainKeys", "name")]),
]);

#[rustfmt::skip]
pub(super) static PodGroupTemplate: Type = fields("io.k8s.api.scheduling.v1beta1.PodGroupTemplate", &[
    one(5, "disruptionMode", &DisruptionMode, POINTER | OMITEMPTY),
    one(1, "name", &STRING, REQUIRED),
    one(8, "preemptionPolicy", &STRING, POINTER | OMITEMPTY),
    one(7, "priority", &INT32, POINTER | OMITEMPTY),
    one(6, "priorityClassName", &STRING, OMITEMPTY),
    list(4, "resourceClaims", &PodGroupResourceClaim, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge,retainKeys", "name")]),
    one(3, "schedulingConstraints", &PodGroupSchedulingConstraints, POINTER),
    one(2, "schedulingPolicy", &PodGroupSchedulingPolicy, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PriorityClass: Type = fields("io.k8s.api.scheduling.v1beta1.PriorityClass", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(4, "description", &STRING, OMITEMPTY),
    one(3, "globalDefault", &BOOL, OMITEMPTY),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(5, "preemptionPolicy", &STRING, POINTER | OMITEMPTY),
    one(2, "value", &INT32, 0),
]);

#[rustfmt::skip]
pub(super) static PriorityClassList: Type = fields("io.k8s.api.scheduling.v1beta1.PriorityClassList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &PriorityClass, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SingleCompositeDisruptionMode: Type = fields("io.k8s.api.scheduling.v1beta1.SingleCompositeDisruptionMode", &[]);

#[rustfmt::skip]
pub(super) static SingleDisruptionMode: Type = fields("io.k8s.api.scheduling.v1beta1.SingleDisruptionMode", &[]);

#[rustfmt::skip]
pub(super) static TopologyConstraint: Type = fields("io.k8s.api.scheduling.v1beta1.TopologyConstraint", &[
    one(1, "key", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static TypedLocalObjectReference: Type = fields("io.k8s.api.scheduling.v1beta1.TypedLocalObjectReference", &[
    one(1, "apiGroup", &STRING, OMITEMPTY),
    one(2, "kind", &STRING, REQUIRED),
    one(3, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static Workload: Type = fields("io.k8s.api.scheduling.v1beta1.Workload", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &WorkloadSpec, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static WorkloadList: Type = fields("io.k8s.api.scheduling.v1beta1.WorkloadList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &Workload, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static WorkloadReference: Type = fields("io.k8s.api.scheduling.v1beta1.WorkloadReference", &[
    one(2, "templateName", &STRING, REQUIRED),
    one(1, "workloadName", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static WorkloadSpec: Type = fields("io.k8s.api.scheduling.v1beta1.WorkloadSpec", &[
    list(3, "compositePodGroupTemplates", &CompositePodGroupTemplate, OMITEMPTY).with(&[ListMap(&["name"])]),
    one(1, "controllerRef", &TypedLocalObjectReference, POINTER | OMITEMPTY),
    list(2, "podGroupTemplates", &PodGroupTemplate, 0).with(&[ListMap(&["name"])]),
]);
