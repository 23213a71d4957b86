//! The watches of a controller, each turned into a stream of the keys it wakes.
//!
//! ```text
//!   watch of K             ──► Writer's store  ──► Changed ──► Itself  ─┐
//!   watch of owned heads   ──► shelf of heads  ──► Changed ──► Owners  ─┼──► Triggered ──► Machine
//!   watch of others        ──► shelf, packed   ──► Changed ──► Mapper  ─┤
//!   streams of the user    ──────────────────────────────────► Mapper  ─┘
//! ```
//!
//! The first three are in `source/watches.rs`, by a watch of the controller's own (`source/own_watch.rs`) or one that several
//! controllers share (`source/subscription.rs`); the fourth is in `source/user_stream.rs`. What turns a change into keys is a
//! [`Trigger`](trigger::Trigger). A panic of a function of the user is caught here: it is reported, and wakes nothing.

pub(super) mod changed;
mod delta;
pub(crate) mod fan_out;
pub(super) mod merged;
pub(super) mod namespaces;
pub(super) mod own_watch;
pub(super) mod read_store;
pub(super) mod shared_backoff;
mod shared_shelf;
pub(crate) mod subscription;
pub(crate) mod trigger;
pub(super) mod user_stream;
pub(crate) mod watch_progress;
pub(super) mod watched_kind;
pub(crate) mod watched_object;
pub(super) mod watches;

use futures::stream::BoxStream;
use pintle_client::client::writes::Write;
use pintle_core::DynamicObject;
use pintle_core::reference::ObjectRef;
use tokio::time::Instant;

use crate::controller::machine::loop_detector::Origin;
use crate::controller::reconciler::panics::Panic;
use crate::controller::source::trigger::Cause;
use crate::queue::{PRIORITY_NORMAL, Priority};
use crate::reflector::{Entry, Key};
use crate::watcher;

/// What one event of a watch brought.
pub(super) struct Triggered<K, Q> {
    /// Who should be reconciled.
    pub(super) wakes: Vec<Wake>,
    /// Which of the controller's own objects are gone, as they were last known.
    pub(super) deleted: Vec<(Key, Entry<K>)>,
    /// What went wrong on the way, so that a key may not have been woken.
    pub(super) errors: Vec<SourceError<Q>>,
    /// Whether a list is complete with it.
    pub(super) is_list_complete: bool,
    /// Whether this is a piece of a long list, and others should get their turn before the next.
    pub(super) has_more: bool,
    /// Whether the server refuses the watch, where that is not an error of the stream.
    pub(super) is_refused: bool,
    /// Whether all objects should be reconciled.
    pub(super) wakes_all: bool,
    /// What was reconciled since then may have seen what came and went unseen here.
    pub(super) unsure_since: Option<Instant>,
}

/// One key that is woken.
#[derive(Clone, Debug)]
pub(super) struct Wake {
    pub(super) key: Key,
    pub(super) cause: Cause,
    pub(super) priority: Priority,
    /// Whether the object is believed to exist though the store does not have it yet.
    pub(super) insists: bool,
    /// The object whose change woke it, if that is known.
    pub(super) origin: Option<Origin>,
    /// That change, if a store that the reconciler reads does not have it yet.
    pub(super) unshown: Option<Box<Write>>,
}

/// What goes wrong in a source without ending it.
pub(super) enum SourceError<Q> {
    /// An object could not be read.
    Watch(Q),
    /// A function of the user panicked on this object.
    Panicked(Box<ObjectRef<DynamicObject>>, Panic),
}

/// Whether the server refuses a watch until the cluster is changed.
pub(super) fn is_refused(error: &(dyn std::error::Error + 'static)) -> bool {
    error.downcast_ref().is_some_and(watcher::Error::is_refused)
}

/// The keys one watch wakes.
pub(super) type Source<K> = BoxStream<'static, watcher::Result<Triggered<K, watcher::Error>>>;

impl<K, Q> Default for Triggered<K, Q> {
    fn default() -> Self {
        Self {
            wakes: Vec::new(),
            deleted: Vec::new(),
            errors: Vec::new(),
            is_list_complete: false,
            has_more: false,
            is_refused: false,
            wakes_all: false,
            unsure_since: None,
        }
    }
}

impl Wake {
    pub(super) fn new(key: Key, cause: Cause) -> Self {
        Self { key, cause, priority: PRIORITY_NORMAL, insists: false, origin: None, unshown: None }
    }
}
