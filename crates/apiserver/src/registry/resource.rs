//! `resource.k8s.io`: devices, what they can do, and who has them.

mod device_classes;
mod device_taint_rules;
mod resource_claims;
mod resource_slices;
mod taints;

use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies = &[
    ("deviceclasses", &device_classes::DeviceClasses),
    ("devicetaintrules", &device_taint_rules::DeviceTaintRules),
    ("resourceclaims", &resource_claims::ResourceClaims),
    ("resourceclaimtemplates", &resource_claims::ResourceClaimTemplates),
    ("resourceslices", &resource_slices::ResourceSlices),
];
