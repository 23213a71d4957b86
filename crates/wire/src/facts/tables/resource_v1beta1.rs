//! The types of `resource_v1beta1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::{apimachinery, core_v1};
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static AllocatedDeviceStatus: Type = fields("io.k8s.api.resource.v1beta1.AllocatedDeviceStatus", &[
    list(4, "conditions", &apimachinery::Condition, 0).with(&[ListMap(&["type"])]),
    one(5, "data", &apimachinery::RawExtension, POINTER | OMITEMPTY),
    one(3, "device", &STRING, REQUIRED),
    one(1, "driver", &STRING, REQUIRED),
    one(6, "networkData", &NetworkDeviceData, POINTER | OMITEMPTY),
    one(2, "pool", &STRING, REQUIRED),
    one(7, "shareID", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static AllocationResult: Type = fields("io.k8s.api.resource.v1beta1.AllocationResult", &[
    one(5, "allocationTimestamp", &apimachinery::Time, POINTER | OMITEMPTY),
    one(1, "devices", &DeviceAllocationResult, OMITEMPTY),
    one(3, "nodeSelector", &core_v1::NodeSelector, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static BasicDevice: Type = fields("io.k8s.api.resource.v1beta1.BasicDevice", &[
    one(6, "allNodes", &BOOL, POINTER | OMITEMPTY),
    one(11, "allowMultipleAllocations", &BOOL, POINTER | OMITEMPTY),
    map(1, "attributes", &DeviceAttribute, OMITEMPTY),
    list(9, "bindingConditions", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(10, "bindingFailureConditions", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(8, "bindsToNode", &BOOL, POINTER | OMITEMPTY),
    map(2, "capacity", &DeviceCapacity, OMITEMPTY),
    list(3, "consumesCounters", &DeviceCounterConsumption, OMITEMPTY).with(&[ListAtomic]),
    map(14, "nodeAllocatableResources", &NodeAllocatableResource, OMITEMPTY),
    one(4, "nodeName", &STRING, POINTER | OMITEMPTY),
    one(5, "nodeSelector", &core_v1::NodeSelector, POINTER | OMITEMPTY),
    list(7, "taints", &DeviceTaint, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static CELDeviceSelector: Type = fields("io.k8s.api.resource.v1beta1.CELDeviceSelector", &[
    one(1, "expression", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static CapacityRequestPolicy: Type = fields("io.k8s.api.resource.v1beta1.CapacityRequestPolicy", &[
    one(1, "default", &apimachinery::Quantity, POINTER),
    one(4, "validRange", &CapacityRequestPolicyRange, POINTER | OMITEMPTY),
    list(3, "validValues", &apimachinery::Quantity, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static CapacityRequestPolicyRange: Type = fields("io.k8s.api.resource.v1beta1.CapacityRequestPolicyRange", &[
    one(2, "max", &apimachinery::Quantity, POINTER | OMITEMPTY),
    one(1, "min", &apimachinery::Quantity, POINTER | OMITEMPTY | REQUIRED),
    one(3, "step", &apimachinery::Quantity, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CapacityRequirements: Type = fields("io.k8s.api.resource.v1beta1.CapacityRequirements", &[
    map(1, "requests", &apimachinery::Quantity, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Counter: Type = fields("io.k8s.api.resource.v1beta1.Counter", &[
    one(1, "value", &apimachinery::Quantity, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static CounterSet: Type = fields("io.k8s.api.resource.v1beta1.CounterSet", &[
    map(2, "counters", &Counter, OMITEMPTY | REQUIRED),
    one(1, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static Device: Type = fields("io.k8s.api.resource.v1beta1.Device", &[
    one(2, "basic", &BasicDevice, POINTER | OMITEMPTY),
    one(1, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static DeviceAllocationConfiguration: Type = fields("io.k8s.api.resource.v1beta1.DeviceAllocationConfiguration", &[
    one(3, "", &DeviceConfiguration, INLINE),
    list(2, "requests", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(1, "source", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static DeviceAllocationResult: Type = fields("io.k8s.api.resource.v1beta1.DeviceAllocationResult", &[
    list(2, "config", &DeviceAllocationConfiguration, OMITEMPTY).with(&[ListAtomic]),
    list(1, "results", &DeviceRequestAllocationResult, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static DeviceAttribute: Type = fields("io.k8s.api.resource.v1beta1.DeviceAttribute", &[
    one(3, "bool", &BOOL, POINTER | OMITEMPTY),
    list(7, "bools", &BOOL, OMITEMPTY).with(&[ListAtomic]),
    one(2, "int", &INT64, POINTER | OMITEMPTY),
    list(6, "ints", &INT64, OMITEMPTY).with(&[ListAtomic]),
    one(4, "string", &STRING, POINTER | OMITEMPTY),
    list(8, "strings", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(5, "version", &STRING, POINTER | OMITEMPTY),
    list(9, "versions", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static DeviceCapacity: Type = fields("io.k8s.api.resource.v1beta1.DeviceCapacity", &[
    one(2, "requestPolicy", &CapacityRequestPolicy, POINTER | OMITEMPTY),
    one(1, "value", &apimachinery::Quantity, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static DeviceClaim: Type = fields("io.k8s.api.resource.v1beta1.DeviceClaim", &[
    list(3, "config", &DeviceClaimConfiguration, OMITEMPTY).with(&[ListAtomic]),
    list(2, "constraints", &DeviceConstraint, OMITEMPTY).with(&[ListAtomic]),
    list(1, "requests", &DeviceRequest, 0).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static DeviceClaimConfiguration: Type = fields("io.k8s.api.resource.v1beta1.DeviceClaimConfiguration", &[
    one(2, "", &DeviceConfiguration, INLINE),
    list(1, "requests", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static DeviceClass: Type = fields("io.k8s.api.resource.v1beta1.DeviceClass", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &DeviceClassSpec, 0),
]);

#[rustfmt::skip]
pub(super) static DeviceClassConfiguration: Type = fields("io.k8s.api.resource.v1beta1.DeviceClassConfiguration", &[
    one(1, "", &DeviceConfiguration, INLINE),
]);

#[rustfmt::skip]
pub(super) static DeviceClassList: Type = fields("io.k8s.api.resource.v1beta1.DeviceClassList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &DeviceClass, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DeviceClassSpec: Type = fields("io.k8s.api.resource.v1beta1.DeviceClassSpec", &[
    list(2, "config", &DeviceClassConfiguration, OMITEMPTY).with(&[ListAtomic]),
    one(4, "extendedResourceName", &STRING, POINTER | OMITEMPTY),
    list(1, "selectors", &DeviceSelector, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static DeviceConfiguration: Type = fields("io.k8s.api.resource.v1beta1.DeviceConfiguration", &[
    one(1, "opaque", &OpaqueDeviceConfiguration, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DeviceConstraint: Type = fields("io.k8s.api.resource.v1beta1.DeviceConstraint", &[
    one(3, "distinctAttribute", &STRING, POINTER | OMITEMPTY),
    one(2, "matchAttribute", &STRING, POINTER | OMITEMPTY),
    list(1, "requests", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static DeviceCounterConsumption: Type = fields("io.k8s.api.resource.v1beta1.DeviceCounterConsumption", &[
    list(3, "compatibilityGroups", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(1, "counterSet", &STRING, REQUIRED),
    map(2, "counters", &Counter, OMITEMPTY | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static DeviceDerivedAttribute: Type = fields("io.k8s.api.resource.v1beta1.DeviceDerivedAttribute", &[
    one(2, "expression", &STRING, REQUIRED),
    one(1, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static DeviceRequest: Type = fields("io.k8s.api.resource.v1beta1.DeviceRequest", &[
    one(6, "adminAccess", &BOOL, POINTER | OMITEMPTY),
    one(4, "allocationMode", &STRING, OMITEMPTY),
    one(9, "capacity", &CapacityRequirements, POINTER | OMITEMPTY),
    one(5, "count", &INT64, OMITEMPTY),
    list(10, "derivedAttributes", &DeviceDerivedAttribute, OMITEMPTY).with(&[ListAtomic]),
    one(2, "deviceClassName", &STRING, 0),
    list(7, "firstAvailable", &DeviceSubRequest, OMITEMPTY).with(&[ListAtomic]),
    one(1, "name", &STRING, REQUIRED),
    list(3, "selectors", &DeviceSelector, OMITEMPTY).with(&[ListAtomic]),
    list(8, "tolerations", &DeviceToleration, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static DeviceRequestAllocationResult: Type = fields("io.k8s.api.resource.v1beta1.DeviceRequestAllocationResult", &[
    one(5, "adminAccess", &BOOL, POINTER | OMITEMPTY),
    list(7, "bindingConditions", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(8, "bindingFailureConditions", &STRING, OMITEMPTY).with(&[ListAtomic]),
    map(10, "consumedCapacity", &apimachinery::Quantity, OMITEMPTY),
    one(4, "device", &STRING, REQUIRED),
    one(2, "driver", &STRING, REQUIRED),
    one(3, "pool", &STRING, REQUIRED),
    one(1, "request", &STRING, REQUIRED),
    one(9, "shareID", &STRING, POINTER | OMITEMPTY),
    list(11, "skipNodeOperations", &STRING, OMITEMPTY).with(&[ListSet]),
    list(6, "tolerations", &DeviceToleration, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static DeviceSelector: Type = fields("io.k8s.api.resource.v1beta1.DeviceSelector", &[
    one(1, "cel", &CELDeviceSelector, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DeviceSubRequest: Type = fields("io.k8s.api.resource.v1beta1.DeviceSubRequest", &[
    one(4, "allocationMode", &STRING, OMITEMPTY),
    one(8, "capacity", &CapacityRequirements, POINTER | OMITEMPTY),
    one(5, "count", &INT64, OMITEMPTY),
    list(9, "derivedAttributes", &DeviceDerivedAttribute, OMITEMPTY).with(&[ListAtomic]),
    one(2, "deviceClassName", &STRING, REQUIRED),
    one(1, "name", &STRING, REQUIRED),
    list(3, "selectors", &DeviceSelector, OMITEMPTY).with(&[ListAtomic]),
    list(7, "tolerations", &DeviceToleration, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static DeviceTaint: Type = fields("io.k8s.api.resource.v1beta1.DeviceTaint", &[
    one(3, "effect", &STRING, REQUIRED),
    one(1, "key", &STRING, REQUIRED),
    one(4, "timeAdded", &apimachinery::Time, POINTER | OMITEMPTY),
    one(2, "value", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DeviceToleration: Type = fields("io.k8s.api.resource.v1beta1.DeviceToleration", &[
    one(4, "effect", &STRING, OMITEMPTY),
    one(1, "key", &STRING, OMITEMPTY),
    one(2, "operator", &STRING, OMITEMPTY).with(&[Default("\"Equal\"")]),
    one(5, "tolerationSeconds", &INT64, POINTER | OMITEMPTY),
    one(3, "value", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NetworkDeviceData: Type = fields("io.k8s.api.resource.v1beta1.NetworkDeviceData", &[
    one(3, "hardwareAddress", &STRING, OMITEMPTY),
    one(1, "interfaceName", &STRING, OMITEMPTY),
    list(2, "ips", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static NodeAllocatableMapping: Type = fields("io.k8s.api.resource.v1beta1.NodeAllocatableMapping", &[
    one(1, "capacityKey", &STRING, POINTER | OMITEMPTY),
    one(2, "capacityMultiplier", &apimachinery::Quantity, POINTER | OMITEMPTY),
    one(3, "deviceMultiplier", &apimachinery::Quantity, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NodeAllocatableOverhead: Type = fields("io.k8s.api.resource.v1beta1.NodeAllocatableOverhead", &[
    one(2, "perContainer", &apimachinery::Quantity, POINTER | OMITEMPTY),
    one(1, "perPod", &apimachinery::Quantity, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NodeAllocatableResource: Type = fields("io.k8s.api.resource.v1beta1.NodeAllocatableResource", &[
    one(3, "mapping", &NodeAllocatableMapping, POINTER | OMITEMPTY),
    one(4, "overhead", &NodeAllocatableOverhead, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static OpaqueDeviceConfiguration: Type = fields("io.k8s.api.resource.v1beta1.OpaqueDeviceConfiguration", &[
    one(1, "driver", &STRING, REQUIRED),
    one(2, "parameters", &apimachinery::RawExtension, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ResourceClaim: Type = fields("io.k8s.api.resource.v1beta1.ResourceClaim", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ResourceClaimSpec, 0),
    one(3, "status", &ResourceClaimStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ResourceClaimConsumerReference: Type = fields("io.k8s.api.resource.v1beta1.ResourceClaimConsumerReference", &[
    one(1, "apiGroup", &STRING, OMITEMPTY),
    one(4, "name", &STRING, REQUIRED),
    one(3, "resource", &STRING, REQUIRED),
    one(5, "uid", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ResourceClaimList: Type = fields("io.k8s.api.resource.v1beta1.ResourceClaimList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ResourceClaim, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ResourceClaimSpec: Type = fields("io.k8s.api.resource.v1beta1.ResourceClaimSpec", &[
    one(1, "devices", &DeviceClaim, 0),
]);

#[rustfmt::skip]
pub(super) static ResourceClaimStatus: Type = fields("io.k8s.api.resource.v1beta1.ResourceClaimStatus", &[
    one(1, "allocation", &AllocationResult, POINTER | OMITEMPTY),
    list(4, "devices", &AllocatedDeviceStatus, OMITEMPTY).with(&[ListMap(&["driver", "device", "pool", "shareID"])]),
    list(2, "reservedFor", &ResourceClaimConsumerReference, OMITEMPTY).with(&[ListMap(&["uid"]), Patch("merge", "uid")]),
]);

#[rustfmt::skip]
pub(super) static ResourceClaimTemplate: Type = fields("io.k8s.api.resource.v1beta1.ResourceClaimTemplate", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ResourceClaimTemplateSpec, 0),
]);

#[rustfmt::skip]
pub(super) static ResourceClaimTemplateList: Type = fields("io.k8s.api.resource.v1beta1.ResourceClaimTemplateList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ResourceClaimTemplate, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ResourceClaimTemplateSpec: Type = fields("io.k8s.api.resource.v1beta1.ResourceClaimTemplateSpec", &[
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ResourceClaimSpec, 0),
]);

#[rustfmt::skip]
pub(super) static ResourcePool: Type = fields("io.k8s.api.resource.v1beta1.ResourcePool", &[
    one(2, "generation", &INT64, REQUIRED),
    one(1, "name", &STRING, REQUIRED),
    one(3, "resourceSliceCount", &INT64, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ResourceSlice: Type = fields("io.k8s.api.resource.v1beta1.ResourceSlice", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ResourceSliceSpec, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ResourceSliceList: Type = fields("io.k8s.api.resource.v1beta1.ResourceSliceList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ResourceSlice, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ResourceSliceSpec: Type = fields("io.k8s.api.resource.v1beta1.ResourceSliceSpec", &[
    one(5, "allNodes", &BOOL, OMITEMPTY),
    list(6, "devices", &Device, OMITEMPTY).with(&[ListAtomic]),
    one(1, "driver", &STRING, REQUIRED),
    one(3, "nodeName", &STRING, OMITEMPTY),
    one(4, "nodeSelector", &core_v1::NodeSelector, POINTER | OMITEMPTY),
    one(9, "partitionTypeAttribute", &STRING, POINTER | OMITEMPTY),
    one(7, "perDeviceNodeSelection", &BOOL, POINTER | OMITEMPTY),
    one(2, "pool", &ResourcePool, REQUIRED),
    list(8, "sharedCounters", &CounterSet, OMITEMPTY).with(&[ListAtomic]),
    list(10, "skipNodeOperations", &STRING, OMITEMPTY).with(&[ListSet]),
]);
