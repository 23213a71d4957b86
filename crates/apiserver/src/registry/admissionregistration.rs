//! `admissionregistration.k8s.io`: what else decides about writes.

mod admission_policies;
mod webhook_configurations;

use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies = &[
    ("mutatingwebhookconfigurations", &webhook_configurations::WebhookConfigurations),
    ("validatingwebhookconfigurations", &webhook_configurations::WebhookConfigurations),
    ("mutatingadmissionpolicies", &admission_policies::AdmissionPolicies),
    ("mutatingadmissionpolicybindings", &admission_policies::AdmissionPolicies),
    ("validatingadmissionpolicies", &admission_policies::AdmissionPolicies),
    ("validatingadmissionpolicybindings", &admission_policies::AdmissionPolicies),
];
