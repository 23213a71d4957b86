//! In which order everything starts, and in reverse stops.

use std::fmt;

/// What is started together.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Stage {
    /// HTTP servers: probes, metrics, webhooks.
    Servers,
    /// The shared watches.
    Watches,
    /// What the program adds by itself and needs no leader.
    Runnables,
    /// The lease, if there is one.
    Lease,
    /// Controllers, and what the program adds for the leader alone.
    Controllers,
}

/// The order in which the stages start; they stop in reverse.
///
/// - Servers are first: a probe must be answered while everything else still starts, and a conversion webhook of this
///   program may be needed for its own watches to list anything. They are last to stop, so that what drains is still seen.
/// - Watches come before whatever reads their stores.
/// - Runnables come before controllers, which may use what they provide.
/// - The lease is asked for before controllers begin, and so given back only after the last reconcile has ended.
pub const START_ORDER: [Stage; 5] =
    [Stage::Servers, Stage::Watches, Stage::Runnables, Stage::Lease, Stage::Controllers];

impl Stage {
    /// Whether only servers and watches are left when it stops.
    pub(crate) fn is_last_to_stop(self) -> bool {
        matches!(self, Self::Servers | Self::Watches)
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Servers => "servers",
            Self::Watches => "watches",
            Self::Runnables => "runnables",
            Self::Lease => "lease",
            Self::Controllers => "controllers",
        })
    }
}
