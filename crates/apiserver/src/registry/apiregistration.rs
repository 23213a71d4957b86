//! `apiregistration.k8s.io`: which servers serve what.

mod api_services;

use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies = &[("apiservices", &api_services::ApiServices)];
