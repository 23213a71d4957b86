//! The types of `node_v1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::{apimachinery, core_v1};
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static Overhead: Type = fields("io.k8s.api.node.v1.Overhead", &[
    map(1, "podFixed", &apimachinery::Quantity, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static RuntimeClass: Type = fields("io.k8s.api.node.v1.RuntimeClass", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(2, "handler", &STRING, REQUIRED),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(3, "overhead", &Overhead, POINTER | OMITEMPTY),
    one(4, "scheduling", &Scheduling, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static RuntimeClassList: Type = fields("io.k8s.api.node.v1.RuntimeClassList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &RuntimeClass, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Scheduling: Type = fields("io.k8s.api.node.v1.Scheduling", &[
    map(1, "nodeSelector", &STRING, OMITEMPTY).with(&[MapAtomic]),
    list(2, "tolerations", &core_v1::Toleration, OMITEMPTY).with(&[ListAtomic]),
]);
