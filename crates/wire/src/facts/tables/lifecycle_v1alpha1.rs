//! The types of `lifecycle_v1alpha1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static Eviction: Type = fields("io.k8s.api.lifecycle.v1alpha1.Eviction", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &EvictionSpec, REQUIRED),
    one(3, "status", &EvictionStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EvictionList: Type = fields("io.k8s.api.lifecycle.v1alpha1.EvictionList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &Eviction, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EvictionPodReference: Type = fields("io.k8s.api.lifecycle.v1alpha1.EvictionPodReference", &[
    one(1, "name", &STRING, REQUIRED),
    one(2, "uid", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static EvictionRequest: Type = fields("io.k8s.api.lifecycle.v1alpha1.EvictionRequest", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &EvictionRequestSpec, REQUIRED),
    one(3, "status", &EvictionRequestStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EvictionRequestList: Type = fields("io.k8s.api.lifecycle.v1alpha1.EvictionRequestList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &EvictionRequest, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EvictionRequestPodReference: Type = fields("io.k8s.api.lifecycle.v1alpha1.EvictionRequestPodReference", &[
    one(1, "name", &STRING, REQUIRED),
    one(2, "uid", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static EvictionRequestSpec: Type = fields("io.k8s.api.lifecycle.v1alpha1.EvictionRequestSpec", &[
    one(3, "intent", &STRING, REQUIRED),
    one(2, "requester", &STRING, REQUIRED),
    one(1, "target", &EvictionRequestTarget, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static EvictionRequestStatus: Type = fields("io.k8s.api.lifecycle.v1alpha1.EvictionRequestStatus", &[
    list(1, "conditions", &apimachinery::Condition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    one(2, "observedGeneration", &INT64, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EvictionRequestTarget: Type = fields("io.k8s.api.lifecycle.v1alpha1.EvictionRequestTarget", &[
    one(1, "pod", &EvictionRequestPodReference, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EvictionSpec: Type = fields("io.k8s.api.lifecycle.v1alpha1.EvictionSpec", &[
    one(1, "target", &EvictionTarget, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static EvictionStatus: Type = fields("io.k8s.api.lifecycle.v1alpha1.EvictionStatus", &[
    list(1, "conditions", &apimachinery::Condition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    one(2, "observedGeneration", &INT64, POINTER | OMITEMPTY),
    list(3, "requesters", &Requester, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
    list(5, "responders", &ResponderStatus, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
    list(4, "targetResponders", &TargetResponder, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
]);

#[rustfmt::skip]
pub(super) static EvictionTarget: Type = fields("io.k8s.api.lifecycle.v1alpha1.EvictionTarget", &[
    one(1, "pod", &EvictionPodReference, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Requester: Type = atomic("io.k8s.api.lifecycle.v1alpha1.Requester", &[
    one(2, "intent", &STRING, REQUIRED),
    one(1, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ResponderStatus: Type = fields("io.k8s.api.lifecycle.v1alpha1.ResponderStatus", &[
    one(5, "completionTime", &apimachinery::Time, POINTER | OMITEMPTY),
    one(4, "expectedCompletionTime", &apimachinery::Time, POINTER | OMITEMPTY),
    one(3, "heartbeatTime", &apimachinery::Time, POINTER | OMITEMPTY),
    one(6, "message", &STRING, POINTER | OMITEMPTY),
    one(1, "name", &STRING, REQUIRED),
    one(2, "startTime", &apimachinery::Time, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static TargetResponder: Type = atomic("io.k8s.api.lifecycle.v1alpha1.TargetResponder", &[
    one(1, "name", &STRING, REQUIRED),
    one(2, "priority", &INT32, POINTER | REQUIRED),
    one(3, "state", &STRING, REQUIRED),
]);
