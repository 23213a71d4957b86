//! The types of `coordination_v1alpha2`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static LeaseCandidate: Type = fields("io.k8s.api.coordination.v1alpha2.LeaseCandidate", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &LeaseCandidateSpec, OMITEMPTY | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static LeaseCandidateList: Type = fields("io.k8s.api.coordination.v1alpha2.LeaseCandidateList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &LeaseCandidate, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static LeaseCandidateSpec: Type = fields("io.k8s.api.coordination.v1alpha2.LeaseCandidateSpec", &[
    one(4, "binaryVersion", &STRING, REQUIRED),
    one(5, "emulationVersion", &STRING, OMITEMPTY),
    one(1, "leaseName", &STRING, REQUIRED),
    one(2, "pingTime", &apimachinery::MicroTime, POINTER | OMITEMPTY),
    one(3, "renewTime", &apimachinery::MicroTime, POINTER | OMITEMPTY),
    one(6, "strategy", &STRING, OMITEMPTY | REQUIRED),
]);
