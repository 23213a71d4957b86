//! The types of `certificates_v1alpha1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static ClusterTrustBundle: Type = fields("io.k8s.api.certificates.v1alpha1.ClusterTrustBundle", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ClusterTrustBundleSpec, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ClusterTrustBundleList: Type = fields("io.k8s.api.certificates.v1alpha1.ClusterTrustBundleList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ClusterTrustBundle, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ClusterTrustBundleSpec: Type = fields("io.k8s.api.certificates.v1alpha1.ClusterTrustBundleSpec", &[
    one(1, "signerName", &STRING, OMITEMPTY),
    one(2, "trustBundle", &STRING, REQUIRED),
]);
