//! `networking.k8s.io`: how pods are reached from outside, and by whom.

mod ingress_classes;
mod ingresses;
mod network_policies;

use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies = &[
    ("ingressclasses", &ingress_classes::IngressClasses),
    ("ingresses", &ingresses::Ingresses),
    ("networkpolicies", &network_policies::NetworkPolicies),
];
