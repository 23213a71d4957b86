//! `apiregistration.k8s.io`: which servers serve what.

mod api_services;

use crate::registry::strategy::Strategy;

/// The strategy of a kind of the group, if it has one of its own.
pub(super) fn strategy(plural: &str) -> Option<&'static dyn Strategy> {
    Some(match plural {
        "apiservices" => &api_services::ApiServices,
        _ => return None,
    })
}
