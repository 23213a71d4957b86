//! `discovery.k8s.io`: where the pods of a Service are.

mod endpoint_slices;

use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies = &[("endpointslices", &endpoint_slices::EndpointSlices)];
