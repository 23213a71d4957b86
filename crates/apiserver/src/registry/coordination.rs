//! `coordination.k8s.io`: who leads.

mod lease_candidates;
mod leases;

use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies =
    &[("leasecandidates", &lease_candidates::LeaseCandidates), ("leases", &leases::Leases)];
