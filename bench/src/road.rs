//! The roads from a watch to a program that are measured.

use std::fmt;
use std::str::FromStr;

/// One of them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Road {
    /// `Controller::new(…).run(…)`.
    Controller,
    /// `Controller::new(…).owns(…).run(…)`: what is owned changes.
    Owns,
    /// `watcher(…)` alone.
    Watcher,
    /// `reflector(writer, watcher(…))`.
    Reflector,
    /// `watcher(…).default_backoff().reflect(writer)`.
    Reflect,
    /// The same with `modify` before it, which clears `managedFields`.
    Modify,
    /// `scheduler(…)`: keys that wait to be reconciled, and no cluster.
    Queue,
    /// The same with the queue that a controller has: kube's is `scheduler(…)`, Pintle's is `WorkQueue` by itself.
    WorkQueue,
}

impl Road {
    pub(crate) const ALL: [Self; 8] = [
        Self::Controller,
        Self::Owns,
        Self::Watcher,
        Self::Reflector,
        Self::Reflect,
        Self::Modify,
        Self::Queue,
        Self::WorkQueue,
    ];

    /// How it is named on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Controller => "controller",
            Self::Owns => "owns",
            Self::Watcher => "watcher",
            Self::Reflector => "reflector",
            Self::Reflect => "reflect",
            Self::Modify => "modify",
            Self::Queue => "queue",
            Self::WorkQueue => "workqueue",
        }
    }

    /// Whether objects come on it, in one encoding or the other.
    pub(crate) fn has_objects(self) -> bool {
        !matches!(self, Self::Queue | Self::WorkQueue)
    }

    /// Whether client-go has such a road.
    pub(crate) fn is_walked_by_client_go(self) -> bool {
        matches!(self, Self::Controller | Self::Reflector)
    }
}

impl fmt::Display for Road {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Road {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|road| road.name() == name)
            .ok_or_else(|| format!("`{name}` is not a road; there are {known}"))
    }
}
