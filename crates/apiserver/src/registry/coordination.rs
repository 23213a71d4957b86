//! `coordination.k8s.io`: who leads.

mod lease_candidates;
mod leases;

use crate::registry::strategy::Strategy;

/// The strategy of a kind of the group, if it has one of its own.
pub(super) fn strategy(plural: &str) -> Option<&'static dyn Strategy> {
    Some(match plural {
        "leasecandidates" => &lease_candidates::LeaseCandidates,
        "leases" => &leases::Leases,
        _ => return None,
    })
}
