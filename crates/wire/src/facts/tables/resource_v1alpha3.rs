//! The types of `resource_v1alpha3`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static DeviceTaint: Type = fields("io.k8s.api.resource.v1alpha3.DeviceTaint", &[
    one(3, "effect", &STRING, REQUIRED),
    one(1, "key", &STRING, REQUIRED),
    one(4, "timeAdded", &apimachinery::Time, POINTER | OMITEMPTY),
    one(2, "value", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DeviceTaintRule: Type = fields("io.k8s.api.resource.v1alpha3.DeviceTaintRule", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &DeviceTaintRuleSpec, REQUIRED),
    one(3, "status", &DeviceTaintRuleStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DeviceTaintRuleList: Type = fields("io.k8s.api.resource.v1alpha3.DeviceTaintRuleList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &DeviceTaintRule, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DeviceTaintRuleSpec: Type = fields("io.k8s.api.resource.v1alpha3.DeviceTaintRuleSpec", &[
    one(1, "deviceSelector", &DeviceTaintSelector, POINTER | OMITEMPTY),
    one(2, "taint", &DeviceTaint, OMITEMPTY | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static DeviceTaintRuleStatus: Type = fields("io.k8s.api.resource.v1alpha3.DeviceTaintRuleStatus", &[
    list(1, "conditions", &apimachinery::Condition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
]);

#[rustfmt::skip]
pub(super) static DeviceTaintSelector: Type = fields("io.k8s.api.resource.v1alpha3.DeviceTaintSelector", &[
    one(4, "device", &STRING, POINTER | OMITEMPTY),
    one(2, "driver", &STRING, POINTER | OMITEMPTY),
    one(3, "pool", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PartitionTypeStatus: Type = fields("io.k8s.api.resource.v1alpha3.PartitionTypeStatus", &[
    one(3, "allocatable", &INT32, POINTER | OMITEMPTY | REQUIRED),
    one(4, "attribute", &STRING, OMITEMPTY | REQUIRED),
    one(2, "total", &INT32, POINTER | OMITEMPTY | REQUIRED),
    one(1, "type", &STRING, OMITEMPTY | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PoolStatus: Type = fields("io.k8s.api.resource.v1alpha3.PoolStatus", &[
    one(5, "allocatedDevices", &INT32, POINTER | OMITEMPTY),
    one(6, "availableDevices", &INT32, POINTER | OMITEMPTY),
    one(1, "driver", &STRING, OMITEMPTY | REQUIRED),
    one(9, "generation", &INT64, REQUIRED),
    one(3, "nodeName", &STRING, POINTER | OMITEMPTY),
    list(11, "partitionSummary", &PartitionTypeStatus, OMITEMPTY).with(&[ListAtomic]),
    one(2, "poolName", &STRING, OMITEMPTY | REQUIRED),
    one(8, "resourceSliceCount", &INT32, POINTER | OMITEMPTY),
    one(13, "shareableSummary", &ShareableSummaryStatus, POINTER | OMITEMPTY),
    one(4, "totalDevices", &INT32, POINTER | OMITEMPTY),
    one(7, "unavailableDevices", &INT32, POINTER | OMITEMPTY),
    one(10, "validationError", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ResourcePoolStatusRequest: Type = fields("io.k8s.api.resource.v1alpha3.ResourcePoolStatusRequest", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY | REQUIRED),
    one(2, "spec", &ResourcePoolStatusRequestSpec, REQUIRED),
    one(3, "status", &ResourcePoolStatusRequestStatus, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ResourcePoolStatusRequestList: Type = fields("io.k8s.api.resource.v1alpha3.ResourcePoolStatusRequestList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ResourcePoolStatusRequest, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ResourcePoolStatusRequestSpec: Type = fields("io.k8s.api.resource.v1alpha3.ResourcePoolStatusRequestSpec", &[
    one(4, "defaultPartitionTypeAttribute", &STRING, POINTER | OMITEMPTY),
    one(1, "driver", &STRING, REQUIRED),
    one(3, "limit", &INT32, POINTER | OMITEMPTY).with(&[Default("100")]),
    one(2, "poolName", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ResourcePoolStatusRequestStatus: Type = fields("io.k8s.api.resource.v1alpha3.ResourcePoolStatusRequestStatus", &[
    list(3, "conditions", &apimachinery::Condition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    one(6, "poolCount", &INT32, POINTER | OMITEMPTY | REQUIRED),
    list(2, "pools", &PoolStatus, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static ShareableCapacityStatus: Type = fields("io.k8s.api.resource.v1alpha3.ShareableCapacityStatus", &[
    one(4, "available", &apimachinery::Quantity, POINTER | OMITEMPTY | REQUIRED),
    one(3, "consumed", &apimachinery::Quantity, POINTER | OMITEMPTY | REQUIRED),
    one(1, "name", &STRING, OMITEMPTY | REQUIRED),
    one(2, "total", &apimachinery::Quantity, POINTER | OMITEMPTY | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ShareableSummaryStatus: Type = fields("io.k8s.api.resource.v1alpha3.ShareableSummaryStatus", &[
    list(3, "capacity", &ShareableCapacityStatus, OMITEMPTY).with(&[ListAtomic]),
    one(1, "fullyAvailableDevices", &INT32, POINTER | OMITEMPTY | REQUIRED),
    one(2, "partiallyAvailableDevices", &INT32, POINTER | OMITEMPTY | REQUIRED),
]);
