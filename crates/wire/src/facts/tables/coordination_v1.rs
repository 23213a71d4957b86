//! The types of `coordination_v1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static Lease: Type = fields("io.k8s.api.coordination.v1.Lease", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &LeaseSpec, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static LeaseList: Type = fields("io.k8s.api.coordination.v1.LeaseList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &Lease, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static LeaseSpec: Type = fields("io.k8s.api.coordination.v1.LeaseSpec", &[
    one(3, "acquireTime", &apimachinery::MicroTime, POINTER | OMITEMPTY),
    one(1, "holderIdentity", &STRING, POINTER | OMITEMPTY),
    one(2, "leaseDurationSeconds", &INT32, POINTER | OMITEMPTY),
    one(5, "leaseTransitions", &INT32, POINTER | OMITEMPTY),
    one(7, "preferredHolder", &STRING, POINTER | OMITEMPTY),
    one(4, "renewTime", &apimachinery::MicroTime, POINTER | OMITEMPTY),
    one(6, "strategy", &STRING, POINTER | OMITEMPTY),
]);
