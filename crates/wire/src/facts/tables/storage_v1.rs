//! The types of `storage_v1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::{apimachinery, core_v1};
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static CSIDriver: Type = fields("io.k8s.api.storage.v1.CSIDriver", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &CSIDriverSpec, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static CSIDriverList: Type = fields("io.k8s.api.storage.v1.CSIDriverList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &CSIDriver, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CSIDriverSpec: Type = fields("io.k8s.api.storage.v1.CSIDriverSpec", &[
    one(1, "attachRequired", &BOOL, POINTER | OMITEMPTY),
    one(5, "fsGroupPolicy", &STRING, POINTER | OMITEMPTY),
    one(9, "nodeAllocatableUpdatePeriodSeconds", &INT64, POINTER | OMITEMPTY),
    one(2, "podInfoOnMount", &BOOL, POINTER | OMITEMPTY),
    one(11, "preventPodSchedulingIfMissing", &BOOL, POINTER | OMITEMPTY),
    one(7, "requiresRepublish", &BOOL, POINTER | OMITEMPTY),
    one(8, "seLinuxMount", &BOOL, POINTER | OMITEMPTY),
    one(10, "serviceAccountTokenInSecrets", &BOOL, POINTER | OMITEMPTY),
    one(4, "storageCapacity", &BOOL, POINTER | OMITEMPTY),
    list(6, "tokenRequests", &TokenRequest, OMITEMPTY).with(&[ListAtomic]),
    list(3, "volumeLifecycleModes", &STRING, OMITEMPTY).with(&[ListSet]),
]);

#[rustfmt::skip]
pub(super) static CSINode: Type = fields("io.k8s.api.storage.v1.CSINode", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &CSINodeSpec, REQUIRED),
    one(3, "status", &CSINodeStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CSINodeDriver: Type = fields("io.k8s.api.storage.v1.CSINodeDriver", &[
    one(4, "allocatable", &VolumeNodeResources, POINTER | OMITEMPTY),
    one(1, "name", &STRING, REQUIRED),
    one(2, "nodeID", &STRING, REQUIRED),
    list(3, "topologyKeys", &STRING, 0).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static CSINodeList: Type = fields("io.k8s.api.storage.v1.CSINodeList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &CSINode, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CSINodeSpec: Type = fields("io.k8s.api.storage.v1.CSINodeSpec", &[
    list(1, "drivers", &CSINodeDriver, REQUIRED).with(&[ListMap(&["name"]), Patch("merge", "name")]),
]);

#[rustfmt::skip]
pub(super) static CSINodeStatus: Type = fields("io.k8s.api.storage.v1.CSINodeStatus", &[
    list(1, "storageHealth", &StorageHealth, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
]);

#[rustfmt::skip]
pub(super) static CSIStorageCapacity: Type = fields("io.k8s.api.storage.v1.CSIStorageCapacity", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(4, "capacity", &apimachinery::Quantity, POINTER | OMITEMPTY),
    one(5, "maximumVolumeSize", &apimachinery::Quantity, POINTER | OMITEMPTY),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "nodeTopology", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    one(3, "storageClassName", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static CSIStorageCapacityList: Type = fields("io.k8s.api.storage.v1.CSIStorageCapacityList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &CSIStorageCapacity, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static StorageClass: Type = fields("io.k8s.api.storage.v1.StorageClass", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(6, "allowVolumeExpansion", &BOOL, POINTER | OMITEMPTY),
    list(8, "allowedTopologies", &core_v1::TopologySelectorTerm, OMITEMPTY).with(&[ListAtomic]),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    list(5, "mountOptions", &STRING, OMITEMPTY).with(&[ListAtomic]),
    map(3, "parameters", &STRING, OMITEMPTY),
    one(2, "provisioner", &STRING, REQUIRED),
    one(4, "reclaimPolicy", &STRING, POINTER | OMITEMPTY),
    one(7, "volumeBindingMode", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static StorageClassList: Type = fields("io.k8s.api.storage.v1.StorageClassList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &StorageClass, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static StorageHealth: Type = fields("io.k8s.api.storage.v1.StorageHealth", &[
    list(2, "healthConditions", &StorageHealthCondition, OMITEMPTY).with(&[ListAtomic]),
    one(1, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static StorageHealthCondition: Type = fields("io.k8s.api.storage.v1.StorageHealthCondition", &[
    one(4, "accessMode", &STRING, POINTER | OMITEMPTY),
    one(6, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(3, "message", &STRING, OMITEMPTY),
    one(2, "reason", &STRING, REQUIRED),
    one(1, "status", &STRING, REQUIRED),
    one(5, "volumeMode", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static TokenRequest: Type = fields("io.k8s.api.storage.v1.TokenRequest", &[
    one(1, "audience", &STRING, REQUIRED),
    one(2, "expirationSeconds", &INT64, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeAttachment: Type = fields("io.k8s.api.storage.v1.VolumeAttachment", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &VolumeAttachmentSpec, REQUIRED),
    one(3, "status", &VolumeAttachmentStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeAttachmentList: Type = fields("io.k8s.api.storage.v1.VolumeAttachmentList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &VolumeAttachment, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeAttachmentSource: Type = fields("io.k8s.api.storage.v1.VolumeAttachmentSource", &[
    one(2, "inlineVolumeSpec", &core_v1::PersistentVolumeSpec, POINTER | OMITEMPTY),
    one(1, "persistentVolumeName", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeAttachmentSpec: Type = fields("io.k8s.api.storage.v1.VolumeAttachmentSpec", &[
    one(1, "attacher", &STRING, REQUIRED),
    one(3, "nodeName", &STRING, REQUIRED),
    one(2, "source", &VolumeAttachmentSource, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static VolumeAttachmentStatus: Type = fields("io.k8s.api.storage.v1.VolumeAttachmentStatus", &[
    one(3, "attachError", &VolumeError, POINTER | OMITEMPTY),
    one(1, "attached", &BOOL, REQUIRED),
    map(2, "attachmentMetadata", &STRING, OMITEMPTY),
    one(4, "detachError", &VolumeError, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeAttributesClass: Type = fields("io.k8s.api.storage.v1.VolumeAttributesClass", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(2, "driverName", &STRING, REQUIRED),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    map(3, "parameters", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeAttributesClassList: Type = fields("io.k8s.api.storage.v1.VolumeAttributesClassList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &VolumeAttributesClass, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeError: Type = fields("io.k8s.api.storage.v1.VolumeError", &[
    one(3, "errorCode", &INT32, POINTER | OMITEMPTY),
    one(2, "message", &STRING, OMITEMPTY),
    one(1, "time", &apimachinery::Time, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeNodeResources: Type = fields("io.k8s.api.storage.v1.VolumeNodeResources", &[
    one(1, "count", &INT32, POINTER | OMITEMPTY),
]);
