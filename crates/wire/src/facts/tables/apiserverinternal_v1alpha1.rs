//! The types of `apiserverinternal_v1alpha1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static ServerStorageVersion: Type = fields("io.k8s.api.apiserverinternal.v1alpha1.ServerStorageVersion", &[
    one(1, "apiServerID", &STRING, OMITEMPTY | REQUIRED),
    list(3, "decodableVersions", &STRING, OMITEMPTY | REQUIRED).with(&[ListSet]),
    one(2, "encodingVersion", &STRING, OMITEMPTY | REQUIRED),
    list(4, "servedVersions", &STRING, OMITEMPTY).with(&[ListSet]),
]);

#[rustfmt::skip]
pub(super) static StorageVersion: Type = fields("io.k8s.api.apiserverinternal.v1alpha1.StorageVersion", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY | REQUIRED),
    one(2, "spec", &StorageVersionSpec, 0),
    one(3, "status", &StorageVersionStatus, 0),
]);

#[rustfmt::skip]
pub(super) static StorageVersionCondition: Type = fields("io.k8s.api.apiserverinternal.v1alpha1.StorageVersionCondition", &[
    one(4, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(6, "message", &STRING, OMITEMPTY | REQUIRED),
    one(3, "observedGeneration", &INT64, OMITEMPTY),
    one(5, "reason", &STRING, REQUIRED),
    one(2, "status", &STRING, REQUIRED),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static StorageVersionList: Type = fields("io.k8s.api.apiserverinternal.v1alpha1.StorageVersionList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &StorageVersion, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static StorageVersionSpec: Type = fields("io.k8s.api.apiserverinternal.v1alpha1.StorageVersionSpec", &[]);

#[rustfmt::skip]
pub(super) static StorageVersionStatus: Type = fields("io.k8s.api.apiserverinternal.v1alpha1.StorageVersionStatus", &[
    one(2, "commonEncodingVersion", &STRING, POINTER | OMITEMPTY),
    list(3, "conditions", &StorageVersionCondition, OMITEMPTY).with(&[ListMap(&["type"])]),
    list(1, "storageVersions", &ServerStorageVersion, OMITEMPTY).with(&[ListMap(&["apiServerID"])]),
]);
