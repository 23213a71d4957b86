//! `admissionregistration.k8s.io`: what else decides about writes.

mod admission_policies;
mod webhook_configurations;

use crate::registry::strategy::Strategy;

/// The strategy of a kind of the group, if it has one of its own.
pub(super) fn strategy(plural: &str) -> Option<&'static dyn Strategy> {
    Some(match plural {
        "mutatingwebhookconfigurations" => &webhook_configurations::WebhookConfigurations,
        "validatingwebhookconfigurations" => &webhook_configurations::WebhookConfigurations,
        "mutatingadmissionpolicies" => &admission_policies::AdmissionPolicies,
        "mutatingadmissionpolicybindings" => &admission_policies::AdmissionPolicies,
        "validatingadmissionpolicies" => &admission_policies::AdmissionPolicies,
        "validatingadmissionpolicybindings" => &admission_policies::AdmissionPolicies,
        _ => return None,
    })
}
