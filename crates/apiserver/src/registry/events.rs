//! `events.k8s.io`: the events of the core group, in another form.

use crate::registry::core::events::Events;
use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies = &[("events", &Events::New)];
