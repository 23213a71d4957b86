//! `resource.k8s.io`: devices, what they can do, and who has them.

mod device_classes;
mod device_taint_rules;
mod resource_claims;
mod resource_slices;
mod taints;

use crate::registry::strategy::Strategy;

/// The strategy of a kind of the group, if it has one of its own.
pub(super) fn strategy(plural: &str) -> Option<&'static dyn Strategy> {
    Some(match plural {
        "deviceclasses" => &device_classes::DeviceClasses,
        "devicetaintrules" => &device_taint_rules::DeviceTaintRules,
        "resourceclaims" => &resource_claims::ResourceClaims,
        "resourceclaimtemplates" => &resource_claims::ResourceClaimTemplates,
        "resourceslices" => &resource_slices::ResourceSlices,
        _ => return None,
    })
}
