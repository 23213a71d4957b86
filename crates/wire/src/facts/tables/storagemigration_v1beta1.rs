//! The types of `storagemigration_v1beta1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static StorageVersionMigration: Type = fields("io.k8s.api.storagemigration.v1beta1.StorageVersionMigration", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &StorageVersionMigrationSpec, OMITEMPTY),
    one(3, "status", &StorageVersionMigrationStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static StorageVersionMigrationList: Type = fields("io.k8s.api.storagemigration.v1beta1.StorageVersionMigrationList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &StorageVersionMigration, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static StorageVersionMigrationSpec: Type = fields("io.k8s.api.storagemigration.v1beta1.StorageVersionMigrationSpec", &[
    one(1, "resource", &apimachinery::GroupResource, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static StorageVersionMigrationStatus: Type = fields("io.k8s.api.storagemigration.v1beta1.StorageVersionMigrationStatus", &[
    list(1, "conditions", &apimachinery::Condition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    one(2, "resourceVersion", &STRING, OMITEMPTY),
]);
