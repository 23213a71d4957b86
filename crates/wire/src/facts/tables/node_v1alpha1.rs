//! The types of `node_v1alpha1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::{apimachinery, core_v1};
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static Overhead: Type = fields("io.k8s.api.node.v1alpha1.Overhead", &[
    map(1, "podFixed", &apimachinery::Quantity, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static RuntimeClass: Type = fields("io.k8s.api.node.v1alpha1.RuntimeClass", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &RuntimeClassSpec, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static RuntimeClassList: Type = fields("io.k8s.api.node.v1alpha1.RuntimeClassList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &RuntimeClass, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static RuntimeClassSpec: Type = fields("io.k8s.api.node.v1alpha1.RuntimeClassSpec", &[
    one(2, "overhead", &Overhead, POINTER | OMITEMPTY),
    one(1, "runtimeHandler", &STRING, REQUIRED),
    one(3, "scheduling", &Scheduling, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Scheduling: Type = fields("io.k8s.api.node.v1alpha1.Scheduling", &[
    map(1, "nodeSelector", &STRING, OMITEMPTY).with(&[MapAtomic]),
    list(2, "tolerations", &core_v1::Toleration, OMITEMPTY).with(&[ListAtomic]),
]);
