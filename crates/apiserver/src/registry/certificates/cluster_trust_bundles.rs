//! ClusterTrustBundles: certificates to trust.

use crate::registry::strategy::Strategy;
use crate::registry::validation::names::NameRule;

/// The strategy of ClusterTrustBundles.
#[derive(Debug)]
pub(super) struct ClusterTrustBundles;

impl Strategy for ClusterTrustBundles {
    fn name_rule(&self) -> NameRule {
        NameRule::PathSegment
    }
}
