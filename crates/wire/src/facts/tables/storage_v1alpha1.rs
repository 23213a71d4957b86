//! The types of `storage_v1alpha1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::{apimachinery, core_v1};
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static CSIStorageCapacity: Type = fields("io.k8s.api.storage.v1alpha1.CSIStorageCapacity", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(4, "capacity", &apimachinery::Quantity, POINTER | OMITEMPTY),
    one(5, "maximumVolumeSize", &apimachinery::Quantity, POINTER | OMITEMPTY),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "nodeTopology", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    one(3, "storageClassName", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static CSIStorageCapacityList: Type = fields("io.k8s.api.storage.v1alpha1.CSIStorageCapacityList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &CSIStorageCapacity, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeAttachment: Type = fields("io.k8s.api.storage.v1alpha1.VolumeAttachment", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &VolumeAttachmentSpec, REQUIRED),
    one(3, "status", &VolumeAttachmentStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeAttachmentList: Type = fields("io.k8s.api.storage.v1alpha1.VolumeAttachmentList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &VolumeAttachment, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeAttachmentSource: Type = fields("io.k8s.api.storage.v1alpha1.VolumeAttachmentSource", &[
    one(2, "inlineVolumeSpec", &core_v1::PersistentVolumeSpec, POINTER | OMITEMPTY),
    one(1, "persistentVolumeName", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeAttachmentSpec: Type = fields("io.k8s.api.storage.v1alpha1.VolumeAttachmentSpec", &[
    one(1, "attacher", &STRING, REQUIRED),
    one(3, "nodeName", &STRING, REQUIRED),
    one(2, "source", &VolumeAttachmentSource, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static VolumeAttachmentStatus: Type = fields("io.k8s.api.storage.v1alpha1.VolumeAttachmentStatus", &[
    one(3, "attachError", &VolumeError, POINTER | OMITEMPTY),
    one(1, "attached", &BOOL, REQUIRED),
    map(2, "attachmentMetadata", &STRING, OMITEMPTY),
    one(4, "detachError", &VolumeError, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeAttributesClass: Type = fields("io.k8s.api.storage.v1alpha1.VolumeAttributesClass", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(2, "driverName", &STRING, REQUIRED),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    map(3, "parameters", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeAttributesClassList: Type = fields("io.k8s.api.storage.v1alpha1.VolumeAttributesClassList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &VolumeAttributesClass, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeError: Type = fields("io.k8s.api.storage.v1alpha1.VolumeError", &[
    one(3, "errorCode", &INT32, POINTER | OMITEMPTY),
    one(2, "message", &STRING, OMITEMPTY),
    one(1, "time", &apimachinery::Time, OMITEMPTY),
]);
