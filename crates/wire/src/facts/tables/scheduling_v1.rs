//! The types of `scheduling_v1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static PriorityClass: Type = fields("io.k8s.api.scheduling.v1.PriorityClass", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(4, "description", &STRING, OMITEMPTY),
    one(3, "globalDefault", &BOOL, OMITEMPTY),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(5, "preemptionPolicy", &STRING, POINTER | OMITEMPTY),
    one(2, "value", &INT32, 0),
]);

#[rustfmt::skip]
pub(super) static PriorityClassList: Type = fields("io.k8s.api.scheduling.v1.PriorityClassList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &PriorityClass, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);
