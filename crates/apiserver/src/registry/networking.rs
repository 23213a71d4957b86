//! `networking.k8s.io`: how pods are reached from outside, and by whom.

mod ingress_classes;
mod ingresses;
mod ip_addresses;
mod network_policies;
mod service_cidrs;

use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies = &[
    ("ingressclasses", &ingress_classes::IngressClasses),
    ("ingresses", &ingresses::Ingresses),
    ("ipaddresses", &ip_addresses::IpAddresses),
    ("networkpolicies", &network_policies::NetworkPolicies),
    ("servicecidrs", &service_cidrs::ServiceCidrs),
];
