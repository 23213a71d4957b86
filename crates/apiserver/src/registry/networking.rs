//! `networking.k8s.io`: how pods are reached from outside, and by whom.

mod ingress_classes;
mod ingresses;
mod network_policies;

use crate::registry::strategy::Strategy;

/// The strategy of a kind of the group, if it has one of its own.
pub(super) fn strategy(plural: &str) -> Option<&'static dyn Strategy> {
    Some(match plural {
        "ingressclasses" => &ingress_classes::IngressClasses,
        "ingresses" => &ingresses::Ingresses,
        "networkpolicies" => &network_policies::NetworkPolicies,
        _ => return None,
    })
}
