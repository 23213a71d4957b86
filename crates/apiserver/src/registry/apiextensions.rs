//! `apiextensions.k8s.io`: the kinds that users add.

mod custom_resource_definitions;

use crate::registry::strategy::Strategy;

/// The strategy of a kind of the group, if it has one of its own.
pub(super) fn strategy(plural: &str) -> Option<&'static dyn Strategy> {
    Some(match plural {
        "customresourcedefinitions" => &custom_resource_definitions::CustomResourceDefinitions,
        _ => return None,
    })
}
