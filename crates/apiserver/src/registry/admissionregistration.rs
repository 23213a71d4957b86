//! `admissionregistration.k8s.io`: what else decides about writes.

mod admission_policies;
mod expressions;
mod match_resources;
mod mutating_policies;
mod policy_bindings;
mod rules;
mod validating_policies;
mod webhook_configurations;

use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies = &[
    ("mutatingwebhookconfigurations", &webhook_configurations::WebhookConfigurations),
    ("validatingwebhookconfigurations", &webhook_configurations::WebhookConfigurations),
    ("mutatingadmissionpolicies", &mutating_policies::MutatingAdmissionPolicies),
    ("mutatingadmissionpolicybindings", &policy_bindings::MUTATING),
    ("validatingadmissionpolicies", &validating_policies::ValidatingAdmissionPolicies),
    ("validatingadmissionpolicybindings", &policy_bindings::VALIDATING),
];
