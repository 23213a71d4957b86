//! `apiextensions.k8s.io`: the kinds that users add.

mod custom_resource_definitions;

use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies =
    &[("customresourcedefinitions", &custom_resource_definitions::CustomResourceDefinitions)];
