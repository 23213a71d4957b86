//! From watching to reconciling.
//!
//! ```text
//!  Api ══► Machine ══► Shelf ──► Change ──► Trigger ──► Machine ──► reconcile ──► Call ══► cluster
//!         └ watcher ┘ └ reflector ┘         └─────────── controller ──────────┘
//!                                                          ▲            │
//!                                                          └── Action ──┘   the only arrow that points left
//! ```
//!
//! Both machines, `Shelf` and `Trigger` are pure: inputs and the time go in, outputs come out. One loop per controller owns
//! them and does everything else.
//!
//! Reading order: [`mod@watcher`] (its `machine` first), [`mod@reflector`] (its `shelf` first), [`controller`] (its `machine`
//! first), [`mod@finalizer`]. The modules lie side by side because their paths are kube's. The queue by itself is
//! [`workqueue`]; which of several copies works is decided by [`lease`], and [`sharding`] splits the work between them.

mod apply;
pub mod controller;
pub mod events;
mod failure_log;
pub mod finalizer;
mod informer;
mod keyed;
pub mod lease;
pub mod metrics;
pub mod owner;
mod queue;
mod random;
pub mod reflector;
mod remedy;
pub mod scheduler;
pub mod sharding;
pub mod shared_informers;
pub mod status;
pub mod utils;
pub mod wait;
pub mod watcher;
pub mod workqueue;

pub use apply::{Applied, apply_if_changed, apply_status_if_changed, apply_subresource_if_changed};
pub use controller::{Config, Controller, applier};
pub use finalizer::finalizer;
pub use informer::Informer;
pub use reflector::reflector;
pub use scheduler::scheduler;
pub use shared_informers::SharedInformers;
pub use utils::{Predicate, PredicateConfig, WatchStreamExt, predicates};
pub use wait::conditions;
#[expect(deprecated, reason = "kube has it at this path")]
pub use watcher::metadata_watcher;
pub use watcher::watcher;
