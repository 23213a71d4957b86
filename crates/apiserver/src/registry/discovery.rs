//! `discovery.k8s.io`: where the pods of a Service are.

mod endpoint_slices;

use crate::registry::strategy::Strategy;

/// The strategy of a kind of the group, if it has one of its own.
pub(super) fn strategy(plural: &str) -> Option<&'static dyn Strategy> {
    Some(match plural {
        "endpointslices" => &endpoint_slices::EndpointSlices,
        _ => return None,
    })
}
