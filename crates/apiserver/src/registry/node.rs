//! `node.k8s.io`: how a node runs containers.

mod runtime_classes;

use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies = &[("runtimeclasses", &runtime_classes::RuntimeClasses)];
